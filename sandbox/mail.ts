import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { behaviour, type Endpoint, html, json, type SandboxService, seeOther, text } from './endpoint.ts';
import { inboxPage, type Mail, mailPage } from './inbox-page.ts';
import { listen, reachable } from './listen.ts';

const MODES = ['ok', 'down', 'reject', 'slow'] as const;
type State = { mode: (typeof MODES)[number]; mails: Mail[]; received: number };

const KEPT = 500;
const SLOW_MS = 5000;
const SIZE_LIMIT = 10 * 1024 * 1024;

/** A mail server that accepts email for every address, with an inbox page. Port 0 selects a free port. */
export async function startMail({ host, port }: { host: string; port: number }) {
  const state: State = { mode: 'ok', mails: [], received: 0 };
  const server = smtpServer(state);
  // A client that disconnects early is not an error.
  server.on('error', () => undefined);
  const taken = await listen(server.server, { host, port }, 'SANDBOX_SMTP_PORT');
  const service: SandboxService = {
    name: 'Mail',
    about: `A mail server that accepts mail to every address and keeps the last ${KEPT} mails in memory.`,
    settings: { SMTP_URL: `smtp://${reachable(host)}:${taken}` },
    endpoints: inbox(state),
  };
  return {
    port: taken,
    service,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function smtpServer(state: State): SMTPServer {
  return new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    size: SIZE_LIMIT,
    closeTimeout: 100,
    onAuth: ({ username }, _session, done) => done(null, { user: username ?? 'anybody' }),
    onMailFrom: (_address, _session, done) => {
      if (state.mode === 'down') done(refusal(451, 'Temporarily unavailable, try again later'));
      else if (state.mode === 'slow') void sleep(SLOW_MS, undefined, { ref: false }).then(() => done());
      else done();
    },
    onRcptTo: (_address, _session, done) =>
      state.mode === 'reject' ? done(refusal(550, 'Mailbox unavailable')) : done(),
    onData: (stream, { envelope }, done) => {
      const to = envelope.rcptTo.map(({ address }) => address);
      const from = envelope.mailFrom ? envelope.mailFrom.address : '';
      buffer(stream)
        .then((raw) => (stream.sizeExceeded ? Promise.reject(refusal(552, 'Too large')) : raw))
        .then((raw) => keep(state, { to, from, raw }))
        .then(() => done(), done);
    },
  });
}

const refusal = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode });

async function keep(state: State, { to, from, raw }: { to: string[]; from: string; raw: Buffer }) {
  const mail = await PostalMime.parse(raw);
  state.received += 1;
  state.mails.unshift({
    id: String(state.received),
    to,
    from,
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    headers: Object.fromEntries(mail.headers.map(({ key, value }) => [key, value])),
    at: new Date().toISOString(),
  });
  state.mails.splice(KEPT);
}

const inbox = (state: State): Endpoint[] => [
  {
    method: 'GET',
    path: '/inbox',
    about: 'Lists the received mails, newest first.',
    handle: ({ query }) => html(200, inboxPage(mailsTo(state, query.get('to')))),
  },
  {
    method: 'GET',
    path: '/inbox/{id}',
    about: 'Shows one mail as HTML and text, with working links.',
    handle: ({ params }) => {
      const mail = state.mails.find(({ id }) => id === params.id);
      return mail ? html(200, mailPage(mail)) : text(404, 'there is no such mail; see /inbox');
    },
  },
  {
    method: 'GET',
    path: '/inbox.json',
    about:
      'Lists the mails as JSON: { id, to, from, subject, text, html, headers, at }. Filter: ?to=<address>.',
    handle: ({ query }) => json(200, mailsTo(state, query.get('to'))),
  },
  {
    method: 'POST',
    path: '/inbox/clear',
    about: 'Deletes all mails.',
    handle: () => {
      state.mails = [];
      return seeOther('/inbox');
    },
  },
  {
    method: 'POST',
    path: '/inbox/behaviour',
    about: 'Sets the behaviour of the mail server: ok, down (451), reject (550) or slow (five seconds).',
    example: '{ "mode": "down" }',
    handle: behaviour(MODES, (mode) => {
      state.mode = mode;
    }),
  },
];

function mailsTo({ mails }: State, address: string | null): Mail[] {
  const wanted = address?.toLowerCase();
  return wanted ? mails.filter(({ to }) => to.some((one) => one.toLowerCase() === wanted)) : mails;
}

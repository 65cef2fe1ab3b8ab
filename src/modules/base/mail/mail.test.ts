import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../../test/kit/app.ts';
import { startMailWorker } from '../../../../test/kit/backoffice/mail.ts';
import { type ReceivedMail, startSmtpServer } from '../../../../test/kit/http/smtp.ts';
import { startProcess } from '../../../../test/kit/processes/process.ts';
import { transaction } from '../../../platform/database/db.ts';
import type { Queue } from '../../../platform/queue/queue.ts';

type Received = ReceivedMail & { recipient: string };
type Step = 'rcpt' | 'data';

const inbox: Received[] = [];
/** The rejections that the server sends, by address. They contain the token from the email. */
const refusals = new Map<string, { step: Step; code: number; times: number }>();
let delayMs = 0;
let receiving = 0;
let server: Awaited<ReturnType<typeof startServer>>;
let app: TestApp;
const workers: Queue[] = [];

beforeAll(async () => {
  server = await startServer();
  const env = {
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    MAIL_FROM: 'Ace <no-reply@mail.example>',
    BRAND_NAME: 'Ace',
  };
  app = await startApp({ env: { ...env, LOG_LEVEL: 'trace' } });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  await sql`delete from graphile_worker._private_jobs`.execute(app.db);
  inbox.length = 0;
  delayMs = 0;
  app.lines.length = 0;
});
afterAll(async () => {
  await app.stop();
  await server.close();
});

const newAddress = () => `p_${randomBytes(6).toString('hex')}@player.example`;
const newToken = () => randomBytes(24).toString('hex');
const start = () => workers.push(startMailWorker(app));

function sendVerification(to: string, token: string, language = 'en') {
  const data = { link: `https://site.example/verify-email?token=${token}`, hours: 24 };
  return transaction(app.db, (tx) =>
    app.services.mail.send(tx, { to, language, template: 'verify-email', data }),
  );
}

type Row = { attempts: number; max_attempts: number; last_error: string | null };
async function jobs(): Promise<Row[]> {
  return (
    await sql<Row>`select attempts, max_attempts, last_error from graphile_worker.jobs order by id`.execute(
      app.db,
    )
  ).rows;
}
const errors = () => app.lines.map((line) => JSON.parse(line)).filter((line) => line.level === 'error');

test('sends an email once if the transaction commits, and none if it rolls back', async () => {
  start();
  const [undone, done, token] = [newAddress(), newAddress(), newToken()];
  const data = { link: 'https://site.example/x', hours: 24 };
  const failed = transaction(app.db, async (tx) => {
    await app.services.mail.send(tx, { to: undone, language: 'en', template: 'verify-email', data });
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  await sendVerification(done, token, 'de-AT');
  await until(() => inbox.length > 0);
  await until(async () => (await jobs()).length === 0);
  expect(inbox.map((mail) => mail.recipient)).toEqual([done]);
  const [mail] = inbox;
  expect(mail).toMatchObject({
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse für Ace',
    from: { name: 'Ace', address: 'no-reply@mail.example' },
    to: [{ address: done }],
  });
  for (const part of [mail!.text, mail!.html]) expect(part).toContain(`verify-email?token=${token}`);
  expect(mail!.headers).toContainEqual(
    expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
  );
  expect(mail!.messageId).toMatch(/^<[0-9a-f-]{36}@mail\.example>$/);
});

test('keeps the contents of an email out of the queue and the log', async () => {
  const [to, token] = [newAddress(), newToken()];
  refusals.set(to, { step: 'data', code: 451, times: 1 });
  await sendVerification(to, token);
  const stored = async () =>
    (await sql<{ row: string }>`select j::text as row from graphile_worker._private_jobs j`.execute(app.db))
      .rows;
  const assertSealed = (texts: string[]) => {
    expect(texts.length).toBeGreaterThan(0);
    const everything = texts.join('\n');
    for (const secret of [
      token,
      to,
      'site.example/verify',
      Buffer.from(token).toString('base64').slice(0, 40),
    ])
      expect(everything).not.toContain(secret);
  };
  assertSealed((await stored()).map(({ row }) => row));
  start();
  await until(async () => (await jobs())[0]?.last_error != null);
  // The text of the rejection quotes the email, so it must not be stored anywhere.
  assertSealed((await stored()).map(({ row }) => row));
  await until(() => inbox.length === 1);
  await until(async () => (await jobs()).length === 0);
  assertSealed(app.lines);
});

test('retries after a 451 response with the Message-ID of the first attempt', async () => {
  const to = newAddress();
  refusals.set(to, { step: 'data', code: 451, times: 1 });
  await sendVerification(to, newToken());
  const { rows } = await sql<{
    id: string;
  }>`select payload->>'id' as id from graphile_worker._private_jobs`.execute(app.db);
  start();
  await until(async () => (await jobs())[0]?.last_error != null);
  expect((await jobs())[0]).toMatchObject({
    attempts: 1,
    last_error: 'the mail server did not take a mail: EMESSAGE 451 4.3.0 at DATA',
  });
  await until(() => inbox.length === 1);
  expect(inbox[0]!.messageId).toBe(`<${rows[0]!.id}@mail.example>`);
  expect(errors()).toEqual([]);
});

test('moves an email to the dead letters after a 550 response, and logs neither address nor token', async () => {
  const [to, token] = [newAddress(), newToken()];
  refusals.set(to, { step: 'rcpt', code: 550, times: 99 });
  await sendVerification(to, token);
  start();
  await until(() => errors().length === 1);
  await until(async () => (await jobs())[0]?.last_error != null);
  const [dead] = await jobs();
  expect(dead!.attempts).toBe(dead!.max_attempts);
  expect(errors()[0]).toMatchObject({
    job: 'mail.send',
    error: 'the mail server did not take a mail: EENVELOPE 550 5.1.1 at RCPT TO',
  });
  expect(app.lines.join()).not.toContain(token);
  expect(app.lines.join()).not.toContain(to);
});

test('sends no email unless the recipient is a single address', async () => {
  start();
  for (const to of [
    'a@player.example, b@player.example',
    'a@player.example\r\nRCPT TO:<b@player.example>',
    'nobody',
  ])
    await sendVerification(to, newToken());
  await until(() => errors().length === 3);
  expect(inbox).toEqual([]);
});

test('sends each email only once when two workers run', async () => {
  start();
  start();
  const addresses = Array.from({ length: 12 }, newAddress);
  await Promise.all(addresses.map((to) => sendVerification(to, newToken())));
  await until(async () => (await jobs()).length === 0);
  expect(inbox).toHaveLength(addresses.length);
  expect(new Set(inbox.map((mail) => mail.recipient))).toEqual(new Set(addresses));
  expect(new Set(inbox.map((mail) => mail.messageId)).size).toBe(addresses.length);
});

test('finishes sending the current email when the worker closes', async () => {
  delayMs = 500;
  const worker = startMailWorker(app);
  await sendVerification(newAddress(), newToken());
  await until(() => receiving === 1);
  await worker.close();
  expect(inbox).toHaveLength(1);
  expect(await jobs()).toEqual([]);
});

test.each(['javascript:alert(1)', 'https://user:word@site.example/x', 'https:///site.example/x'])(
  'rejects the link %s before it queues the email',
  async (link) => {
    const data = { link, hours: 24 };
    const sending = transaction(app.db, (tx) =>
      app.services.mail.send(tx, { to: newAddress(), language: 'en', template: 'verify-email', data }),
    );
    await expect(sending).rejects.toThrow('link');
    expect(await jobs()).toEqual([]);
  },
);

test('sends emails from the worker process, which exits on a signal', async () => {
  const { APP_ENV, SMTP_URL, MAIL_FROM, JWT_SECRET, SEED_SECRET, DATA_SECRET } = app.config;
  const worker = await startProcess(
    {
      APP_ENV,
      SMTP_URL,
      MAIL_FROM,
      JWT_SECRET,
      SEED_SECRET,
      DATA_SECRET,
      ALLOW_UNSAFE_DATABASE: 'true',
      DATABASE_URL: app.database.url,
      WORKER_PORT: '0',
    },
    'worker',
  );
  const to = newAddress();
  await sendVerification(to, newToken());
  await until(() => inbox.length === 1);
  expect(await worker.end(), worker.output()).toBe(0);
  expect(inbox[0]!.recipient).toBe(to);
});

function startServer() {
  return startSmtpServer({
    admit: (address) => refusalOf(address, 'rcpt', address),
    async receive(mail) {
      const recipient = mail.recipients[0]!;
      receiving++;
      await sleep(delayMs);
      receiving--;
      const refusal = refusalOf(recipient, 'data', mail.text ?? '');
      if (!refusal) inbox.push({ ...mail, recipient });
      return refusal;
    },
  });
}

/** A rejection whose text quotes the content of the email, as content filters do. */
function refusalOf(address: string, step: Step, words: string): Error | null {
  const refusal = refusals.get(address);
  if (refusal?.step !== step || refusal.times-- <= 0) return null;
  const status = refusal.code === 451 ? '4.3.0' : '5.1.1';
  const line = `${status} refused: ${words.replace(/\s+/g, ' ').slice(0, 800)}`;
  return Object.assign(new Error(line), { responseCode: refusal.code });
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUp = performance.now() + 15_000;
  while (!(await condition())) {
    if (performance.now() > giveUp) throw new Error('did not happen');
    await sleep(10);
  }
}

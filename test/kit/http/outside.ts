import { setTimeout as sleep } from 'node:timers/promises';
import type { Mail } from '../../../sandbox/inbox-page.ts';
import { startSandbox } from '../../../sandbox/server.ts';
import { assertNothingLeaked, seeMail } from './canaries.ts';

export type { Mail } from '../../../sandbox/inbox-page.ts';
export { signInAtOidc, signInAtOpenid } from '../../../sandbox/visitor.ts';

export type Outside = Awaited<ReturnType<typeof startOutside>>;

/** Selects an email by its subject (text or pattern) or by a predicate. */
export type MailChoice = string | RegExp | ((mail: Mail) => boolean);

const MAIL_WITHIN_MS = 10_000;

/** Starts the external services on their own ports: captcha, email, identity providers, site. */
export async function startOutside() {
  let api = 'http://127.0.0.1:3000';
  const sandbox = await startSandbox({ port: 0, host: '127.0.0.1', apiUrl: () => api });
  const post = async (path: string, body: object) => {
    const answer = await fetch(sandbox.url + path, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { token: string };
  };
  const inbox = async (to: string): Promise<Mail[]> => {
    const answer = await fetch(`${sandbox.url}/inbox.json?${new URLSearchParams({ to })}`);
    return (await answer.json()) as Mail[];
  };
  return {
    url: sandbox.url,
    smtpPort: sandbox.smtpPort,
    /** Settings that point the platform to these services. */
    env: sandbox.env,
    /** Returns the emails to an address, newest first. */
    inbox,
    /** Waits for a matching email to an address. Returns the newest one. */
    waitForMail: async (to: string, which?: MailChoice): Promise<Mail> => {
      const end = Date.now() + MAIL_WITHIN_MS;
      for (;;) {
        const mails = await inbox(to);
        const found = mails.find((mail) => isMeant(mail, which));
        if (found) return found;
        if (Date.now() > end) {
          const others = mails.map(({ subject }) => subject).join('; ') || 'none';
          throw new Error(`no mail to ${to} like ${which ?? 'any'}; there are: ${others}`);
        }
        await sleep(25);
      }
    },
    /** Returns a single-use captcha token. */
    solve: async () => (await post('/captcha/token', {})).token,
    /** Makes an external service misbehave. The modes are documented on the sandbox's page at /. */
    behave: async (
      service:
        | 'captcha'
        | 'inbox'
        | 'oidc'
        | 'openid'
        | 'skins'
        | 'kyc'
        | 'chain'
        | 'breached-passwords'
        | 'crm',
      mode: string,
    ) => void (await post(`/${service}/behaviour`, { mode })),
    /** Returns the requests that the service for breached passwords received. */
    askedOfPasswords: async () =>
      (await (await fetch(`${sandbox.url}/breached-passwords/asked`)).json()) as {
        prefix: string;
        isPadded: boolean;
      }[],
    /** Adds blocks to the public chain. */
    findBlocks: async (count: number) => void (await post('/chain/blocks', { count })),
    /** Sets the address of the main API that the site uses. */
    setApi: (url: string) => {
      api = url;
    },
    async close() {
      for (const mail of await everyMail(sandbox.url)) seeMail(mail);
      await sandbox.close();
      assertNothingLeaked();
    },
  };
}

/** Returns all emails that a sandbox has received. */
export const everyMail = async (sandboxUrl: string): Promise<Mail[]> =>
  (await fetch(`${sandboxUrl}/inbox.json`)).json() as Promise<Mail[]>;

function isMeant(mail: Mail, which: MailChoice = () => true): boolean {
  if (typeof which === 'function') return which(mail);
  return typeof which === 'string' ? mail.subject === which : which.test(mail.subject);
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Mail } from '../../sandbox/inbox-page.ts';
import { startSandbox } from '../../sandbox/server.ts';
import { assertNothingLeaked, seeMail } from './canaries.ts';

export type { Mail } from '../../sandbox/inbox-page.ts';
export { signInAtOidc, signInAtOpenid } from '../../sandbox/visitor.ts';

export type Outside = Awaited<ReturnType<typeof startOutside>>;

/** Which of somebody's mails is meant: its subject, whole or by a pattern, or a question about it. */
export type MailChoice = string | RegExp | ((mail: Mail) => boolean);

const MAIL_WITHIN_MS = 10_000;

/** The outside world on ports of its own: captcha, mail, identity providers, site. */
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
    /** The settings that point the platform here. */
    env: sandbox.env,
    /** The mails to an address, newest first. */
    inbox,
    /** The newest mail to an address, once it is there. */
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
    /** A captcha token that counts once. */
    solve: async () => (await post('/captcha/token', {})).token,
    /** Makes a service misbehave; the sandbox's page at / says how. */
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
    /** What the service of breached passwords was asked. */
    askedOfPasswords: async () =>
      (await (await fetch(`${sandbox.url}/breached-passwords/asked`)).json()) as {
        prefix: string;
        isPadded: boolean;
      }[],
    /** More blocks of the public chain are found. */
    findBlocks: async (count: number) => void (await post('/chain/blocks', { count })),
    /** Tells the site where the main API listens. */
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

/** What a sandbox has received. */
export const everyMail = async (sandboxUrl: string): Promise<Mail[]> =>
  (await fetch(`${sandboxUrl}/inbox.json`)).json() as Promise<Mail[]>;

function isMeant(mail: Mail, which: MailChoice = () => true): boolean {
  if (typeof which === 'function') return which(mail);
  return typeof which === 'string' ? mail.subject === which : which.test(mail.subject);
}

import type { Config } from '../config/config.ts';
import type { Log } from '../observability/log.ts';

export type Mailer = ReturnType<typeof createMailer>;
export type OutgoingMail = {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The message id (`name@domain`). It is the same when an email is sent again, so that servers drop the duplicate. */
  messageId?: string;
  headers?: Readonly<Record<string, string>>;
};

/**
 * The email was not accepted. The error message contains the step and the codes, never the server's text, which may repeat the address or
 * the content. `isPermanent` is true if retrying this email is useless.
 */
export class MailFailed extends Error {
  readonly isPermanent: boolean;

  constructor(message: string, isPermanent: boolean) {
    super(message);
    this.isPermanent = isPermanent;
  }
}

const TIMEOUT_MS = 10_000;
const CONNECTIONS = 4;

/** Sends email through the server of SMTP_URL, over a few connections that stay open while there is email to send. */
export function createMailer(config: Config, log: Log) {
  const open = async () => {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport(
      {
        url: config.SMTP_URL,
        pool: true,
        maxConnections: CONNECTIONS,
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        dnsTimeout: TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      },
      { from: config.MAIL_FROM },
    );
    transport.on('error', (error) => log.warn({ error: failureOf(error).message }, 'the mail server failed'));
    return transport;
  };
  /** The transport is created when the first email is sent, because most processes send none. */
  let opening: ReturnType<typeof open> | undefined;
  return {
    /** Resolves once the server has accepted the email for its single recipient. Throws MailFailed. */
    async send({ to, subject, text, html, messageId, headers = {} }: OutgoingMail): Promise<void> {
      assertAddress(to);
      for (const [name, value] of Object.entries(headers)) assertHeader(name, value);
      const mail = {
        // An address passed as an object is a single address. A string could contain a list of addresses.
        to: { name: '', address: to },
        subject: oneLine(subject),
        text,
        html,
        headers: { 'Auto-Submitted': 'auto-generated', ...headers },
        ...(messageId === undefined ? {} : { messageId: `<${oneLine(messageId)}>` }),
      };
      opening ??= open();
      const transport = await opening;
      await transport.sendMail(mail).catch((error: unknown) => {
        throw failureOf(error);
      });
    },
    /** Connects and signs in. Throws MailFailed. */
    async verify(): Promise<void> {
      opening ??= open();
      const transport = await opening;
      await transport.verify().catch((error: unknown) => {
        throw failureOf(error, 'cannot be used');
      });
    },
    async close(): Promise<void> {
      (await opening)?.close();
    },
  };
}

/** Rejects address lists, display names and line breaks, because the address is sent in an SMTP command. */
function assertAddress(address: string): void {
  const isOne =
    address.length <= 254 && /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u.test(address);
  if (!isOne) throw new MailFailed('a mail needs exactly one recipient address', true);
}

function assertHeader(name: string, value: string): void {
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(name) || /\p{Cc}/u.test(value))
    throw new MailFailed('a mail header needs a plain name and a single-line value', true);
}

const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

/**
 * Converts an error. A rejection of the recipient or the message is permanent. An error with the sender, the password or the connection can
 * be fixed, so a retry may succeed.
 */
function failureOf(error: unknown, what = 'did not take a mail'): MailFailed {
  if (error instanceof MailFailed) return error;
  const { code, responseCode, command, response } = error as Readonly<Record<string, unknown>>;
  const status = typeof responseCode === 'number' ? responseCode : undefined;
  const detail =
    typeof response === 'string' ? /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] : undefined;
  const facts = [code, status, detail, command && `at ${String(command)}`].filter(Boolean).join(' ');
  const isPermanent = (status ?? 0) >= 500 && (command === 'RCPT TO' || command === 'DATA');
  return new MailFailed(`the mail server ${what}: ${facts || 'no reason given'}`, isPermanent);
}

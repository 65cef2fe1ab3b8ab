import { randomUUID } from 'node:crypto';
import type { Config } from '../../../platform/config/config.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { createMailer, MailFailed } from '../../../platform/net/smtp.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { addJob, JobHopeless } from '../../../platform/queue/queue.ts';
import { createEncryption, dataSecret } from '../../../platform/secrets/encryption.ts';
import { languageOf } from './languages.ts';
import { Letter, MailData, type MailInput, MailJob, type Template } from './schemas.ts';

export type Mail = ReturnType<typeof createMail>;

/** The task that sends one email. */
export const SEND_MAIL = 'mail.send';

/**
 * Sends emails to users. Stores an encrypted task in the caller's transaction. The worker decrypts it, renders the email and sends it. The
 * task is encrypted because links contain tokens, of which the database otherwise stores only hashes.
 */
export function createMail({ config, log }: { config: Config; log: Log }) {
  const encryption = createEncryption(dataSecret(config), 'mail');
  const load = async () =>
    (await import('./render.ts')).createRender({ brand: config.BRAND_NAME, site: config.SITE_URL });
  /** The renderer is loaded when the first email is sent, because most processes send none. */
  let loading: ReturnType<typeof load> | undefined;
  const mailer = createMailer(config, log);
  const domain = domainOf(config.MAIL_FROM);
  return {
    /**
     * Sends an email if `tx` commits. `language` is the user's language tag (`de-AT`). Links must be http or https URLs and are included
     * unchanged. Throws if the data does not match the template.
     */
    async send<T extends Template>(
      tx: Tx,
      {
        to,
        language,
        template,
        data,
      }: { to: string; language?: string | null; template: T; data: MailInput<T> },
    ): Promise<void> {
      const letter: Letter = Letter.parse({
        to,
        language: languageOf(language),
        data: MailData[template].parse(data),
      });
      const sealed = encryption.seal(Buffer.from(JSON.stringify(letter))).toString('base64');
      await addJob(tx, SEND_MAIL, { id: randomUUID(), template, sealed } satisfies MailJob);
    },

    /** Decrypts, renders and sends the email of a task. Throws JobHopeless if the mail server will never accept it. */
    async deliver(payload: unknown): Promise<void> {
      const { id, template, sealed } = MailJob.parse(payload);
      const { to, language, data } = Letter.parse(
        JSON.parse(encryption.open(Buffer.from(sealed, 'base64')).toString()),
      );
      loading ??= load();
      const render = await loading;
      const { subject, html, text } = render(template, languageOf(language), MailData[template].parse(data));
      try {
        await mailer.send({ to, subject, html, text, messageId: `${id}@${domain}` });
      } catch (error) {
        if (error instanceof MailFailed && error.isPermanent) throw new JobHopeless(error.message);
        throw error;
      }
    },

    /** Closes the connections to the mail server. */
    close: mailer.close,
  };
}

/** Returns the domain of the sender's address, which may include a display name. */
function domainOf(from: string): string {
  return /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
}

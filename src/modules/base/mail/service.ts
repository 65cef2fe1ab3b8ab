import { randomUUID } from 'node:crypto';
import type { Config } from '../../../platform/config.ts';
import type { Tx } from '../../../platform/db.ts';
import { createEncryption } from '../../../platform/encryption.ts';
import type { Log } from '../../../platform/log.ts';
import { addJob, JobHopeless } from '../../../platform/queue.ts';
import { createMailer, MailFailed } from '../../../platform/smtp.ts';
import { languageOf } from './languages.ts';
import { Letter, MailData, type MailInput, MailJob, type Template } from './schemas.ts';

export type Mail = ReturnType<typeof createMail>;

/** The name of the job that sends one mail. */
export const SEND_MAIL = 'mail.send';

/**
 * Mails to users. They leave with the caller's transaction: a job is stored with it, sealed, since links carry tokens of
 * which the database keeps hashes only; the worker opens, renders and sends it.
 */
export function createMail({ config, log }: { config: Config; log: Log }) {
  const encryption = createEncryption(config.DATA_SECRET, 'mail');
  const load = async () =>
    (await import('./render.ts')).createRender({ brand: config.BRAND_NAME, site: config.SITE_URL });
  /** Templates are read with the first mail: most processes send none. */
  let loading: ReturnType<typeof load> | undefined;
  const mailer = createMailer(config, log);
  const domain = domainOf(config.MAIL_FROM);
  return {
    /**
     * Sends a mail if `tx` commits. `language` is the user's (`de-AT`); links are http or https and are printed as they are.
     * Throws when the data does not fit the template: that is a mistake of the caller.
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

    /** Opens, renders and sends the mail of a job. JobHopeless when it will never be accepted. */
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

    /** Lets go of the mail server. */
    close: mailer.close,
  };
}

/** The part behind the @ of the sender's address, with or without a name before it. */
function domainOf(from: string): string {
  return /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
}

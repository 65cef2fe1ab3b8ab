import { z } from 'zod';
import { WebUrl } from '../../../platform/net/schemas.ts';

/** A link in an email. It must be an http or https URL, so that it opens only in a browser. */
const Link = WebUrl.max(2000);
const Moment = z.iso.datetime();

/** A short line of text that a client sent. A fact is null if it is unknown, and is then not shown. */
const Fact = z
  .string()
  .nullable()
  .transform((text) =>
    (text ?? '')
      .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
      .trim()
      .slice(0, 100),
  );

/** The data of each email, by template. `country` is an ISO 3166 code; times are ISO 8601 in UTC. */
export const MailData = {
  'verify-email': z.strictObject({ link: Link, hours: z.int().positive() }),
  'reset-password': z.strictObject({ link: Link, minutes: z.int().positive() }),
  'new-device': z.strictObject({
    device: Fact,
    browser: Fact,
    os: Fact,
    country: Fact,
    ip: Fact,
    at: Moment,
  }),
  'mfa-changed': z.strictObject({
    change: z.enum([
      'enabled',
      'disabled',
      'reset',
      'recovery-code-used',
      'passkey-added',
      'passkey-removed',
      'passkey-copied',
    ]),
    passkey: Fact,
    at: Moment,
  }),
  'email-change-old': z.strictObject({ link: Link, hours: z.int().positive(), address: Fact }),
  'email-change-new': z.strictObject({ link: Link, hours: z.int().positive() }),
  'email-changed': z.strictObject({ at: Moment, address: Fact }),
  'already-registered': z.strictObject({ signInLink: Link, resetLink: Link }),
  'password-changed': z.strictObject({ at: Moment }),
  'sign-in-failures': z.strictObject({ at: Moment, resetLink: Link }),
  'return-alert': z.strictObject({ game: Fact, bets: Fact, actual: Fact, band: Fact, at: Moment }),
  'uniformity-alert': z.strictObject({ game: Fact, rounds: Fact, chance: Fact, at: Moment }),
};

export type Template = keyof typeof MailData;
/** The data as callers pass it, before validation. */
export type MailInput<T extends Template> = z.input<(typeof MailData)[T]>;

/** The email that a task contains in encrypted form. */
export const Letter = z.strictObject({
  // The address is not validated further, because a sign-in must not fail if mail servers would reject the user's address.
  to: z.string().min(1).max(320),
  language: z.string(),
  data: z.unknown(),
});
export type Letter = z.output<typeof Letter>;

/** The payload of the task. All its confidential data is in `sealed`. */
export const MailJob = z.object({
  id: z.uuid(),
  template: z.enum(Object.keys(MailData) as [Template, ...Template[]]),
  sealed: z.base64(),
});
export type MailJob = z.output<typeof MailJob>;

import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { SuccessResponse, strictObject } from '../../../http/schemas.ts';
import { type DbOrTx, type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { emitEvent } from '../../base/events/service.ts';
import { userErrors, userEvents } from '../../base/users/schemas.ts';
import { fieldNamesOf, readReport } from '../../base/webhooks/report.ts';
import { type CrmDeps, CrmUserPath, excludedUntil, getCrmUser, keyed } from './key.ts';

const CONSENT_TYPES = [
  'email',
  'sms',
  'telephone',
  'postMail',
  'siteNotification',
  'pushNotification',
] as const;
type ConsentType = (typeof CONSENT_TYPES)[number];

const CrmConsent = strictObject('CrmConsent', { type: z.enum(CONSENT_TYPES), opted_in: z.boolean() });
const NewConsents = z.strictObject({
  consents: z
    .array(CrmConsent)
    .min(1)
    .max(CONSENT_TYPES.length)
    .refine((all) => new Set(all.map(({ type }) => type)).size === all.length, 'needs each type once'),
});

const OptedIn = z
  .union([z.boolean(), z.enum(['true', 'false', '1', '0', 'yes', 'no']), z.literal(1), z.literal(0)])
  .transform(
    (given) => given === true || given === 1 || given === 'true' || given === '1' || given === 'yes',
  );
const LenientOptedIn = z.preprocess(
  (text) => (typeof text === 'string' ? text.trim().toLowerCase() : text),
  OptedIn,
);
const ReportedConsent = z.looseObject({ type: z.string().max(100), opted_in: LenientOptedIn });
/**
 * A more tolerant schema for parsing. A report must not be rejected because of its format, because the player has already given or
 * withdrawn these consents.
 */
const ReportedConsents = z.object({
  consents: z.union([z.array(ReportedConsent).min(1).max(100), ReportedConsent.transform((one) => [one])]),
});

/** Known field names. Unknown names are counted in a metric. */
const FIELDS: ReadonlySet<string> = new Set(['consents', 'type', 'opted_in']);

/** The label of the CRM in the metrics of partners. */
const CRM = 'crm';

const ofUser = {
  ...keyed,
  path: '/marketing/userconsents/{userId}',
  params: CrmUserPath,
  errors: [commonErrors.API_KEY_INVALID, userErrors.USER_NOT_FOUND],
} as const;

/** The email consent is the player's setting `isEmailNotificationsEnabled`. All other consents are off until the player agrees. */
export const getConsents = operation({
  ...ofUser,
  method: 'GET',
  summary: "Get a user's marketing consents",
  description: 'For self-excluded users every consent is false.',
  response: z.object({ consents: z.array(CrmConsent) }),
  handler: async ({ db }: CrmDeps, { params }) => {
    const user = await getCrmUser(db, params.userId);
    const isExcluded = (await excludedUntil(db, user.id)) !== null;
    const stored = await consentsOf(db, user.id);
    const isIn = (type: ConsentType) =>
      type === 'email' ? user.is_email_notifications_enabled : (stored.get(type) ?? false);
    return { consents: CONSENT_TYPES.map((type) => ({ type, opted_in: !isExcluded && isIn(type) })) };
  },
});

/** Ignores unknown fields and types and counts them in a metric. The report is not rejected, because the player has already decided. */
export const storeConsents = operation({
  ...ofUser,
  method: 'POST',
  gate: 'none',
  summary: "Store a user's marketing consents",
  description:
    'Consent types that the request omits do not change. `email` sets `isEmailNotificationsEnabled`. Unknown types and fields are ' +
    'ignored.',
  body: NewConsents,
  status: 200,
  response: SuccessResponse,
  isRaw: true,
  handler: async ({ db, partnerReports }: CrmDeps, { params, notice }) => {
    const { raw } = notice!;
    const reported = readReport(raw, ReportedConsents).consents;
    const { id: userId } = await getCrmUser(db, params.userId);
    const names = [...fieldNamesOf(raw), ...reported.flatMap((consent) => Object.keys(consent))];
    partnerReports.countFields(
      CRM,
      names.filter((name) => !FIELDS.has(name)),
    );
    const consents = new Map<ConsentType, boolean>();
    for (const { type: name, opted_in: given } of reported) {
      const type = CONSENT_TYPES.find((one) => one.toLowerCase() === name.trim().toLowerCase());
      if (!type) partnerReports.countType(CRM, name);
      // If a type occurs twice with different values, the player is treated as not having consented.
      else consents.set(type, given && (consents.get(type) ?? true));
    }
    await transaction(db, async (tx) => {
      for (const [type, isOptedIn] of consents) await storeConsent(tx, userId, { type, isOptedIn });
      if (consents.size > 0) await emitEvent(tx, { event: userEvents['user.consents'], userId, data: {} });
    });
    return { success: true };
  },
});

async function consentsOf(db: DbOrTx, userId: number): Promise<Map<string, boolean>> {
  const rows = await db
    .selectFrom('consents')
    .select(['type', 'opted_in'])
    .where('user_id', '=', userId)
    .execute();
  return new Map(rows.map(({ type, opted_in }) => [type, opted_in]));
}

async function storeConsent(
  tx: Tx,
  userId: number,
  { type, isOptedIn }: { type: ConsentType; isOptedIn: boolean },
): Promise<void> {
  if (type === 'email')
    await tx
      .updateTable('users')
      .set({ is_email_notifications_enabled: isOptedIn, updated_at: sql<Date>`now()` })
      .where('id', '=', userId)
      .execute();
  else
    await sql`insert into consents (user_id, type, opted_in) values (${userId}, ${type}, ${isOptedIn})
      on conflict (user_id, type) do update set opted_in = excluded.opted_in, updated_at = now()`.execute(tx);
}

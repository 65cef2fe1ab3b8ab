import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Decimal, object, Time } from '../../../http/schemas.ts';
import { commonErrors, invalidField } from '../../../platform/errors.ts';
import { dateOf } from '../../../platform/list/conditions.ts';
import { UserId } from '../../base/users/schemas.ts';
import { toShortPublicUser } from '../../base/users/service.ts';
import type { AffiliateDeps } from './accounts.ts';
import { keyOf, reportDays } from './rules.ts';
import { affiliateErrors, CodeId } from './schemas.ts';
import { formatUsd } from './view.ts';

const ExternalReferralRow = object('ExternalReferralRow', {
  wagered: Decimal,
  deposited: Decimal,
  id: UserId.nullable().meta({ description: 'Null for hidden players.' }),
  username: z.string(),
  avatar: z.string().nullable(),
});

type Row = {
  id: number;
  username: string | null;
  avatar: string | null;
  vip_level: number;
  is_private: boolean;
  is_streamer_mode: boolean;
  wagered: string;
  deposited: string;
  read: number;
};

/** The maximum number of `referral_days` rows that one report adds up. */
const MOST_DAYS = 200_000;

export const getReport = operation({
  method: 'GET',
  path: '/external/affiliates',
  tag: 'Affiliates External',
  access: 'apikey',
  summary: "Get the wagers and deposits of a partner's referrals",
  description:
    "Returns players who signed up with the given codes and were active on the given days. Codes that do not belong to the key's owner are " +
    'ignored. Covers whole UTC days, at most 366; by default the 366 days up to today. Hidden players are returned as Incognito, with `id` ' +
    'and `avatar` null.',
  headers: z.object({ 'x-api-key': z.string().meta({ description: "A partner's API key." }) }),
  query: z.strictObject({
    codes: z.array(CodeId).min(1).max(100),
    startDate: Time.optional().meta({ description: 'First UTC day of the report.' }),
    endDate: Time.optional().meta({ description: 'Last UTC day of the report (inclusive).' }),
  }),
  response: z.array(ExternalReferralRow),
  errors: [commonErrors.API_KEY_INVALID, affiliateErrors.REPORT_TOO_LONG],
  handler: async ({ db, databaseClock }: AffiliateDeps, { client, query }) => {
    const { userId } = client!;
    const { codes, startDate, endDate } = query;
    const range = { start: dateOf(startDate), end: dateOf(endDate) };
    const days = reportDays(range, new Date(databaseClock.now()));
    if ('problem' in days) throw invalidField('startDate', days.problem);
    const keys = codes.map((code) => keyOf(code)!);
    const { rows } = await sql<Row>`
      with days as materialized (
        select d.user_id, d.wagered_usd, d.deposited_usd
        from referral_days d join referrals r on r.user_id = d.user_id
        where d.affiliate_user_id = ${userId} and d.day between ${days.from}::date and ${days.to}::date
          and r.code_key = any(array(select key from affiliate_codes where user_id = ${userId} and key = any(${keys}::text[]))) limit ${sql.lit(MOST_DAYS + 1)}
      )
      select u.id, u.username, u.avatar, u.vip_level, u.is_private, u.is_streamer_mode, sums.wagered, sums.deposited,
        (select count(*)::int from days) as read
      from (select user_id, sum(wagered_usd) as wagered, sum(deposited_usd) as deposited from days group by user_id) sums
      join users u on u.id = sums.user_id order by u.id`.execute(db);
    if ((rows[0]?.read ?? 0) > MOST_DAYS) throw affiliateErrors.REPORT_TOO_LONG({ most: MOST_DAYS });
    return rows.map((row) => {
      const { id, username, avatar } = toShortPublicUser(row, undefined);
      return {
        wagered: formatUsd(row.wagered),
        deposited: formatUsd(row.deposited),
        id,
        username,
        avatar,
      };
    });
  },
});

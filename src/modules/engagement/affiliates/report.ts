import { sql } from 'kysely';
import type { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { invalidField } from '../../../platform/errors.ts';
import { dateOf } from '../../../platform/list/conditions.ts';
import { toShortPublicUser } from '../../base/users/service.ts';
import { affiliateErrors } from './errors.ts';
import { usd } from './lists.ts';
import { keyOf, reportDays } from './rules.ts';
import type { ExternalReferralRow, ReportQuery } from './schemas.ts';

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

/** Days of referrals that one report adds up. */
const MOST_DAYS = 200_000;

/**
 * What a partner's referrals did on whole UTC days: those who came with the named codes, as far as these are the partner's own, and did
 * anything. Throws 400 VALIDATION_FAILED, REPORT_TOO_LONG.
 */
export const createReport =
  ({ db, clock }: { db: Db; clock: Clock }) =>
  async (
    userId: number,
    { codes, startDate, endDate }: z.output<typeof ReportQuery>,
  ): Promise<z.input<typeof ExternalReferralRow>[]> => {
    const days = reportDays({ start: dateOf(startDate), end: dateOf(endDate) }, new Date(clock.now()));
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
        wagered: usd(row.wagered),
        deposited: usd(row.deposited),
        ...(id === null ? {} : { id }),
        username,
        ...(avatar === null ? {} : { avatar }),
      };
    });
  };

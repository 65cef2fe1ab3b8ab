import { sql } from 'kysely';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import { errors } from '../../../platform/errors.ts';
import { formatUnits, type Units, units } from '../../../platform/money.ts';
import type { Mfa } from '../../accounts/auth/second-factor/prove.ts';
import { vipTermsOf } from '../../base/site-config/rewards/rules.ts';
import { offIn } from '../../base/site-config/rules.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { UserRow } from '../../base/users/service.ts';
import type { PlayerCountries, Sender } from '../../compliance/countries/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Grants } from '../../money/bonus/grants.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { Rollover } from '../../money/payments/rollover/service.ts';
import type { Chat } from '../chat/service.ts';
import { type Day, dailyLimit } from './rules.ts';

export const userTipErrors = errors({
  TIP_TO_SELF: [400, 'You cannot tip yourself. Choose another player.'],
  TIPS_DISABLED: [403, 'Tips are not available in your country.'],
  EMAIL_NOT_VERIFIED: [403, 'Verify your email address first.'],
  TIP_RECIPIENT_NOT_ELIGIBLE: [403, 'This player cannot receive tips.'],
  TIP_LIMIT_REACHED: [
    403,
    'The daily tip limit is reached. `details.side` says whose limit it is; GET /user-tips/limits shows yours.',
  ],
});

export type UserTipDeps = {
  db: Db;
  gate: Gate;
  playerCountries: Pick<PlayerCountries, 'of'>;
  siteConfig: Pick<SiteConfig, 'get'>;
  rollover: Pick<Rollover, 'add' | 'remaining'>;
  currencies: Pick<Currencies, 'find' | 'freshRate' | 'get' | 'toUsd'>;
  grants: Pick<Grants, 'assertNoneOpen' | 'openIn'>;
  mfa: Pick<Mfa, 'prove'>;
  chat: Pick<Chat, 'addTipLine'>;
};

/** Returns true if tips are enabled in all of a player's countries. `ip`: the IP address of the player's request, if there is one. */
export async function areTipsOn(
  db: DbOrTx,
  { siteConfig, playerCountries }: Pick<UserTipDeps, 'siteConfig' | 'playerCountries'>,
  player: Sender,
): Promise<boolean> {
  const { isEnabled, byCountry } = siteConfig.get('COMMON').tips;
  if (!isEnabled) return false;
  return offIn(byCountry, await playerCountries.of(db, player)) === undefined;
}

/** Throws 403 ROLLOVER_OPEN while a player has open turnover. */
export async function assertNoTurnover(
  tx: Tx,
  { rollover }: Pick<UserTipDeps, 'rollover'>,
  userId: number,
): Promise<void> {
  const wagerRemainingUsd = await rollover.remaining(tx, userId);
  if (wagerRemainingUsd > 0n)
    throw gateErrors.ROLLOVER_OPEN({ wagerRemainingUsd: formatUnits(wagerRemainingUsd) });
}

/**
 * Throws 403 TIP_RECIPIENT_NOT_ELIGIBLE if the recipient is banned, excluded, staff or in a country without tips, or if only one of the two
 * players is a test account. The error never contains the reason. The recipient must be locked.
 */
export async function assertMayReceive(
  tx: Tx,
  deps: UserTipDeps,
  { sender, recipient }: { sender: UserRow; recipient: UserRow },
): Promise<void> {
  const { id: userId, country_code: country } = recipient;
  const refusals = await deps.gate.refusals(tx, { action: 'transfer', userId, country });
  const isOpen = await areTipsOn(tx, deps, { userId });
  const isSeparate = recipient.is_staff || recipient.is_test !== sender.is_test;
  if (refusals.length > 0 || !isOpen || isSeparate) throw userTipErrors.TIP_RECIPIENT_NOT_ELIGIBLE();
}

/** The amounts that a player sent and received, in US dollars. */
type Moved = { sentUsd: Units; receivedUsd: Units };

/** The UTC date of the transaction. */
export const TODAY = sql`(now() at time zone 'UTC')::date`;

/** Returns the amounts that players have sent and received on the UTC day of the transaction, by user id. */
export async function readToday(db: DbOrTx, userIds: readonly number[]): Promise<Map<number, Moved>> {
  const { rows } = await sql<Moved & { userId: number }>`
    select user_id as "userId", sent_usd as "sentUsd", received_usd as "receivedUsd" from tip_days
    where user_id = any(${userIds}::int4[]) and day = ${TODAY}`.execute(db);
  const moved = new Map(rows.map((row) => [row.userId, row]));
  return new Map(userIds.map((id) => [id, moved.get(id) ?? { sentUsd: 0n, receivedUsd: 0n }]));
}

/** Returns the amounts that a player has sent and received on a day, each with the daily limit. */
export function daysOf(
  { siteConfig }: Pick<UserTipDeps, 'siteConfig'>,
  { vip_level: level }: UserRow,
  { sentUsd, receivedUsd }: Moved,
): { sent: Day; received: Day } {
  const { vip, tips } = siteConfig.get('COMMON');
  const levelUsd = units(vipTermsOf(vip.ladder, level).wageredUsd);
  const terms = { leastUsd: units(tips.dailyLimitUsd), wagerPercent: tips.dailyLimitWagerPercent };
  const limitUsd = dailyLimit(terms, levelUsd);
  return { sent: { usedUsd: sentUsd, limitUsd }, received: { usedUsd: receivedUsd, limitUsd } };
}

/** Returns the minimum tip in US dollars. */
export const minTipUsd = ({ siteConfig }: Pick<UserTipDeps, 'siteConfig'>): Units =>
  units(siteConfig.get('COMMON').tips.minUsd);

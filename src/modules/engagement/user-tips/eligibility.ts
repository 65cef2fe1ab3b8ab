import type { DbOrTx, Tx } from '../../../platform/db.ts';
import { formatUnits, type Units, units } from '../../../platform/money.ts';
import { findCountryOfRegistration } from '../../base/registration-info/service.ts';
import { vipTermsOf } from '../../base/site-config/rewards/rules.ts';
import { offIn } from '../../base/site-config/rules.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { UserRow } from '../../base/users/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Kyc } from '../../compliance/kyc/service.ts';
import type { Rollover } from '../../money/payments/rollover.ts';
import { userTipErrors } from './errors.ts';
import type { Moved } from './queries.ts';
import { type Day, dailyLimit } from './rules.ts';

export type MayDeps = {
  gate: Gate;
  kyc: Pick<Kyc, 'statedCountryOf'>;
  siteConfig: Pick<SiteConfig, 'get'>;
  rollover: Rollover;
};

/** Whether tips are on in every country that a player is known by; `here`: where their request comes from. */
export async function areTipsOn(
  db: DbOrTx,
  { siteConfig, kyc }: MayDeps,
  { user, here }: { user: UserRow; here: string | null },
): Promise<boolean> {
  const { isEnabled, byCountry } = siteConfig.get('COMMON').tips;
  if (!isEnabled) return false;
  const countries = [
    here,
    user.country_code,
    await findCountryOfRegistration(db, user.id),
    await kyc.statedCountryOf(db, user.id),
  ];
  return offIn(byCountry, countries) === undefined;
}

/** Throws 403 ROLLOVER_OPEN while a player has turnover to make. */
export async function assertNoTurnover(tx: Tx, { rollover }: MayDeps, userId: number): Promise<void> {
  const wagerRemainingUsd = await rollover.remaining(tx, userId);
  if (wagerRemainingUsd > 0n)
    throw gateErrors.ROLLOVER_OPEN({ wagerRemainingUsd: formatUnits(wagerRemainingUsd) });
}

/**
 * Throws 403 TIP_RECIPIENT_NOT_ELIGIBLE, which never says why: banned, excluded, in a country without tips, staff, or a test account whose money
 * is not that of the sender's world. The recipient must be locked.
 */
export async function assertMayReceive(
  tx: Tx,
  deps: MayDeps,
  { sender, recipient }: { sender: UserRow; recipient: UserRow },
): Promise<void> {
  const { id: userId, country_code: country } = recipient;
  const refusals = await deps.gate.refusals(tx, { action: 'transfer', userId, country });
  const isOpen = await areTipsOn(tx, deps, { user: recipient, here: null });
  const isOutside = recipient.is_staff || recipient.is_test !== sender.is_test;
  if (refusals.length > 0 || !isOpen || isOutside) throw userTipErrors.TIP_RECIPIENT_NOT_ELIGIBLE();
}

/** What a player has sent and received today, and how much they may. */
export function daysOf(
  { siteConfig }: Pick<MayDeps, 'siteConfig'>,
  { vip_level: level }: UserRow,
  { sentUsd, receivedUsd }: Moved,
): { sent: Day; received: Day } {
  const { vip, tips } = siteConfig.get('COMMON');
  const levelUsd = units(vipTermsOf(vip.ladder, level).wageredUsd);
  const terms = { leastUsd: units(tips.dailyLimitUsd), wagerPercent: tips.dailyLimitWagerPercent };
  const limitUsd = dailyLimit(terms, levelUsd);
  return { sent: { usedUsd: sentUsd, limitUsd }, received: { usedUsd: receivedUsd, limitUsd } };
}

export const leastTip = ({ siteConfig }: Pick<MayDeps, 'siteConfig'>): Units =>
  units(siteConfig.get('COMMON').tips.minUsd);

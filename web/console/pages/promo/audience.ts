import type { ReactNode } from 'react';
import type { PromoAdmin } from '../../../../client/call.ts';
import { exactMoney, list, moment, number, unit } from '../../../kit/intl.ts';
import { words } from '../../../kit/page.tsx';
import type { Draft } from './cost.ts';
import { countedDeposit } from './deposit.ts';

export type Facts = Readonly<Record<string, ReactNode>>;
type Conditions = PromoAdmin['conditions'];

/** True if a term is set. */
export const isSet = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0);

/** Returns the facts that are set. A zero is the same as no condition. */
export const withoutUnset = (facts: Facts): Facts =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => isSet(value) && value !== 0));

/** Describes a minimum amount, such as “$50 or more in the last 30 days”. */
function within(amount: string | null | undefined, days: number | null | undefined): string | undefined {
  if (!amount) return undefined;
  const least = `${exactMoney(amount, 'USD')} or more`;
  return days ? `${least} in the last ${unit(days, 'day', 'long')}` : least;
}

function periodOf({ registeredFrom, registeredTo }: Conditions): string | undefined {
  const parts = [
    registeredFrom && `from ${moment(registeredFrom)}`,
    registeredTo && `until ${moment(registeredTo)}`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' ') : undefined;
}

type Conditional = Pick<Draft, 'conditions' | 'reward'>;

/** The conditions that a player must meet, in words by label. Empty if there are none. */
export function conditionsOf({ conditions, reward }: Conditional, nameOf = (code: string) => code): Facts {
  const { minDepositUsd, minAccountAgeDays, minVipLevel, kycTier } = conditions;
  const named = (codes: readonly string[] | undefined) =>
    codes && codes.length > 0 && list(codes.map(nameOf));
  return withoutUnset({
    'Min deposit': minDepositUsd && `${exactMoney(minDepositUsd, 'USD')}, counting ${countedDeposit(reward)}`,
    'Total deposits': within(conditions.depositSumUsd, conditions.depositWindowDays),
    'Total wagered': within(conditions.turnoverUsd, conditions.turnoverWindowDays),
    'Signed up': periodOf(conditions),
    'Days since sign-up': minAccountAgeDays && `${number(minAccountAgeDays)} or more`,
    'VIP level from': minVipLevel && number(minVipLevel),
    Verification: kycTier && words(kycTier),
    'Referral codes': conditions.affiliateCodes?.join(', '),
    'Allowed countries': named(conditions.countriesAllow),
    'Excluded countries': named(conditions.countriesDeny),
    'Email address': conditions.emailVerified && 'Verified',
    'Per IP address': conditions.onePerIp && 'One player',
    'Per device': conditions.onePerDevice && 'One player',
  });
}

const AUDIENCES: Readonly<Record<Draft['type'], string>> = {
  WELCOME: 'New players, who see it in the lobby',
  DEPOSIT: 'All players, who see it in the lobby',
  CODE: 'Players with a code',
  MANUAL: 'Players to whom staff grant it',
};
const LIMITED_AUDIENCES: typeof AUDIENCES = {
  WELCOME: 'New players who meet the conditions',
  DEPOSIT: 'Players who meet the conditions',
  CODE: 'Players with a code who meet the conditions',
  MANUAL: 'Players who meet the conditions and get it from staff',
};

/** The players whom a promotion is for. Names conditions if there are any. */
export const audienceOf = (promo: Conditional & Pick<Draft, 'type'>): string =>
  (Object.keys(conditionsOf(promo)).length > 0 ? LIMITED_AUDIENCES : AUDIENCES)[promo.type];

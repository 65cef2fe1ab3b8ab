import type { Config } from '../../../platform/config.ts';
import type { Tx } from '../../../platform/db.ts';
import { derived } from '../../../platform/derived.ts';
import { formatUnits } from '../../../platform/money.ts';
import { emitEvent } from '../events/service.ts';
import { PASSWORD_RULE, USERNAME_RULE } from '../users/schemas.ts';
import { minStakeOf, pick } from './rules.ts';
import type { ConfigCode, ConfigOf, PublicConfigCode } from './schemas.ts';

/** Fields of a code that anybody may read: no limits that people could stay just below of. */
const PUBLIC_FIELDS = {
  COMMON: [
    ...(['isRegistrationOpen', 'isPlayOpen', 'isDepositOpen', 'maintenanceMessage', 'languages'] as const),
    ...(['defaultLanguage', 'supportEmail', 'isChatEnabled', 'minimumAge', 'termsUrl'] as const),
    ...(['privacyUrl', 'responsibleGamblingUrl', 'captchaSiteKey', 'minStakes'] as const),
    ...(['seriesByCountry', 'minBetIntervalMs', 'minBetIntervalMsByCountry'] as const),
    ...(['vip', 'rakeback', 'promo', 'leaderboards', 'tips', 'chat', 'comingSoon'] as const),
  ],
  BATTLES: [],
  AFFILIATES: [
    ...(['isEnabled', 'holdDays', 'codeMinLength', 'codeMaxLength', 'maxCodesPerUser'] as const),
    ...(['cookieDays', 'minClaimUsd', 'levels', 'depositCommissionPercent'] as const),
  ],
  WITHDRAWALS: ['isEnabled', 'minUsd', 'dailyLimitUsd', 'cancelByCountry', 'maxOpenPerUser'],
} as const satisfies { readonly [C in ConfigCode]: readonly (keyof ConfigOf<C>)[] };

/** The code under which the public fields of a code are read. */
const PUBLIC_CODES = { COMMON: 'USER', AFFILIATES: 'AFFILIATES', WITHDRAWALS: 'WITHDRAWALS' } as const;

type Get = <C extends ConfigCode>(code: C) => ConfigOf<C>;
type ListedCurrency = { readonly id: string; readonly decimals: number };
/** The currencies that are played with: their module comes later. */
export type ListedCurrencies = {
  list(): readonly ListedCurrency[];
  find(id: string): ListedCurrency | undefined;
};

type PublicDeps = { get: Get; config: Config; currencies: ListedCurrencies };

/** What anybody may read, field by field. */
export function createPublicConfig({ get, config, currencies }: PublicDeps) {
  const views: Record<PublicConfigCode, () => Record<string, unknown>> = {
    USER: derived(
      () => [get('COMMON'), currencies.list()],
      (common, listed) => ({
        ...pick(common, PUBLIC_FIELDS.COMMON),
        minStakes: minStakesOf(listed, common),
        brandName: config.BRAND_NAME,
        isActivitySimulated: config.BOT_ACTIVITY === 'disclosed',
        identityProviders: identityProviders(config),
        password: PASSWORD_RULE,
        username: USERNAME_RULE,
      }),
    ),
    AFFILIATES: derived(
      () => [get('AFFILIATES')],
      (affiliates) => pick(affiliates, PUBLIC_FIELDS.AFFILIATES),
    ),
    WITHDRAWALS: derived(
      () => [get('WITHDRAWALS')],
      (withdrawals) => pick(withdrawals, PUBLIC_FIELDS.WITHDRAWALS),
    ),
  };
  return (code: PublicConfigCode) => views[code]();
}

/** Of every currency that is played with. */
function minStakesOf(
  currencies: readonly ListedCurrency[],
  { minStakes }: ConfigOf<'COMMON'>,
): Record<string, string> {
  return Object.fromEntries(
    currencies.map((currency) => [currency.id, formatUnits(minStakeOf(currency, minStakes))]),
  );
}

/** Those that are configured: where to send the browser, and by which protocol. */
function identityProviders(config: Config) {
  return [
    { segment: config.IDP_A_SEGMENT, protocol: 'openid-connect', isOn: config.OIDC_ISSUER !== undefined },
    { segment: config.IDP_B_SEGMENT, protocol: 'openid-2.0', isOn: config.OPENID_ENDPOINT !== undefined },
  ].flatMap(({ segment, protocol, isOn }) =>
    isOn ? [{ name: segment, protocol, path: `/auth/${segment}` }] : [],
  );
}

/** Emits an event when public settings change, and one when the site closes, opens or has a message for everybody. */
export async function emitChanges(
  tx: Tx,
  code: ConfigCode,
  { changed, after }: { changed: readonly string[]; after: Record<string, unknown> },
): Promise<void> {
  const isPublic = (PUBLIC_FIELDS[code] as readonly string[]).some((name) => changed.includes(name));
  if (!isPublic || code === 'BATTLES') return;
  await emitEvent(tx, { event: 'config.changed', data: { code: PUBLIC_CODES[code] } });
  if (code !== 'COMMON') return;
  const { isPlayOpen, maintenanceMessage } = after as ConfigOf<'COMMON'>;
  if (!changed.includes('isPlayOpen') && !changed.includes('maintenanceMessage')) return;
  // The settings have no times: staff writes them into the message.
  const data = { isActive: !isPlayOpen, startsAt: null, endsAt: null, message: maintenanceMessage || null };
  await emitEvent(tx, { event: 'maintenance', data });
}

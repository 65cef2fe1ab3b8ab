import type { Config } from '../../../platform/config.ts';
import { formatUnits } from '../../../platform/money.ts';
import { PASSWORD_RULE, USERNAME_RULE } from '../users/schemas.ts';
import { minStakeOf, pick } from './rules.ts';
import type { ConfigCode, ConfigOf, PublicConfigCode } from './schemas.ts';

/** Fields of a code that anybody may read. Limits that help to stay below them are not among them. */
export const PUBLIC_FIELDS = {
  COMMON: [
    ...(['isRegistrationOpen', 'isPlayOpen', 'isDepositOpen', 'maintenanceMessage', 'languages'] as const),
    ...(['defaultLanguage', 'supportEmail', 'isChatEnabled', 'minimumAge', 'termsUrl'] as const),
    ...(['privacyUrl', 'responsibleGamblingUrl', 'captchaSiteKey', 'minStakes'] as const),
    ...(['seriesByCountry', 'minBetIntervalMs', 'minBetIntervalMsByCountry'] as const),
  ],
  BATTLES: [],
  AFFILIATES: [
    ...(['isEnabled', 'holdDays', 'codeMinLength', 'codeMaxLength', 'maxCodesPerUser'] as const),
    ...(['cookieDays', 'minClaimUsd'] as const),
  ],
  WITHDRAWALS: ['isEnabled', 'minUsd', 'dailyLimitUsd', 'cancelByCountry', 'maxOpenPerUser'],
} as const satisfies { readonly [C in ConfigCode]: readonly (keyof ConfigOf<C>)[] };

/** Under which code anybody reads what is public of a code. */
export const PUBLIC_CODES = { COMMON: 'USER', AFFILIATES: 'AFFILIATES', WITHDRAWALS: 'WITHDRAWALS' } as const;

type Get = <C extends ConfigCode>(code: C) => ConfigOf<C>;
type ListedCurrency = { readonly id: string; readonly decimals: number };
/** The currencies that are played with: their module comes later. */
export type ListedCurrencies = {
  list(): readonly ListedCurrency[];
  find(id: string): ListedCurrency | undefined;
};

/** What anybody may read, field by field. */
export function createPublicConfig({
  get,
  config,
  currencies,
}: {
  get: Get;
  config: Config;
  currencies: ListedCurrencies;
}) {
  const views: Record<PublicConfigCode, () => Record<string, unknown>> = {
    USER: () => ({
      ...pick(get('COMMON'), PUBLIC_FIELDS.COMMON),
      minStakes: minStakesOf(currencies, get('COMMON')),
      brandName: config.BRAND_NAME,
      identityProviders: identityProviders(config),
      password: PASSWORD_RULE,
      username: USERNAME_RULE,
    }),
    AFFILIATES: () => pick(get('AFFILIATES'), PUBLIC_FIELDS.AFFILIATES),
    WITHDRAWALS: () => pick(get('WITHDRAWALS'), PUBLIC_FIELDS.WITHDRAWALS),
  };
  return (code: PublicConfigCode) => views[code]();
}

/** Of every currency that is played with. */
function minStakesOf(
  currencies: ListedCurrencies,
  { minStakes }: ConfigOf<'COMMON'>,
): Record<string, string> {
  return Object.fromEntries(
    currencies.list().map((currency) => [currency.id, formatUnits(minStakeOf(currency, minStakes))]),
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

import type { Config } from '../../../platform/config/config.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { derived } from '../../../platform/derived.ts';
import { formatUnits } from '../../../platform/money.ts';
import { emitEvent } from '../events/service.ts';
import { PASSWORD_RULE, USERNAME_RULE } from '../users/schemas.ts';
import { minStakeOf, pick } from './rules.ts';
import type { ConfigCode, ConfigOf, PublicConfigCode } from './schemas.ts';
import { siteEvents } from './schemas.ts';

/** Public fields by code. Thresholds are omitted, because people could otherwise keep their amounts just below them. */
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
  WITHDRAWALS: [
    ...(['isEnabled', 'minUsd', 'dailyLimitUsd', 'depositTurnoverPercent'] as const),
    ...(['cancelByCountry', 'maxOpenPerUser'] as const),
  ],
} as const satisfies { readonly [C in ConfigCode]: readonly (keyof ConfigOf<C>)[] };

/** The public name of each code that has public fields. */
const PUBLIC_CODES = { COMMON: 'USER', AFFILIATES: 'AFFILIATES', WITHDRAWALS: 'WITHDRAWALS' } as const;

type Get = <C extends ConfigCode>(code: C) => ConfigOf<C>;
type ListedCurrency = { readonly id: string; readonly decimals: number };
/** The functions of the currencies module that are needed here. That module belongs to an area that is created after this one. */
export type ListedCurrencies = {
  list(): readonly ListedCurrency[];
  find(id: string): ListedCurrency | undefined;
};

type PublicDeps = { get: Get; config: Config; currencies: ListedCurrencies };

/** Returns a function that returns the public settings of a code. Every public field is listed explicitly. */
export function createPublicConfig({ get, config, currencies }: PublicDeps) {
  const views: Record<PublicConfigCode, () => Record<string, unknown>> = {
    USER: derived(
      () => [get('COMMON'), currencies.list()],
      (common, listed) => ({
        ...pick(common, PUBLIC_FIELDS.COMMON),
        minStakes: minStakesOf(listed, common),
        // Staff need a working captcha to sign in, so the key from the environment is used until a key is stored in the settings.
        captchaSiteKey: common.captchaSiteKey || (config.CAPTCHA_SITE_KEY ?? ''),
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

/** Returns the minimum stake of every currency. */
function minStakesOf(
  currencies: readonly ListedCurrency[],
  { minStakes }: ConfigOf<'COMMON'>,
): Record<string, string> {
  return Object.fromEntries(
    currencies.map((currency) => [currency.id, formatUnits(minStakeOf(currency, minStakes))]),
  );
}

/** Returns the configured identity providers, with their protocol and the path that starts a sign-in. */
function identityProviders(config: Config) {
  return [
    { segment: config.IDP_A_SEGMENT, protocol: 'openid-connect', isOn: config.OIDC_ISSUER !== undefined },
    { segment: config.IDP_B_SEGMENT, protocol: 'openid-2.0', isOn: config.OPENID_ENDPOINT !== undefined },
  ].flatMap(({ segment, protocol, isOn }) =>
    isOn ? [{ name: segment, protocol, path: `/auth/${segment}` }] : [],
  );
}

/** Emits an event when public settings change, and another one when play is enabled or disabled or the maintenance message changes. */
export async function emitChanges(
  tx: Tx,
  code: ConfigCode,
  { changed, after }: { changed: readonly string[]; after: Record<string, unknown> },
): Promise<void> {
  const isPublic = (PUBLIC_FIELDS[code] as readonly string[]).some((name) => changed.includes(name));
  if (!isPublic || code === 'BATTLES') return;
  await emitEvent(tx, { event: siteEvents['config.changed'], data: { code: PUBLIC_CODES[code] } });
  if (code !== 'COMMON') return;
  const { isPlayOpen, maintenanceMessage } = after as ConfigOf<'COMMON'>;
  if (!changed.includes('isPlayOpen') && !changed.includes('maintenanceMessage')) return;
  // The settings do not contain start or end times. Staff include them in the message.
  const data = { isActive: !isPlayOpen, startsAt: null, endsAt: null, message: maintenanceMessage || null };
  await emitEvent(tx, { event: siteEvents.maintenance, data });
}

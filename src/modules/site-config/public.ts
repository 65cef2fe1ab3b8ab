import type { Config } from '../../platform/config.ts';
import { PASSWORD_RULE, USERNAME_RULE } from '../users/schemas.ts';
import { pick } from './rules.ts';
import type { ConfigCode, ConfigOf, PublicConfigCode } from './schemas.ts';

type Get = <C extends ConfigCode>(code: C) => ConfigOf<C>;

/** What anybody may read, field by field. Limits that help to stay below them are not among it. */
export function createPublicConfig(get: Get, config: Config) {
  const views: Record<PublicConfigCode, () => Record<string, unknown>> = {
    USER: () => ({
      ...pick(get('COMMON'), [
        'isRegistrationOpen',
        'isPlayOpen',
        'isDepositOpen',
        'maintenanceMessage',
        'languages',
        'defaultLanguage',
        'supportEmail',
        'isChatEnabled',
        'minimumAge',
        'termsUrl',
        'privacyUrl',
        'responsibleGamblingUrl',
        'captchaSiteKey',
      ]),
      brandName: config.BRAND_NAME,
      identityProviders: identityProviders(config),
      password: PASSWORD_RULE,
      username: USERNAME_RULE,
    }),
    AFFILIATES: () =>
      pick(get('AFFILIATES'), [
        'isEnabled',
        'holdDays',
        'codeMinLength',
        'codeMaxLength',
        'maxCodesPerUser',
        'cookieDays',
        'minClaimUsd',
      ]),
    WITHDRAWALS: () => pick(get('WITHDRAWALS'), ['isEnabled', 'minUsd', 'dailyLimitUsd', 'maxOpenPerUser']),
  };
  return (code: PublicConfigCode) => views[code]();
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

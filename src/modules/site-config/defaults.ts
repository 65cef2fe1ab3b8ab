import type { ConfigCode, ConfigOf } from './schemas.ts';

/** What holds until a superadmin says something else. */
export const DEFAULTS: { readonly [C in ConfigCode]: ConfigOf<C> } = {
  COMMON: {
    isRegistrationOpen: true,
    maintenanceMessage: '',
    languages: ['en'],
    defaultLanguage: 'en',
    supportEmail: null,
    isChatEnabled: true,
    minimumAge: 18,
    termsUrl: null,
    privacyUrl: null,
    responsibleGamblingUrl: null,
    captchaSiteKey: '',
  },
  BATTLES: {
    isEnabled: false,
    maxPlayers: 4,
    minEntryUsd: '0.10',
    maxEntryUsd: '1000',
    maxOpenPerUser: 3,
    lobbyMinutes: 30,
  },
  AFFILIATES: {
    isEnabled: true,
    divisor: 1,
    holdDays: 0,
    codeMinLength: 3,
    codeMaxLength: 20,
    maxCodesPerUser: 10,
    cookieDays: 30,
    activeDays: 30,
    minClaimUsd: '0',
  },
  WITHDRAWALS: {
    isEnabled: true,
    minUsd: '1',
    dailyLimitUsd: null,
    autoApproveLimitUsd: '0',
    fourEyesThresholdUsd: '5000',
    kycThresholdUsd: '10000',
    kycSingleThresholdUsd: '10000',
    maxOpenPerUser: 3,
  },
};

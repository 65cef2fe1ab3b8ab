/** The declarations of all modules (declares.ts). Written by `npm run docs`, never by hand. */
import { declares as accountsApiKeys } from '../accounts/api-keys/declares.ts';
import { declares as accountsAuth } from '../accounts/auth/declares.ts';
import { declares as backofficeAccounting } from '../backoffice/accounting/declares.ts';
import { declares as backofficeCrm } from '../backoffice/crm/declares.ts';
import { declares as backofficeDashboards } from '../backoffice/dashboards/declares.ts';
import { declares as backofficeUserAdmin } from '../backoffice/user-admin/declares.ts';
import { declares as backofficeUserNotes } from '../backoffice/user-notes/declares.ts';
import { declares as complianceCountries } from '../compliance/countries/declares.ts';
import { declares as complianceKyc } from '../compliance/kyc/declares.ts';
import { declares as complianceLimits } from '../compliance/limits/declares.ts';
import { declares as engagementAdminTips } from '../engagement/admin-tips/declares.ts';
import { declares as engagementAffiliates } from '../engagement/affiliates/declares.ts';
import { declares as engagementBotActivity } from '../engagement/bot-activity/declares.ts';
import { declares as engagementChallenges } from '../engagement/challenges/declares.ts';
import { declares as engagementChat } from '../engagement/chat/declares.ts';
import { declares as engagementComingSoon } from '../engagement/coming-soon/declares.ts';
import { declares as engagementFaq } from '../engagement/faq/declares.ts';
import { declares as engagementLeaderboards } from '../engagement/leaderboards/declares.ts';
import { declares as engagementLimitWarnings } from '../engagement/limit-warnings/declares.ts';
import { declares as engagementPromo } from '../engagement/promo/declares.ts';
import { declares as engagementRakeback } from '../engagement/rakeback/declares.ts';
import { declares as engagementRewards } from '../engagement/rewards/declares.ts';
import { declares as engagementUserTips } from '../engagement/user-tips/declares.ts';
import { declares as engagementVip } from '../engagement/vip/declares.ts';
import { declares as engagementVipApplications } from '../engagement/vip-applications/declares.ts';
import { declares as gamesBets } from '../games/bets/declares.ts';
import { declares as gamesBetting } from '../games/betting/declares.ts';
import { declares as gamesFairness } from '../games/fairness/declares.ts';
import { declares as gamesHouseGames } from '../games/house-games/declares.ts';
import { declares as gamesSeamlessWallet } from '../games/seamless-wallet/declares.ts';
import { declares as moneyBonus } from '../money/bonus/declares.ts';
import { declares as moneyCurrencies } from '../money/currencies/declares.ts';
import { declares as moneyLedger } from '../money/ledger/declares.ts';
import { declares as moneyPayments } from '../money/payments/declares.ts';
import { declares as moneySkins } from '../money/skins/declares.ts';
import { declares as moneyWallet } from '../money/wallet/declares.ts';
import { declares as operationsDebug } from '../operations/debug/declares.ts';
import { declares as operationsHealth } from '../operations/health/declares.ts';
import { declares as operationsLogLevels } from '../operations/log-levels/declares.ts';
import { declares as operationsQueueDebug } from '../operations/queue-debug/declares.ts';
import { declares as operationsRelay } from '../operations/relay/declares.ts';
import { declares as baseAccess } from './access/declares.ts';
import { declares as baseAudit } from './audit/declares.ts';
import { declares as baseEvents } from './events/declares.ts';
import { declares as baseNotifications } from './notifications/declares.ts';
import { declares as baseRegistrationInfo } from './registration-info/declares.ts';
import { declares as baseSiteConfig } from './site-config/declares.ts';
import { declares as baseStaffValue } from './staff-value/declares.ts';
import { declares as baseUsers } from './users/declares.ts';
import { declares as baseWebhooks } from './webhooks/declares.ts';

export const PERMISSIONS = {
  ...baseAccess.permissions,
  ...baseAudit.permissions,
  ...baseStaffValue.permissions,
  ...complianceCountries.permissions,
  ...complianceKyc.permissions,
  ...complianceLimits.permissions,
  ...accountsApiKeys.permissions,
  ...moneyPayments.permissions,
  ...gamesBets.permissions,
  ...gamesBetting.permissions,
  ...gamesHouseGames.permissions,
  ...engagementAdminTips.permissions,
  ...engagementAffiliates.permissions,
  ...engagementBotActivity.permissions,
  ...engagementChallenges.permissions,
  ...engagementChat.permissions,
  ...engagementFaq.permissions,
  ...engagementLeaderboards.permissions,
  ...engagementPromo.permissions,
  ...engagementRakeback.permissions,
  ...engagementVipApplications.permissions,
  ...backofficeAccounting.permissions,
  ...backofficeDashboards.permissions,
  ...backofficeUserAdmin.permissions,
  ...backofficeUserNotes.permissions,
  ...operationsLogLevels.permissions,
};

export const EVENTS = {
  ...baseEvents.events,
  ...baseNotifications.events,
  ...baseSiteConfig.events,
  ...baseUsers.events,
  ...complianceKyc.events,
  ...complianceLimits.events,
  ...accountsAuth.events,
  ...moneyBonus.events,
  ...moneyPayments.events,
  ...gamesHouseGames.events,
  ...engagementChallenges.events,
  ...engagementChat.events,
  ...engagementLimitWarnings.events,
};

export const KINDS = {
  ...moneyBonus.kinds,
  ...moneyLedger.kinds,
  ...moneyPayments.kinds,
  ...moneySkins.kinds,
  ...moneyWallet.kinds,
  ...gamesBetting.kinds,
  ...gamesSeamlessWallet.kinds,
  ...engagementAdminTips.kinds,
  ...engagementChallenges.kinds,
  ...engagementRakeback.kinds,
  ...engagementUserTips.kinds,
  ...backofficeAccounting.kinds,
  ...backofficeCrm.kinds,
  ...backofficeUserAdmin.kinds,
  ...operationsDebug.kinds,
};

export const TAGS = {
  ...baseNotifications.tags,
  ...baseRegistrationInfo.tags,
  ...baseSiteConfig.tags,
  ...baseStaffValue.tags,
  ...baseUsers.tags,
  ...baseWebhooks.tags,
  ...complianceCountries.tags,
  ...complianceKyc.tags,
  ...complianceLimits.tags,
  ...accountsApiKeys.tags,
  ...accountsAuth.tags,
  ...moneyCurrencies.tags,
  ...moneyPayments.tags,
  ...moneySkins.tags,
  ...moneyWallet.tags,
  ...gamesBets.tags,
  ...gamesBetting.tags,
  ...gamesFairness.tags,
  ...gamesHouseGames.tags,
  ...gamesSeamlessWallet.tags,
  ...engagementAdminTips.tags,
  ...engagementAffiliates.tags,
  ...engagementBotActivity.tags,
  ...engagementChallenges.tags,
  ...engagementChat.tags,
  ...engagementComingSoon.tags,
  ...engagementFaq.tags,
  ...engagementLeaderboards.tags,
  ...engagementPromo.tags,
  ...engagementRakeback.tags,
  ...engagementUserTips.tags,
  ...engagementVipApplications.tags,
  ...backofficeAccounting.tags,
  ...backofficeCrm.tags,
  ...backofficeDashboards.tags,
  ...backofficeUserAdmin.tags,
  ...operationsDebug.tags,
  ...operationsHealth.tags,
  ...operationsQueueDebug.tags,
};

export const CHECKS = {
  ...gamesBets.checks,
  ...gamesSeamlessWallet.checks,
  ...engagementAffiliates.checks,
  ...engagementLeaderboards.checks,
  ...engagementRewards.checks,
  ...engagementUserTips.checks,
  ...engagementVip.checks,
  ...backofficeDashboards.checks,
  ...operationsRelay.checks,
};

export const MESSAGES = {
  ...complianceKyc.messages,
  ...complianceLimits.messages,
  ...accountsAuth.messages,
  ...moneyBonus.messages,
  ...moneyPayments.messages,
  ...engagementAdminTips.messages,
  ...engagementAffiliates.messages,
  ...engagementChallenges.messages,
  ...engagementLeaderboards.messages,
  ...engagementUserTips.messages,
  ...engagementVip.messages,
  ...engagementVipApplications.messages,
  ...backofficeCrm.messages,
};

declare module '../../http/access.ts' {
  interface Permissions extends Record<keyof typeof PERMISSIONS, string> {}
}

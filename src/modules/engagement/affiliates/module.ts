import { defineModule } from '../../../http/module.ts';
import { checks } from './checks.ts';
import { createCode, deleteCode, giveCode, listOwnCodes } from './edit-codes.ts';
import { findAffiliate, findAffiliateExtended, findAffiliateStats } from './find.ts';
import { getStreamer, listAffiliates, listStreamers } from './list-affiliates.ts';
import {
  listOwnReferrals,
  listReferrals,
  listReferralsInBackoffice,
  listStreamerReferrals,
} from './list-referrals.ts';
import { affiliateMessages } from './messages.ts';
import {
  claimCommission,
  getOwnOverview,
  getOwnSummary,
  listClaims,
  listLevels,
  listLevelsForStaff,
} from './own-account.ts';
import { getReport } from './report.ts';
import { createAffiliates } from './service.ts';

type Before = Parameters<typeof createAffiliates>[0];

export const affiliates = defineModule({
  name: 'affiliates',
  tags: {
    Affiliate: 'Own affiliate codes, referrals and commission.',
    'Affiliates External': "Reports on a partner's referrals, with an API key.",
    'Admin Affiliate': 'Affiliates, their codes and their referrals.',
    'Admin Affiliate Streamer': 'Streamers and the deposits and losses of their referrals.',
  },
  messages: affiliateMessages,
  checks,
  create: (before: Before) => ({ affiliates: createAffiliates(before) }),
  operations: [
    getOwnSummary,
    getOwnOverview,
    listLevels,
    listOwnCodes,
    createCode,
    claimCommission,
    listClaims,
    listOwnReferrals,
    getReport,
    listAffiliates,
    findAffiliate,
    findAffiliateExtended,
    findAffiliateStats,
    listLevelsForStaff,
    listReferrals,
    giveCode,
    deleteCode,
    listStreamers,
    listStreamerReferrals,
    getStreamer,
  ],
  backoffice: {
    operations: [findAffiliate, findAffiliateStats, listLevelsForStaff, listReferralsInBackoffice],
    without: '/admin',
    tag: 'Affiliate',
  },
});

import type { Op } from '../../client/call.ts';

/** Other words for the pages of the menu, by address. The palette finds the pages by them. */
export const SYNONYMS: Readonly<Record<string, string>> = {
  '/overview': 'dashboard home kpi summary profit revenue ggr ngr turnover today',
  '/users': 'players customers accounts members search email',
  '/kyc': 'kyc identity documents passport proof id aml verify',
  '/vip': 'vip levels transfer high rollers',
  '/withdrawals': 'payouts cash out approve reject pending money out',
  '/deposits': 'payments top up money in',
  '/deposit-reviews': 'unknown missing unmatched credit held',
  '/statement': 'transactions postings balance history accounting money',
  '/bets': 'rounds wagers stakes spins history roll back void',
  '/findings': 'differences reconciliation provider reports discrepancies',
  '/games': 'slots catalog turn switch off on enable disable rtp',
  '/providers': 'studios aggregators vendors turn switch off on enable disable',
  '/commissions': 'fees share of ggr provider costs',
  '/house-games':
    'dice limbo keno plinko roulette mines blackjack house edge rtp limits maximum bet turn switch off on',
  '/front-page': 'home page order featured banners',
  '/promo': 'bonuses campaigns free spins codes welcome',
  '/grants': 'bonuses given wagering',
  '/leaderboards': 'races tournaments prizes competitions',
  '/leaderboards/schedules': 'races repeat daily weekly',
  '/challenges': 'missions tasks rewards',
  '/affiliates': 'partners referrals commission',
  '/affiliates/referrals': 'invited players partners',
  '/affiliates/levels': 'commission rates campaigns',
  '/streamers': 'influencers twitch partners',
  '/rakeback': 'cashback rewards',
  '/tips': 'give take money credit debit corrections balance',
  '/reports': 'profit revenue income ggr ngr turnover compare period report',
  '/play-report': 'profit ggr margin turnover report best worst games hold',
  '/cash-report': 'registrations new players ftd first deposits conversion payments report',
  '/payers': 'who paid most biggest highest whales withdrew',
  '/configuration': 'config options limits switches maintenance rates captcha',
  '/countries': 'geo block allow jurisdictions ip',
  '/faq': 'questions answers help texts',
  '/chat': 'messages mute moderate rooms answer',
  '/bots': 'simulated activity fake',
  '/staff': 'colleagues team administrators employees',
  '/staff/roles': 'permissions rights access',
  '/audit': 'history log who changed what actions',
  '/system': 'health status logs jobs errors',
};

/** Other words for the actions of the palette, by title. */
export const ACTION_SYNONYMS: Readonly<Record<string, string>> = {
  'Review withdrawals': 'approve payouts pay out reject',
  'Review identity documents': 'kyc verify approve passport',
  'Ban a user': 'block lock close player account suspend',
  'Create a promotion': 'new bonus campaign free spins',
  'Create a deposit bonus': 'new promotion welcome',
  'Create a challenge': 'new mission',
  'Create a leaderboard': 'new race tournament',
  'Disable a game': 'turn switch off deactivate hide close stop enable on',
  'Give or take money': 'credit debit correct balance adjust tip bonus refund',
  'Block a country': 'geo ban allow jurisdiction',
  'Add a colleague': 'new staff member invite employee administrator',
  'Change settings': 'configuration config limits maintenance',
};

/** Parts of the report Performance, which are not in the menu. */
export const REPORT_PARTS: readonly { name: string; path: string; of: Op; words: string }[] = [
  {
    name: 'Revenue',
    path: '/reports/revenue',
    of: 'GET /admin/dashboard/revenue',
    words: 'profit income ggr ngr turnover deductions bonus costs',
  },
  {
    name: 'Top players',
    path: '/reports/top',
    of: 'GET /admin/dashboard/top-users',
    words: 'who won lost wagered deposited most biggest winners losers whales',
  },
  {
    name: 'Most profitable games',
    path: '/reports/games',
    of: 'GET /admin/dashboard/games',
    words: 'ggr rtp worst best loss return to player',
  },
  {
    name: 'Payments by currency',
    path: '/reports/payments',
    of: 'GET /admin/dashboard/payments',
    words: 'deposits withdrawals networks failed approval time',
  },
  {
    name: 'Retention',
    path: '/reports/players',
    of: 'GET /admin/dashboard/users',
    words: 'new accounts registrations sign-ups cohorts first deposits active returning churn',
  },
  {
    name: 'Liabilities',
    path: '/reports/liabilities',
    of: 'GET /admin/dashboard/liabilities',
    words: 'owed balances vault player funds debts',
  },
];

import type { ComponentType } from 'react';
import type { Op } from '../../client/call.ts';
import { lazily } from '../kit/load.tsx';

type Props = { params: Readonly<Record<string, string>> };
type Screen = ComponentType<Props>;

/** A page and its address. A page that has a `name` is in the menu if the account may call the operation `of`. */
export type Entry = { path: string; page: Screen; of?: Op; name?: string; group?: string };

/** A page that is loaded on first visit. `of` selects the component from the loaded module. */
const page = <M>(load: () => Promise<M>, of: (all: M) => ComponentType<never>): Screen =>
  lazily(async () => of(await load()) as Screen);

const overview = () => import('./pages/overview.tsx');
const withdrawals = () => import('./pages/withdrawals.tsx');
const deposits = () => import('./pages/deposits.tsx');
const depositReviews = () => import('./pages/deposit-reviews.tsx');
const statement = () => import('./pages/statement.tsx');
const users = () => import('./pages/users.tsx');
const user = () => import('./pages/user/user.tsx');
const notes = () => import('./pages/user/notes.tsx');
const kyc = () => import('./pages/kyc.tsx');
const bets = () => import('./pages/bets.tsx');
const findings = () => import('./pages/findings.tsx');
const faq = () => import('./pages/faq.tsx');
const promotions = () => import('./pages/promo/promotions.tsx');
const promo = () => import('./pages/promo/promo.tsx');
const grants = () => import('./pages/promo/grants.tsx');
const challenges = () => import('./pages/challenges/challenges.tsx');
const challenge = () => import('./pages/challenges/challenge.tsx');
const leaderboards = () => import('./pages/leaderboards/leaderboards.tsx');
const leaderboard = () => import('./pages/leaderboards/leaderboard.tsx');
const schedules = () => import('./pages/leaderboards/schedules.tsx');
const vip = () => import('./pages/vip/applications.tsx');
const vipOne = () => import('./pages/vip/application.tsx');
const affiliates = () => import('./pages/affiliates/affiliates.tsx');
const affiliate = () => import('./pages/affiliates/affiliate.tsx');
const referrals = () => import('./pages/affiliates/referrals.tsx');
const streamers = () => import('./pages/affiliates/streamers.tsx');
const rakeback = () => import('./pages/rakeback.tsx');
const tips = () => import('./pages/tips.tsx');
const staff = () => import('./pages/staff/staff.tsx');
const staffMember = () => import('./pages/staff/member.tsx');
const roles = () => import('./pages/staff/roles.tsx');
const role = () => import('./pages/staff/role.tsx');
const audit = () => import('./pages/audit.tsx');
const countries = () => import('./pages/countries.tsx');
const account = () => import('./pages/account.tsx');
const games = () => import('./pages/games/games.tsx');
const game = () => import('./pages/games/game.tsx');
const providers = () => import('./pages/games/providers.tsx');
const front = () => import('./pages/games/front.tsx');
const commissions = () => import('./pages/games/commissions.tsx');
const house = () => import('./pages/games/house.tsx');
const compared = () => import('./pages/reports/compared.tsx');
const played = () => import('./pages/reports/play.tsx');
const cash = () => import('./pages/reports/cash.tsx');
const config = () => import('./pages/config/config.tsx');
const chat = () => import('./pages/chat.tsx');
const bots = () => import('./pages/bots.tsx');
const system = () => import('./pages/system.tsx');

const players: Pick<Entry, 'group'> = { group: 'Players' };
const money: Pick<Entry, 'group'> = { group: 'Money' };
const play: Pick<Entry, 'group'> = { group: 'Play' };
const growth: Pick<Entry, 'group'> = { group: 'Growth' };
const platform: Pick<Entry, 'group'> = { group: 'Platform' };
const reports: Pick<Entry, 'group'> = { group: 'Reports' };

export const PAGES: readonly Entry[] = [
  {
    path: '/overview',
    name: 'Overview',
    of: 'GET /admin/dashboard-v2/main/options',
    page: page(overview, (m) => m.Overview),
  },
  {
    ...players,
    path: '/users',
    name: 'Users',
    of: 'POST /admin/user/all',
    page: page(users, (m) => m.Users),
  },
  { path: '/users/:id', page: page(user, (m) => m.UserPage) },
  { path: '/users/:id/:part', page: page(user, (m) => m.UserPage) },
  { path: '/notes/:id', page: page(notes, (m) => m.NotePage) },
  {
    ...players,
    path: '/kyc',
    name: 'Proofs of identity',
    of: 'GET /admin/kyc',
    page: page(kyc, (m) => m.KycCases),
  },
  { path: '/kyc/:userId', page: page(kyc, (m) => m.KycCase) },
  {
    ...money,
    path: '/withdrawals',
    name: 'Withdrawals',
    of: 'GET /admin/payments/withdraw',
    page: page(withdrawals, (m) => m.Withdrawals),
  },
  { path: '/withdrawals/:id', page: page(withdrawals, (m) => m.WithdrawalPage) },
  {
    ...money,
    path: '/deposits',
    name: 'Deposits',
    of: 'GET /admin/payments/deposit',
    page: page(deposits, (m) => m.Deposits),
  },
  { path: '/deposits/:id', page: page(deposits, (m) => m.DepositPage) },
  {
    ...money,
    path: '/deposit-reviews',
    name: 'Deposits under review',
    of: 'GET /admin/payments/deposit/review',
    page: page(depositReviews, (m) => m.DepositReviews),
  },
  { path: '/deposit-reviews/:id', page: page(depositReviews, (m) => m.DepositReviewPage) },
  {
    ...money,
    path: '/statement',
    name: 'Statement',
    of: 'POST /admin/accounting/transactions',
    page: page(statement, (m) => m.Statement),
  },
  { ...play, path: '/bets', name: 'Bets', of: 'POST /admin/bets', page: page(bets, (m) => m.Bets) },
  { path: '/bets/:id', page: page(bets, (m) => m.BetPage) },
  {
    ...play,
    path: '/findings',
    name: 'Findings',
    of: 'GET /admin/casino/findings',
    page: page(findings, (m) => m.Findings),
  },
  {
    ...play,
    path: '/games',
    name: 'Games',
    of: 'GET /admin/casino/games/all',
    page: page(games, (m) => m.Games),
  },
  { path: '/games/:slug', page: page(game, (m) => m.GamePage) },
  {
    ...play,
    path: '/house-games',
    name: 'House games',
    of: 'GET /admin/casino/games/house/settings',
    page: page(house, (m) => m.HouseGames),
  },
  { path: '/house-games/:game', page: page(house, (m) => m.HouseGames) },
  {
    ...play,
    path: '/providers',
    name: 'Providers',
    of: 'GET /admin/casino/games/providers',
    page: page(providers, (m) => m.Providers),
  },
  { path: '/providers/:slug', page: page(providers, (m) => m.ProviderPage) },
  {
    ...play,
    path: '/front-page',
    name: 'Front page',
    of: 'GET /admin/casino/games/main',
    page: page(front, (m) => m.FrontPage),
  },
  {
    ...play,
    path: '/commissions',
    name: 'Commissions',
    of: 'GET /admin/casino/games/commission',
    page: page(commissions, (m) => m.Commissions),
  },
  { path: '/commissions/:id', page: page(commissions, (m) => m.CommissionPage) },
  {
    ...reports,
    path: '/reports',
    name: 'Period report',
    of: 'GET /admin/dashboard/overview',
    page: page(compared, (m) => m.PeriodReport),
  },
  { path: '/reports/:part', page: page(compared, (m) => m.PeriodReport) },
  {
    ...reports,
    path: '/play-report',
    name: 'Play',
    of: 'GET /admin/dashboard-v2/game/stats',
    page: page(played, (m) => m.PlayReport),
  },
  { path: '/play-report/:part', page: page(played, (m) => m.PlayReport) },
  {
    ...reports,
    path: '/cash-report',
    name: 'Deposits and accounts',
    of: 'GET /admin/dashboard-v2/query/payments',
    page: page(cash, (m) => m.CashReport),
  },
  {
    ...reports,
    path: '/payers',
    name: 'Who paid most',
    of: 'GET /admin/user/stats/transactions',
    page: page(cash, (m) => m.Payers),
  },
  {
    ...platform,
    path: '/configuration',
    name: 'Configuration',
    of: 'GET /admin/config/{code}',
    page: page(config, (m) => m.Configuration),
  },
  { path: '/configuration/:code', page: page(config, (m) => m.Configuration) },
  {
    ...platform,
    path: '/chat',
    name: 'Chat',
    of: 'GET /admin/chat/messages',
    page: page(chat, (m) => m.Chat),
  },
  {
    ...platform,
    path: '/bots',
    name: 'Bots',
    of: 'GET /admin/bot-activity/all',
    page: page(bots, (m) => m.Bots),
  },
  { path: '/bots/:id', page: page(bots, (m) => m.BotPage) },
  {
    ...platform,
    path: '/system',
    name: 'Health and logs',
    of: 'GET /admin/logger',
    page: page(system, (m) => m.System),
  },
  {
    ...growth,
    path: '/promo',
    name: 'Promotions',
    of: 'GET /admin/promo',
    page: page(promotions, (m) => m.Promotions),
  },
  { path: '/promo/new', page: page(promotions, (m) => m.NewPromotion) },
  { path: '/promo/:id', page: page(promo, (m) => m.PromoPage) },
  { path: '/promo/:id/:part', page: page(promo, (m) => m.PromoPage) },
  {
    ...growth,
    path: '/grants',
    name: 'Bonus grants',
    of: 'GET /admin/promo/grants',
    page: page(grants, (m) => m.Grants),
  },
  {
    ...growth,
    path: '/challenges',
    name: 'Challenges',
    of: 'GET /admin/challenge',
    page: page(challenges, (m) => m.Challenges),
  },
  { path: '/challenges/new', page: page(challenges, (m) => m.NewChallenge) },
  { path: '/challenges/:id', page: page(challenge, (m) => m.ChallengePage) },
  {
    ...growth,
    path: '/leaderboards',
    name: 'Leaderboards',
    of: 'GET /admin/leaderboards',
    page: page(leaderboards, (m) => m.Leaderboards),
  },
  { path: '/leaderboards/new', page: page(leaderboards, (m) => m.NewLeaderboard) },
  { path: '/leaderboards/schedules', page: page(schedules, (m) => m.Schedules) },
  { path: '/leaderboards/schedules/:id', page: page(schedules, (m) => m.SchedulePage) },
  { path: '/leaderboards/:id', page: page(leaderboard, (m) => m.LeaderboardPage) },
  { path: '/leaderboards/:id/users/:userId', page: page(leaderboard, (m) => m.Participant) },
  {
    ...growth,
    path: '/vip',
    name: 'VIP applications',
    of: 'GET /admin/vip-application',
    page: page(vip, (m) => m.VipApplications),
  },
  { path: '/vip/:id', page: page(vipOne, (m) => m.VipApplicationPage) },
  {
    ...growth,
    path: '/affiliates',
    name: 'Affiliates',
    of: 'POST /admin/affiliate',
    page: page(affiliates, (m) => m.Affiliates),
  },
  { path: '/affiliates/referrals', page: page(referrals, (m) => m.Referrals) },
  { path: '/affiliates/levels', page: page(affiliates, (m) => m.AffiliateLevels) },
  { path: '/affiliates/:userId', page: page(affiliate, (m) => m.AffiliatePage) },
  {
    ...growth,
    path: '/streamers',
    name: 'Streamers',
    of: 'POST /admin/affiliate/streamer',
    page: page(streamers, (m) => m.Streamers),
  },
  { path: '/streamers/referrals', page: page(streamers, (m) => m.StreamerReferrals) },
  { path: '/streamers/:id', page: page(streamers, (m) => m.StreamerPage) },
  {
    ...growth,
    path: '/rakeback',
    name: 'Rakeback',
    of: 'POST /admin/rakeback/find-many',
    page: page(rakeback, (m) => m.Rakeback),
  },
  {
    ...growth,
    path: '/tips',
    name: 'Given and taken',
    of: 'GET /admin/admin-tips',
    page: page(tips, (m) => m.Tips),
  },
  {
    ...platform,
    path: '/faq',
    name: 'Questions and answers',
    of: 'POST /admin/faq',
    page: page(faq, (m) => m.Questions),
  },
  {
    ...platform,
    path: '/staff',
    name: 'Staff',
    of: 'GET /admin/user/get-admins-with-roles',
    page: page(staff, (m) => m.Staff),
  },
  { path: '/staff/roles', page: page(roles, (m) => m.Roles) },
  { path: '/staff/roles/:name', page: page(role, (m) => m.RolePage) },
  { path: '/staff/:id', page: page(staffMember, (m) => m.StaffMember) },
  {
    ...platform,
    path: '/audit',
    name: 'Audit',
    of: 'GET /admin/user/admin-audit',
    page: page(audit, (m) => m.Audit),
  },
  {
    ...platform,
    path: '/countries',
    name: 'Countries',
    of: 'GET /admin/country',
    page: page(countries, (m) => m.Countries),
  },
  { ...platform, path: '/account', name: 'Own account', page: page(account, (m) => m.Account) },
];

import type { ComponentType } from 'react';
import { lazily } from '../kit/load.tsx';

type Props = { params: Readonly<Record<string, string>> };
type Screen = ComponentType<Props>;

/** A page that is loaded on first visit. `of` selects the component from the loaded module. */
const page = <M>(load: () => Promise<M>, of: (all: M) => ComponentType<never>): Screen =>
  lazily(async () => of(await load()) as Screen);

const overview = () => import('./pages/overview.tsx');
const withdrawals = () => import('./pages/withdrawals/withdrawals.tsx');
const withdrawal = () => import('./pages/withdrawals/review.tsx');
const deposits = () => import('./pages/deposits.tsx');
const depositReviews = () => import('./pages/deposit-reviews/deposit-reviews.tsx');
const depositReview = () => import('./pages/deposit-reviews/review.tsx');
const statement = () => import('./pages/statement.tsx');
const users = () => import('./pages/users.tsx');
const user = () => import('./pages/user/user.tsx');
const notes = () => import('./pages/user/notes.tsx');
const kyc = () => import('./pages/kyc/cases.tsx');
const kycOne = () => import('./pages/kyc/review.tsx');
const bets = () => import('./pages/bets.tsx');
const findings = () => import('./pages/findings/findings.tsx');
const finding = () => import('./pages/findings/review.tsx');
const faq = () => import('./pages/faq.tsx');
const promotions = () => import('./pages/promo/promotions.tsx');
const newPromotion = () => import('./pages/promo/new.tsx');
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

/** The pages by address. The menu and its permissions are in menu.ts. */
export const PAGES: readonly {
  path: string;
  page: Screen;
  /** The page shows a queue next to the case, so it stays when another case is opened. */
  isReview?: true;
}[] = [
  { path: '/overview', page: page(overview, (m) => m.Overview) },
  { path: '/users', page: page(users, (m) => m.Users) },
  { path: '/users/:id', page: page(user, (m) => m.UserPage) },
  { path: '/users/:id/:part', page: page(user, (m) => m.UserPage) },
  { path: '/notes/:id', page: page(notes, (m) => m.NotePage) },
  { path: '/kyc', page: page(kyc, (m) => m.KycCases) },
  { path: '/kyc/:id', page: page(kycOne, (m) => m.KycReview), isReview: true },
  { path: '/withdrawals', page: page(withdrawals, (m) => m.Withdrawals) },
  { path: '/withdrawals/:id', page: page(withdrawal, (m) => m.WithdrawalReview), isReview: true },
  { path: '/deposits', page: page(deposits, (m) => m.Deposits) },
  { path: '/deposits/:id', page: page(deposits, (m) => m.DepositPage) },
  { path: '/deposit-reviews', page: page(depositReviews, (m) => m.DepositReviews) },
  { path: '/deposit-reviews/:id', page: page(depositReview, (m) => m.DepositReviewCase), isReview: true },
  { path: '/statement', page: page(statement, (m) => m.Statement) },
  { path: '/bets', page: page(bets, (m) => m.Bets) },
  { path: '/bets/:id', page: page(bets, (m) => m.BetPage) },
  { path: '/findings', page: page(findings, (m) => m.Findings) },
  { path: '/findings/:id', page: page(finding, (m) => m.FindingReview), isReview: true },
  { path: '/games', page: page(games, (m) => m.Games) },
  { path: '/games/:slug', page: page(game, (m) => m.GamePage) },
  { path: '/house-games/:game?', page: page(house, (m) => m.HouseGames) },
  { path: '/providers', page: page(providers, (m) => m.Providers) },
  { path: '/providers/:slug', page: page(providers, (m) => m.ProviderPage) },
  { path: '/front-page', page: page(front, (m) => m.FrontPage) },
  { path: '/commissions', page: page(commissions, (m) => m.Commissions) },
  { path: '/commissions/:id', page: page(commissions, (m) => m.CommissionPage) },
  { path: '/reports/:part?', page: page(compared, (m) => m.PeriodReport) },
  { path: '/play-report/:part?', page: page(played, (m) => m.PlayReport) },
  { path: '/cash-report', page: page(cash, (m) => m.CashReport) },
  { path: '/payers', page: page(cash, (m) => m.Payers) },
  { path: '/configuration/:code?', page: page(config, (m) => m.Configuration) },
  { path: '/chat', page: page(chat, (m) => m.Chat) },
  { path: '/bots', page: page(bots, (m) => m.Bots) },
  { path: '/bots/:id', page: page(bots, (m) => m.BotPage) },
  { path: '/system', page: page(system, (m) => m.System) },
  { path: '/promo', page: page(promotions, (m) => m.Promotions) },
  { path: '/promo/new', page: page(newPromotion, (m) => m.NewPromotion) },
  { path: '/promo/:id', page: page(promo, (m) => m.PromoPage) },
  { path: '/promo/:id/:part', page: page(promo, (m) => m.PromoPage) },
  { path: '/grants', page: page(grants, (m) => m.Grants) },
  { path: '/challenges', page: page(challenges, (m) => m.Challenges) },
  { path: '/challenges/new', page: page(challenges, (m) => m.NewChallenge) },
  { path: '/challenges/:id', page: page(challenge, (m) => m.ChallengePage) },
  { path: '/leaderboards', page: page(leaderboards, (m) => m.Leaderboards) },
  { path: '/leaderboards/new', page: page(leaderboards, (m) => m.NewLeaderboard) },
  { path: '/leaderboards/schedules', page: page(schedules, (m) => m.Schedules) },
  { path: '/leaderboards/schedules/:id', page: page(schedules, (m) => m.SchedulePage) },
  { path: '/leaderboards/:id', page: page(leaderboard, (m) => m.LeaderboardPage) },
  { path: '/leaderboards/:id/users/:userId', page: page(leaderboard, (m) => m.Participant) },
  { path: '/vip', page: page(vip, (m) => m.VipApplications) },
  { path: '/vip/:id', page: page(vipOne, (m) => m.VipReview), isReview: true },
  { path: '/affiliates', page: page(affiliates, (m) => m.Affiliates) },
  { path: '/affiliates/referrals', page: page(referrals, (m) => m.Referrals) },
  { path: '/affiliates/levels', page: page(affiliates, (m) => m.AffiliateLevels) },
  { path: '/affiliates/:userId', page: page(affiliate, (m) => m.AffiliatePage) },
  { path: '/streamers', page: page(streamers, (m) => m.Streamers) },
  { path: '/streamers/referrals', page: page(streamers, (m) => m.StreamerReferrals) },
  { path: '/streamers/:id', page: page(streamers, (m) => m.StreamerPage) },
  { path: '/rakeback', page: page(rakeback, (m) => m.Rakeback) },
  { path: '/tips', page: page(tips, (m) => m.Tips) },
  { path: '/faq', page: page(faq, (m) => m.Questions) },
  { path: '/staff', page: page(staff, (m) => m.Staff) },
  { path: '/staff/roles', page: page(roles, (m) => m.Roles) },
  { path: '/staff/roles/:name', page: page(role, (m) => m.RolePage) },
  { path: '/staff/:id', page: page(staffMember, (m) => m.StaffMember) },
  { path: '/audit', page: page(audit, (m) => m.Audit) },
  { path: '/countries', page: page(countries, (m) => m.Countries) },
  { path: '/account', page: page(account, (m) => m.Account) },
];

/** The parameters that identify the object on a page. The others select a tab. */
const SUBJECT = ['id', 'userId', 'slug', 'name'];

/**
 * Returns a key for the object on a page. When the key changes, the page is mounted again, so that input typed for the previous object is
 * discarded.
 */
export const subjectOf = (params: Readonly<Record<string, string>>): string =>
  SUBJECT.map((name) => params[name]).join();

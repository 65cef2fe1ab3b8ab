import { type ComponentType, lazy } from 'react';
import type { Op } from '../../client/call.ts';

type Props = { params: Readonly<Record<string, string>> };
type Screen = ComponentType<Props>;

/** A page by its address. With `name` it stands in the menu, for whoever has the right to call `of`. */
export type Entry = { path: string; page: Screen; of?: Op; name?: string; group?: string };

/** A page that is loaded when somebody goes there: `of` picks it from its file. */
const page = <M>(load: () => Promise<M>, of: (all: M) => ComponentType<never>): Screen =>
  lazy(async () => ({ default: of(await load()) as Screen }));

const overview = () => import('./pages/overview.tsx');
const withdrawals = () => import('./pages/withdrawals.tsx');
const deposits = () => import('./pages/deposits.tsx');
const statement = () => import('./pages/statement.tsx');
const users = () => import('./pages/users.tsx');
const user = () => import('./pages/user/user.tsx');
const kyc = () => import('./pages/kyc.tsx');
const bets = () => import('./pages/bets.tsx');
const findings = () => import('./pages/findings.tsx');
const faq = () => import('./pages/faq.tsx');
const staff = () => import('./pages/staff.tsx');
const audit = () => import('./pages/audit.tsx');
const countries = () => import('./pages/countries.tsx');
const account = () => import('./pages/account.tsx');

const players: Pick<Entry, 'group'> = { group: 'Players' };
const money: Pick<Entry, 'group'> = { group: 'Money' };
const play: Pick<Entry, 'group'> = { group: 'Play' };
const platform: Pick<Entry, 'group'> = { group: 'Platform' };

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
  { path: '/staff/:id', page: page(staff, (m) => m.StaffMember) },
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

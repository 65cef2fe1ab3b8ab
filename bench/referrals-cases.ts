import { BIG, PARTNER } from './referrals-world.ts';

type Get = (from: string) => Promise<object>;
/** Callers of the requests: staff, the affiliate who referred a tenth of all users, and a partner's program. */
type House = { staff: (to: string, body: object) => Promise<object>; own: Get; partner: Get };
/** A named request. */
export type Case = { name: string; ask: (house: House) => Promise<{ total: number }> };

const SORTS = ['createdAt', 'wageredUsdAmount', 'earnedUsdAmount'].flatMap((sortBy) =>
  ['asc', 'desc'].map((sortOrder) => ({ sortBy, sortOrder })),
);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const dayAgo = (days: number) => `${daysAgo(days).slice(0, 10)}T00:00:00.000Z`;

/** Returns the total of a list, the number of rows of a report, or 1 for any other response. */
const totalOf = (answer: object) => {
  if (Array.isArray(answer)) return { total: answer.length };
  return { total: 'total' in answer ? Number(answer.total) : 1 };
};
const reads = (path: string): Case => ({ name: path, ask: async ({ own }) => totalOf(await own(path)) });
const staff = (name: string, path: string, body: object): Case => ({
  name: `${path.replace('/admin/affiliate', 'staff')} ${name}`,
  ask: async (house) => totalOf(await house.staff(path, body)),
});
const textOf = (fields: object) =>
  Object.entries(fields)
    .map(([field, value]) => `${field} ${value}`)
    .join(' ');

const sorts = (path: string, where: object): Case[] =>
  SORTS.map((sort) => staff(`${sort.sortBy} ${sort.sortOrder} ${textOf(where)}`, path, { ...sort, where }));
const filters = (path: string, all: readonly object[]): Case[] =>
  all.map((where) => staff(textOf(where), path, { where }));

const AFFILIATES = '/admin/affiliate';
const USERS = '/admin/affiliate/users';
const STREAMERS = '/admin/affiliate/streamer';
const OF_STREAMERS = '/admin/affiliate/streamer/referrals';

const REFERRAL_FILTERS: readonly object[] = [
  { code: 'REF101' },
  { search: 'max99' },
  { search: '4711' },
  { isActive: true },
  { isActive: false },
  { startDate: daysAgo(30) },
  { startDate: daysAgo(300), endDate: daysAgo(200) },
];

export const CASES: readonly Case[] = [
  ...['/affiliate/me', '/affiliate/overview', '/affiliate/code', '/affiliate/claims'].map(reads),
  reads('/affiliate/claims?sortBy=usdAmount'),
  ...SORTS.map(({ sortBy, sortOrder }) => reads(`/affiliate/users?sortBy=${sortBy}&sortOrder=${sortOrder}`)),
  reads('/affiliate/users?page=30'),
  ...['find-one', 'find-one-stats', 'find-one-extended'].map((name) =>
    staff('', `${AFFILIATES}/${name}`, { where: { userId: BIG.id } }),
  ),
  ...SORTS.map((sort) => staff(`${sort.sortBy} ${sort.sortOrder}`, AFFILIATES, sort)),
  ...filters(AFFILIATES, [
    { userId: BIG.id },
    { username: BIG.username },
    { email: 'nobody@web.example' },
    { code: BIG.code },
    { levelId: 1 },
    { levelId: 2 },
    { levelId: 3 },
    { levelId: 4 },
    { search: 'max99' },
    { search: 'al' },
    { minReferralCount: 10 },
    { minReferralCount: 500 },
    { minUsersWageredUsdAmount: '1000000' },
  ]),
  ...sorts(AFFILIATES, { levelId: 2 }),
  ...sorts(USERS, { affiliateUserId: BIG.id }),
  ...filters(
    USERS,
    REFERRAL_FILTERS.slice(1).map((filter) => ({ affiliateUserId: BIG.id, ...filter })),
  ),
  ...filters(USERS, REFERRAL_FILTERS),
  ...SORTS.map((sort) => staff(`${sort.sortBy} ${sort.sortOrder}`, OF_STREAMERS, sort)),
  ...filters(OF_STREAMERS, REFERRAL_FILTERS),
  ...SORTS.map((sort) => staff(`${sort.sortBy} ${sort.sortOrder}`, STREAMERS, sort)),
  {
    name: 'partner, 500 referrals, a year',
    ask: async ({ partner }) =>
      totalOf(
        await partner(
          `/external/affiliates?codes=${PARTNER.code}&startDate=${dayAgo(365)}&endDate=${dayAgo(0)}`,
        ),
      ),
  },
  {
    name: 'partner, the code of another user',
    ask: async ({ partner }) => totalOf(await partner(`/external/affiliates?codes=${BIG.code}`)),
  },
];

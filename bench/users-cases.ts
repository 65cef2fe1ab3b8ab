/** A named request for the list of users. */
export type Case = { name: string; body: Record<string, unknown> };

const PLAIN = {
  sortBy: 'createdAt',
  sortOrder: 'desc',
  withPermissions: false,
  withRoles: false,
  withNotes: false,
  withBalance: false,
  withStatsUsd: false,
};

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** Common and rare values of every filter. The values exist in the data of users-world.ts. */
const FILTERS: readonly (readonly [string, unknown])[] = [
  ['id', 5000],
  ['username', 'nobody'],
  ['email', 'nobody@web.example'],
  ['country', 'DE'],
  ['country', 'MT'],
  ['ipAddress', '10.0.0.7'],
  ['minVipLevel', 1],
  ['minVipLevel', 8],
  ['maxVipLevel', 0],
  ['kycLevel', 0],
  ['kycLevel', 3],
  ...[
    'emailVerified',
    'mfaEnabled',
    'isStaff',
    'isTest',
    'isStreamer',
    'isYoutuber',
    'isPrivate',
    'isSelfExcluded',
  ].flatMap((name) => [[name, true] as const, [name, false] as const]),
  ['affiliateCode', 'code0'],
  ['affiliateCode', 'code1500'],
  ['registeredFrom', daysAgo(300)],
  ['registeredTo', daysAgo(1000)],
  ['lastLoginFrom', daysAgo(0.5)],
  ['lastLoginFrom', daysAgo(60)],
  ['lastLoginTo', daysAgo(900)],
];
/** Search strings that match nothing, a few users, a common name, a common domain, two letters, and an id. */
const SEARCHES = ['zzzzz', 'max99', 'alex', 'gmail.com', 'al', '4711'];
const SORTS = ['id', 'createdAt', 'lastLoginAt', 'username', 'email', 'vipLevel', 'kycLevel'];
const FLAGS = ['withPermissions', 'withRoles', 'withNotes', 'withBalance', 'withStatsUsd'];

const made = (name: string, fields: Record<string, unknown>): Case => ({
  name,
  body: { ...PLAIN, ...fields },
});

export const CASES: readonly Case[] = [
  ...SORTS.flatMap((sortBy) =>
    ['asc', 'desc'].map((sortOrder) => made(`sort ${sortBy} ${sortOrder}`, { sortBy, sortOrder })),
  ),
  ...FILTERS.map(([field, value]) => made(`${field} ${value}`, { where: { [field]: value } })),
  made('isBanned true', { isBanned: true }),
  made('isBanned false', { isBanned: false }),
  made('role RISK', { role: 'RISK' }),
  ...SEARCHES.map((search) => made(`search ${search}`, { search })),
  ...FLAGS.map((flag) => made(flag, { [flag]: true })),
  made('every flag', Object.fromEntries(FLAGS.map((flag) => [flag, true]))),
  made('page 250 of createdAt', { page: 250 }),
  made('page 250 of id', { sortBy: 'id', page: 250 }),
  made('page 100 of lastLoginAt', { sortBy: 'lastLoginAt', page: 100 }),
  made('page 100 of username', { sortBy: 'username', page: 100 }),
];

/**
 * npm run bench dashboards: compares all dashboards on two databases: 10,000,000 bets by 1,000,000 users within a year, and as many bets by
 * 10,000 users. Sends alternating requests over HTTP. Responses are not cached.
 */
import { comparePairs } from './compare.ts';
import { CASES } from './dashboards-cases.ts';
import { fillDashboards } from './dashboards-world.ts';
import { numbersOf } from './options.ts';
import { openStaffHouse } from './staff.ts';
import { createWorld, type World } from './world.ts';

const SMALL = 10_000;
const MOST_MS = 300;
const { users, bets, fewBets, rounds } = numbersOf(
  'dashboards',
  {
    users: [1_000_000, 'users of the large database'],
    bets: [10_000_000, 'their bets'],
    fewBets: [10_000_000, `bets of the ${SMALL} users of the small database`],
    rounds: [40, 'how often each read is measured'],
  },
  { users: 100_000, bets: 1_000_000, fewBets: 1_000_000, rounds: 10 },
);

/** Starts the main API on a database with this many users and bets, and signs in a superadmin. */
async function openHouse(world: World, made: { users: number; bets: number }) {
  const house = await openStaffHouse(world, {
    name: `dashboards_${made.users}`,
    path: '',
    fill: (db) => fillDashboards(db, made),
  });
  console.log(`${made.users} users created in ${house.filledIn}: ${house.filled}`);
  return house;
}

const world = await createWorld({ timed: false });
try {
  const few = await openHouse(world, { users: SMALL, bets: fewBets });
  const many = await openHouse(world, { users, bets });
  /** Returns a request for a pair. Its `total` is the length of the response. */
  const asks = (house: typeof few, path: string) => async () => ({
    total: JSON.stringify(await house.read(path)).length,
  });
  const pairs = CASES.map(({ name, path }) => ({ name, few: asks(few, path), many: asks(many, path) }));
  const isWithin = await comparePairs(pairs, { heads: ['small', 'large'], rounds, mostMs: MOST_MS });
  for (const house of [few, many]) await house.close();
  process.exitCode = isWithin ? 0 : 1;
} finally {
  await world.close();
}

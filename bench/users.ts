/**
 * npm run bench users: compares the list of 10,000 users with the list of 1,000,000 users, in alternating requests over HTTP. Each request
 * also writes its audit row.
 */
import { comparePairs } from './compare.ts';
import { numbersOf } from './options.ts';
import { openStaffHouse } from './staff.ts';
import { CASES } from './users-cases.ts';
import { fillUsers } from './users-world.ts';
import { createWorld, type World } from './world.ts';

const SMALL = 10_000;
const { users, rounds } = numbersOf('users', {
  users: [1_000_000, 'length of the long list'],
  rounds: [60, 'how often each read is measured'],
});

/** Starts the main API on a database with this many users, with a superadmin who requests lists. */
async function openHouse(world: World, count: number) {
  const house = await openStaffHouse(world, {
    name: `users_${count}`,
    path: '/admin/user/all',
    fill: (db) => fillUsers(db, count),
  });
  console.log(`${count} users created in ${house.filledIn}`);
  return house;
}

const world = await createWorld({ timed: false });
try {
  const [few, many] = [await openHouse(world, SMALL), await openHouse(world, users)];
  const pairs = CASES.map(({ name, body }) => ({
    name,
    few: () => few.ask(body),
    many: () => many.ask(body),
  }));
  const isWithin = await comparePairs(pairs, { heads: ['small', 'large'], rounds });
  for (const house of [few, many]) await house.close();
  process.exitCode = isWithin ? 0 : 1;
} finally {
  await world.close();
}

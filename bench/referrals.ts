/**
 * npm run bench referrals: compares affiliate lists and statistics with 10,000 and 1,000,000 users, over HTTP, in alternating requests. One
 * affiliate has a tenth of all referrals.
 */
import { comparePairs } from './compare.ts';
import { numbersOf } from './options.ts';
import { CASES } from './referrals-cases.ts';
import { BIG, fillReferrals, PARTNER } from './referrals-world.ts';
import { openStaffHouse } from './staff.ts';
import { createWorld, type World } from './world.ts';

const SMALL = 10_000;
const { users, rounds } = numbersOf('referrals', {
  users: [1_000_000, 'users of the large database'],
  rounds: [40, 'how often each read is measured'],
});

/**
 * Starts the main API on a database with this many users. The callers are a superadmin, the affiliate who referred a tenth of the users,
 * and a partner's program.
 */
async function openHouse(world: World, count: number) {
  const house = await openStaffHouse(world, {
    name: `referrals_${count}`,
    path: '/admin/affiliate',
    fill: (db) => fillReferrals(db, count),
  });
  console.log(`${count} users created in ${house.filledIn}: ${house.filled}`);
  const [own, partner] = [await house.asPlayer(BIG.username), await house.asPartner(PARTNER.id)];
  return { staff: house.askAt, own, partner, close: house.close };
}

const world = await createWorld({ timed: false });
try {
  const [few, many] = [await openHouse(world, SMALL), await openHouse(world, users)];
  const pairs = CASES.map(({ name, ask }) => ({ name, few: () => ask(few), many: () => ask(many) }));
  const isWithin = await comparePairs(pairs, { heads: ['small', 'large'], rounds });
  for (const house of [few, many]) await house.close();
  process.exitCode = isWithin ? 0 : 1;
} finally {
  await world.close();
}

/**
 * npm run bench bets: compares deep pages of long lists of bets with the first page, over HTTP, in alternating requests. One list is the
 * history of a player who made a tenth of all bets. The other is the staff list of all bets.
 */
import { fillBets, HEAVY } from './bets-world.ts';
import { cell, comparePairs, type Pair } from './compare.ts';
import { numbersOf } from './options.ts';
import { openStaffHouse, quantile, seconds, timed } from './staff.ts';
import { createWorld, type World } from './world.ts';

const TAKE = 20;
const { rows: count, rounds } = numbersOf('bets', {
  rows: [10_000_000, 'number of bets'],
  rounds: [60, 'how often each read is measured'],
});

type List = { name: string; ask: (page: number) => Promise<{ total: number }> };
const SHARES = { 'page after a tenth': 0.1, 'in the middle': 0.5, 'one of the last pages': 0.999 };

async function openHouse(world: World) {
  const house = await openStaffHouse(world, {
    name: `bets_${count}`,
    path: '/admin/bets',
    fill: (db) => fillBets(db, count),
  });
  console.log(`${count} bets created in ${house.filledIn}`);
  console.log(
    `  setting the marks for all users: ${seconds(await timed(() => house.services.bets.setMarks()))}`,
  );
  const read = await house.asPlayer(`user${HEAVY}`);
  console.log(`  setting the marks of the player: ${seconds(await timed(() => read('/bets')))}`);
  const history = (name: string, query = ''): List => ({
    name,
    ask: (page) => read(`/bets?take=${TAKE}&page=${page}${query}`),
  });
  const staff = (name: string, more: object = {}): List => ({
    name,
    ask: (page) => house.ask({ take: TAKE, page, ...more }),
  });
  const lists = [
    history('own history'),
    history('own history, oldest first', '&sortOrder=asc'),
    staff('everybody'),
    staff('everybody, oldest first', { sortOrder: 'asc' }),
    staff('everybody, settled', { where: { status: 'SETTLED' } }),
    staff('one player', { where: { userId: HEAVY } }),
    staff('one player, settled', { where: { userId: HEAVY, status: 'SETTLED' } }),
  ];
  const others = [
    staff('everybody, a game', { where: { gameSlug: 'dice' } }),
    staff('everybody, gone wrong', { where: { status: 'ERROR' } }),
    staff('all players, half of the period', { where: { endDate: halfAYearAgo() } }),
    { name: 'live feed', ask: () => read('/live-bets?type=ALL&count=100') },
    { name: 'own live feed', ask: () => read('/live-bets/my?count=100') },
  ];
  return { lists, others, close: house.close };
}

const halfAYearAgo = () => new Date(Date.now() - 182 * 86_400_000).toISOString();

/** Pairs the first page of a list with deep pages. Each round requests a different deep page, adjacent to the previous one. */
async function pairsOf({ name, ask }: List): Promise<Pair[]> {
  const { total } = await ask(1);
  return Object.entries(SHARES).map(([place, share]) => {
    const page = Math.max(rounds + 2, Math.floor((total / TAKE) * share));
    return { name: `${name}: ${place}`, few: () => ask(1), many: (i) => ask(page - i) };
  });
}

/** Measures lists that have no deep pages, without a comparison. */
async function show(lists: readonly List[]): Promise<void> {
  console.log('ms'.padEnd(50) + cell('p50') + cell('p95'));
  for (const { name, ask } of lists) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await timed(() => ask(1)));
    console.log(name.padEnd(50) + cell(quantile(times, 0.5)) + cell(quantile(times, 0.95)));
  }
}

const world = await createWorld({ timed: false });
try {
  const house = await openHouse(world);
  const pairs: Pair[] = [];
  for (const list of house.lists) pairs.push(...(await pairsOf(list)));
  process.exitCode = (await comparePairs(pairs, { heads: ['first', 'deep'], rounds })) ? 0 : 1;
  await show(house.others);
  await house.close();
} finally {
  await world.close();
}

/**
 * npm run bench:bets: what a page deep in a long list of bets costs beside the first page of the same list, over HTTP, request by
 * request in turn: the history of a player with a tenth of all bets, and the list of everybody's for staff. `--rows=N` makes N bets,
 * `--rounds=N` asks everything N times.
 */
import { parseArgs } from 'node:util';
import { fillBets, HEAVY } from './bets-world.ts';
import { cell, openStaffHouse, quantile, timed } from './staff.ts';
import { createWorld, type World } from './world.ts';

const MOST = 2;
const TAKE = 20;
const { values } = parseArgs({
  options: { rows: { type: 'string', default: '10000000' }, rounds: { type: 'string', default: '60' } },
});
const [count, rounds] = [Number(values.rows), Number(values.rounds)];

type Page = { total: number; data: object[] };
type Ask = (page: number) => Promise<Page>;
type List = { name: string; ask: Ask };
type Place = { name: string; share: number };

const PLACES: readonly Place[] = [
  { name: 'a tenth of the way', share: 0.1 },
  { name: 'in the middle', share: 0.5 },
  { name: 'last page but a few', share: 0.999 },
];

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

async function openHouse(world: World) {
  const house = await openStaffHouse(world, {
    name: `bets_${count}`,
    path: '/admin/bets',
    fill: async (db) => {
      const took = await timed(() => fillBets(db, count));
      console.log(`${count} bets made in ${seconds(took)}`);
    },
  });
  console.log(`  marks of all, once: ${seconds(await timed(() => house.services.bets.setMarks()))}`);
  const read = await house.asPlayer(`user${HEAVY}`);
  console.log(`  marks of the player, once: ${seconds(await timed(() => read('/bets')))}`);
  const history =
    (query = ''): Ask =>
    (page) =>
      read(`/bets?take=${TAKE}&page=${page}${query}`);
  const staff =
    (more: object = {}): Ask =>
    (page) =>
      house.ask({ take: TAKE, page, ...more });
  const settled = { where: { status: 'SETTLED' } };
  const lists: List[] = [
    { name: 'own history', ask: history() },
    { name: 'own history, oldest first', ask: history('&sortOrder=asc') },
    { name: 'everybody', ask: staff() },
    { name: 'everybody, oldest first', ask: staff({ sortOrder: 'asc' }) },
    { name: 'everybody, settled', ask: staff(settled) },
    { name: 'one player', ask: staff({ where: { userId: HEAVY } }) },
    { name: 'one player, settled', ask: staff({ where: { userId: HEAVY, status: 'SETTLED' } }) },
  ];
  const others: List[] = [
    { name: 'everybody, a game', ask: staff({ where: { gameSlug: 'dice' } }) },
    { name: 'everybody, gone wrong', ask: staff({ where: { status: 'ERROR' } }) },
    { name: 'everybody, half of all time', ask: staff({ where: { endDate: halfAYearAgo() } }) },
    { name: 'live feed', ask: () => read('/live-bets?type=ALL&count=100') },
    { name: 'own live feed', ask: () => read('/live-bets/my?count=100') },
  ];
  return { lists, others, close: house.close };
}

const halfAYearAgo = () => new Date(Date.now() - 182 * 86_400_000).toISOString();

type Times = { first: number[]; deep: number[] };

/** Both asked in turn; the first of each warm caches and plans. Deep pages are neighbours, not always the same. */
async function measure(ask: Ask, deep: number): Promise<Times> {
  const times: Times = { first: [], deep: [] };
  for (let round = -2; round < rounds; round++) {
    const first = await timed(() => ask(1));
    const far = await timed(() => ask(deep - (round + 2)));
    if (round < 0) continue;
    times.first.push(first);
    times.deep.push(far);
  }
  return times;
}

const ratioOf = ({ first, deep }: Times) => quantile(deep, 0.95) / quantile(first, 0.95);

async function compare(lists: readonly List[]): Promise<string[]> {
  const over: string[] = [];
  const heads = ['p50 first', 'p50 deep', 'p95 first', 'p95 deep', 'ratio', 'total'];
  console.log(`${'ms'.padEnd(50)}${heads.map((t) => cell(t, 11)).join('')}`);
  for (const { name, ask } of lists)
    for (const place of PLACES) {
      const { total } = await ask(1);
      const page = Math.max(rounds + 2, Math.floor((total / TAKE) * place.share));
      let times = await measure(ask, page);
      // Something else on the machine hits either of them; what costs more does so twice.
      const isAgain = ratioOf(times) > MOST;
      if (isAgain) times = await measure(ask, page);
      const { first, deep } = times;
      const numbers = [first, deep].map((t) => quantile(t, 0.5));
      numbers.push(...[first, deep].map((t) => quantile(t, 0.95)), ratioOf(times));
      const verdict = ratioOf(times) > MOST ? '  above, twice' : isAgain ? '  measured twice' : '';
      const title = `${name}: ${place.name}`;
      console.log(
        `${title.padEnd(50)}${numbers.map((n) => cell(n, 11)).join('')}${cell(String(total), 11)}${verdict}`,
      );
      if (ratioOf(times) > MOST) over.push(title);
    }
  return over;
}

/** What has no deep page, for its own sake. */
async function show(lists: readonly List[]): Promise<void> {
  for (const { name, ask } of lists) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await timed(() => ask(1)));
    console.log(`${name.padEnd(50)}${[0.5, 0.95].map((q) => cell(quantile(times, q), 11)).join('')}`);
  }
}

const world = await createWorld({ timed: false });
try {
  const house = await openHouse(world);
  const over = await compare(house.lists);
  console.log(`${'ms'.padEnd(50)}${['p50', 'p95'].map((t) => cell(t, 11)).join('')}`);
  await show(house.others);
  const all = house.lists.length * PLACES.length;
  const within = `${all - over.length} of ${all} deep pages within ${MOST} times what the first page costs`;
  console.log(over.length === 0 ? `PASS: ${within}` : `FAIL: ${within}; above: ${over.join(', ')}`);
  await house.close();
  process.exitCode = over.length === 0 ? 0 : 1;
} finally {
  await world.close();
}

/**
 * npm run bench:statement: what the statement costs with 10,000 and with 10,000,000 ledger postings, over HTTP and with its audit row,
 * request by request in turn. `--lines=N` makes the large ledger N lines long, `--rounds=N` asks everything N times.
 */
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { cell, openStaffHouse, quantile, timed } from './staff.ts';
import { fillLedger, HEAVY, type Known } from './statement-world.ts';
import { createWorld, type World } from './world.ts';

const SMALL = 10_000;
const MOST = 2;
const { values } = parseArgs({
  options: { lines: { type: 'string', default: '10000000' }, rounds: { type: 'string', default: '60' } },
});
const [large, rounds] = [Number(values.lines), Number(values.rounds)];

type House = Awaited<ReturnType<typeof openHouse>>;
type Case = {
  name: string;
  body: (house: House) => Promise<Record<string, unknown>> | Record<string, unknown>;
};

const LATEST = { sortBy: 'createdAt', sortOrder: 'desc', page: 1, take: 20 };

const filtered = (name: string, where: (known: Known) => object, more: object = {}): Case => ({
  name,
  body: ({ known }) => ({ ...LATEST, ...more, where: where(known) }),
});
/** The same relative place of a list of any length. */
const deep = (name: string, share: number, fields: object): Case => ({
  name,
  body: async ({ ask }) => {
    const { total } = await ask({ ...LATEST, ...fields });
    return { ...LATEST, ...fields, page: Math.max(1, Math.floor((total / LATEST.take) * share)) };
  },
});
const ago = (known: Known, ms: number) => new Date(known.middle.getTime() - ms).toISOString();

const CASES: readonly Case[] = [
  { name: 'first page', body: () => LATEST },
  { name: 'first page, oldest first', body: () => ({ ...LATEST, sortOrder: 'asc' }) },
  deep('page in the middle', 0.5, {}),
  deep('last page but a few', 0.99, {}),
  {
    name: 'page of 100 in the middle',
    body: async (house) => ({ ...(await CASES[2]!.body(house)), take: 100, page: 50 }),
  },
  filtered('one user, first page', () => ({ userId: HEAVY })),
  deep('one user, page in the middle', 0.5, { where: { userId: HEAVY } }),
  deep('one user, last page', 0.999, { where: { userId: HEAVY } }),
  filtered('one user by name, one type', ({ username }) => ({ username, type: 'DEPOSIT' })),
  filtered('one user, frequent type', () => ({ userId: HEAVY, type: 'BET' })),
  filtered('another user', () => ({ userId: 17 })),
  filtered('another user by amount', () => ({ userId: 17 }), { sortBy: 'usdAmount' }),
  filtered('type, rare', () => ({ type: 'DEPOSIT' })),
  filtered('type, rarer', () => ({ type: 'ADMIN_ADJUSTMENT' })),
  filtered('type without any', () => ({ type: 'CRM_FUNDS' })),
  filtered('type of what is unknown', () => ({ type: 'CORRECTION' })),
  filtered('type, frequent', () => ({ type: 'BET' })),
  filtered('type, frequent, page 200', () => ({ type: 'BET' }), { page: 200 }),
  filtered('wallet, rare', () => ({ wallet: 'VAULT' })),
  filtered('wallet, frequent', () => ({ wallet: 'CASH' })),
  filtered('direction', () => ({ direction: 'IN' })),
  filtered('currency', () => ({ currencyId: 'EUR' })),
  filtered('amounts', () => ({ minUsdAmount: '20', maxUsdAmount: '30' })),
  filtered('namespace', () => ({ referenceType: 'withdrawal' })),
  filtered('staff', () => ({ actorId: 3 })),
  filtered('range of 400 events', (k) => ({ startDate: ago(k, 400 * k.span), endDate: ago(k, 0) })),
  filtered('half of all time', (k) => ({ endDate: ago(k, 0) })),
  filtered('half of all time, oldest first', (k) => ({ startDate: ago(k, 0) }), { sortOrder: 'asc' }),
  filtered('range and type', (k) => ({
    startDate: ago(k, 400 * k.span),
    endDate: ago(k, 0),
    type: 'DEPOSIT',
  })),
  filtered('one user, range', (k) => ({ userId: HEAVY, endDate: ago(k, 0) })),
  filtered('reference: a deposit', ({ depositId }) => ({ referenceType: 'deposit', referenceId: depositId })),
  filtered('reference: a bet', ({ betId }) => ({ referenceType: 'bet', referenceId: betId })),
  filtered('reference: its id alone', ({ depositId }) => ({ referenceId: depositId })),
  filtered('reference to nothing', () => ({ referenceType: 'withdrawal', referenceId: 'none' })),
  filtered('one movement', ({ betId }) => ({ id: `${BigInt(betId) + 1n}-OUT` })),
];

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** The main API over a database with so many lines, and a superadmin who asks for the statement. */
async function openHouse(world: World, count: number) {
  const { filled, services, ask, close } = await openStaffHouse(world, {
    name: `ledger_${count}`,
    path: '/admin/accounting/transactions',
    async fill(db) {
      const beganMs = performance.now();
      const known = await fillLedger(db, count);
      const took = seconds(performance.now() - beganMs);
      const { rows } = await sql<{ size: string; brin: string }>`
        select pg_size_pretty(pg_total_relation_size('ledger_lines')) as size,
          pg_size_pretty(pg_relation_size('ledger_lines_id_brin')) as brin`.execute(db);
      console.log(
        `${count} lines made in ${took}: ${rows[0]!.size}, of which ${rows[0]!.brin} are the summary`,
      );
      return known;
    },
  });
  console.log(`  marks of all, once: ${seconds(await timed(() => services.accounting.setMarks()))}`);
  const beganMs = performance.now();
  const { total } = await ask({ ...LATEST, where: { userId: HEAVY } });
  const took = seconds(performance.now() - beganMs);
  console.log(`  marks of the user with ${total} movements, once: ${took}`);
  return { ask, known: filled, close };
}

type Times = { small: number[]; large: number[] };

/** Both asked in turn; the first of each warm caches and plans. */
async function measure([few, many]: readonly [House, House], [a, b]: readonly object[]): Promise<Times> {
  const times: Times = { small: [], large: [] };
  for (let round = -2; round < rounds; round++) {
    const small = await timed(() => few.ask(a!));
    const large = await timed(() => many.ask(b!));
    if (round < 0) continue;
    times.small.push(small);
    times.large.push(large);
  }
  return times;
}

const ratioOf = ({ small, large }: Times) => quantile(large, 0.95) / quantile(small, 0.95);

async function compare(houses: readonly [House, House]): Promise<string[]> {
  const over: string[] = [];
  const heads = ['p50 small', 'p50 large', 'p95 small', 'p95 large', 'ratio', 'total'];
  console.log(`${'ms'.padEnd(34)}${heads.map((t) => cell(t, 11)).join('')}`);
  for (const { name, body } of CASES) {
    const bodies = await Promise.all(houses.map(body));
    const { total } = await houses[1].ask(bodies[1]!);
    let times = await measure(houses, bodies);
    // Something else on the machine hits either of them; what costs more does so twice.
    const isAgain = ratioOf(times) > MOST;
    if (isAgain) times = await measure(houses, bodies);
    const { small, large } = times;
    const numbers = [
      quantile(small, 0.5),
      quantile(large, 0.5),
      quantile(small, 0.95),
      quantile(large, 0.95),
    ];
    const row = [...numbers, ratioOf(times)].map((n) => cell(n, 11)).join('');
    const verdict = ratioOf(times) > MOST ? '  above, twice' : isAgain ? '  measured twice' : '';
    console.log(`${name.slice(0, 33).padEnd(34)}${row}${cell(String(total), 11)}${verdict}`);
    if (ratioOf(times) > MOST) over.push(name);
  }
  return over;
}

const world = await createWorld({ timed: false });
try {
  const houses = [await openHouse(world, SMALL), await openHouse(world, large)] as const;
  const over = await compare(houses);
  const within = `${CASES.length - over.length} of ${CASES.length} within ${MOST} times what ${SMALL} lines cost`;
  console.log(over.length === 0 ? `PASS: ${within}` : `FAIL: ${within}; above: ${over.join(', ')}`);
  for (const house of houses) await house.close();
  process.exitCode = over.length === 0 ? 0 : 1;
} finally {
  await world.close();
}

/**
 * npm run bench statement: compares the staff list of ledger postings (the statement) with 10,000 and with 10,000,000 postings, in
 * alternating requests over HTTP. Each request also writes its audit row.
 */
import { sql } from 'kysely';
import { comparePairs, type Pair } from './compare.ts';
import { numbersOf } from './options.ts';
import { openStaffHouse, seconds, timed } from './staff.ts';
import { fillLedger, HEAVY, type Known } from './statement-world.ts';
import { createWorld, type World } from './world.ts';

const SMALL = 10_000;
const { lines, rounds } = numbersOf('statement', {
  lines: [10_000_000, 'ledger postings of the long ledger'],
  rounds: [60, 'how often each read is measured'],
});

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
/** Requests a page at the same relative position in lists of different lengths. */
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
  deep('one of the last pages', 0.99, {}),
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
  filtered('unknown type', () => ({ type: 'CORRECTION' })),
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

/** Starts the main API on a database with this many postings, with a superadmin who requests the statement. */
async function openHouse(world: World, count: number) {
  const { filled, filledIn, services, ask, close } = await openStaffHouse(world, {
    name: `ledger_${count}`,
    path: '/admin/accounting/transactions',
    async fill(db) {
      const known = await fillLedger(db, count);
      const { rows } = await sql<{ size: string; brin: string }>`
        select (select pg_size_pretty(sum(pg_total_relation_size(relid))) from pg_partition_tree('ledger_lines')) as size,
          (select pg_size_pretty(sum(pg_relation_size(relid))) from pg_partition_tree('ledger_lines_id_brin')) as brin`.execute(
        db,
      );
      return { known, ...rows[0]! };
    },
  });
  const { known, size, brin } = filled;
  console.log(`${count} lines created in ${filledIn}: ${size}, of which the BRIN index takes ${brin}`);
  console.log(
    `  setting the marks for all users: ${seconds(await timed(() => services.accounting.setMarks()))}`,
  );
  const took = await timed(() => ask({ ...LATEST, where: { userId: HEAVY } }));
  console.log(`  setting the marks of the user with a tenth of the lines: ${seconds(took)}`);
  return { ask, known, close };
}

const world = await createWorld({ timed: false });
try {
  const [few, many] = [await openHouse(world, SMALL), await openHouse(world, lines)];
  const pairs: Pair[] = [];
  for (const { name, body } of CASES) {
    const [a, b] = [await body(few), await body(many)];
    pairs.push({ name, few: () => few.ask(a), many: () => many.ask(b) });
  }
  const isWithin = await comparePairs(pairs, { heads: ['small', 'large'], rounds });
  for (const house of [few, many]) await house.close();
  process.exitCode = isWithin ? 0 : 1;
} finally {
  await world.close();
}

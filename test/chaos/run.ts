/**
 * npm run ci -- chaos [-- --minutes 10 --clients 12 --seed N]
 *
 * Runs the platform with misbehaving partners while its processes are killed.
 * - A payment provider repeats, delays, reorders, loses and garbles messages.
 * - Two APIs and a worker are killed at random.
 * - Players deposit, withdraw, cancel, and play every house game and the slot of an aggregator that misbehaves in four dialects.
 * - They bet at a sportsbook that settles in any order, redeem codes, stake bonus money, play free spins, and claim rakeback and
 *   commission.
 * - Staff approve, roll back and retry.
 *
 * At the end every round must be finished, each claim booked once, and no code redeemed too often. Grants must be settled or open. The
 * books of both sides and the ledger must agree exactly.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { brokenBooks, withDb } from '../crash/check.ts';
import { seeded } from '../crash/load.ts';
import { SEED_SECRET } from '../crash/processes.ts';
import { compareAggregator } from '../kit/games/provider-books.ts';
import { createActions, createStaff } from './actions.ts';
import { type Books, compareBooks } from './check.ts';
import { CRM_MOODS, untold } from './crm.ts';
import { openBets } from './games.ts';
import { AGGREGATOR_MOODS } from './providers.ts';
import { compareRewards, countRewards } from './rewards-check.ts';
import { settle } from './settle.ts';
import { startWorld } from './world.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    clients: { type: 'string', default: '12' },
    seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
  },
});
const [minutes, clients] = [Number(values.minutes), Number(values.clients)];
const random = seeded(Number(values.seed));

/** Modes of the payment provider, each used for some time. */
const MOODS: readonly object[] = [
  {},
  { webhooks: { duplicates: 0.5, reorder: 0.5 } },
  { payouts: { 'timeout-after': 0.5, 'timeout-before': 0.3 }, webhooks: { lost: 0.3 } },
  { payouts: { 'error-after': 0.5, 'error-before': 0.3 }, webhooks: { delayMs: 500, duplicates: 0.2 } },
  { payouts: { reset: 0.6 }, addresses: { reset: 0.3 }, webhooks: { reorder: 0.6, lost: 0.2 } },
  { payouts: { garbage: 0.6, 'wrong-types': 0.2 }, lookups: { garbage: 0.5 } },
  { payouts: { refuse: 0.6 }, webhooks: { duplicates: 0.3, slow: 0.2 } },
  { payouts: { slow: 0.7 }, lookups: { 'error-before': 0.5 }, webhooks: { slow: 0.4 } },
];

console.log(`seed ${values.seed}: ${minutes} minutes, ${clients} clients`);
const world = await startWorld({ players: 24, random });
const actions = await createActions(world, random);
const staff = createStaff(world, random);
let isClean = false;
try {
  isClean = await run();
} finally {
  await world.stop({ keep: !isClean });
  if (!isClean)
    console.log(`logs and data are in ${world.cluster.folder}; repeat with --seed ${values.seed}`);
}
process.exit(isClean ? 0 : 1);

async function run(): Promise<boolean> {
  const until = Date.now() + minutes * 60_000;
  const during = async (pause: () => number, work: () => Promise<unknown>) => {
    for (; Date.now() < until; await sleep(pause())) await work();
  };
  const tally = { kills: 0, moods: 0 };
  await Promise.all([
    ...Array.from({ length: clients }, () => during(() => 5 + 40 * random(), actions.step)),
    during(
      () => 400,
      () => staff.round({ isFinal: false }),
    ),
    during(
      () => 3000 + 6000 * random(),
      async () => {
        const { names } = world.cluster;
        await world.cluster.kill(names[Math.floor(random() * names.length)]!);
        tally.kills++;
        await sleep(300 * random());
        await world.cluster.heal();
      },
    ),
    during(
      () => 2000 + 5000 * random(),
      async () => {
        await world.outside('POST', '/payments/behaviour', {
          ...MOODS[Math.floor(random() * MOODS.length)],
          seed: Math.floor(random() * 1e9),
        });
        await world.outside('POST', '/games/behaviour', {
          ...AGGREGATOR_MOODS[Math.floor(random() * AGGREGATOR_MOODS.length)],
          seed: Math.floor(random() * 1e9),
        });
        const mode = CRM_MOODS[Math.floor(random() * CRM_MOODS.length)];
        await world.outside('POST', '/crm/behaviour', { mode });
        tally.moods++;
      },
    ),
    during(
      () => 15_000,
      async () =>
        console.log(
          JSON.stringify({
            ...actions.counts(),
            ...tally,
            secondsLeft: Math.round((until - Date.now()) / 1000),
          }),
        ),
    ),
  ]);
  await world.outside('POST', '/payments/behaviour', MOODS[0]!);
  await world.outside('POST', '/crm/behaviour', { mode: 'ok' });
  const [aggregator] = await Promise.all([actions.settleProviders(), settle(world, staff)]);
  await actions.resumeAll();
  const books = (await world.outside('GET', '/payments/books')) as Books;
  const { problems, rewards } = await withDb(world.cluster.databaseUrl(), async (db) => ({
    problems: [
      ...(await compareBooks(db, books)),
      ...(await compareAggregator(db, aggregator)),
      ...(await openBets(db)),
      ...(await compareRewards(db, actions.acknowledged)),
      ...(await untold(db, () => world.outside('GET', '/crm/arrivals.json') as Promise<string[]>)),
      ...(await brokenBooks(db, SEED_SECRET)),
    ],
    rewards: await countRewards(db),
  }));
  problems.push(
    ...actions.problems(),
    ...world.failures.map((failure) => `answered 500: ${failure}`),
    ...world.cluster.strayExits,
  );
  for (const problem of problems.slice(0, 40)) console.log(`  BROKEN ${problem}`);
  const { deposits, payouts } = books;
  const booked = Object.values(aggregator.books).flatMap(({ transactions }) => transactions);
  console.log(
    `chaos: ${deposits.length} coins in, ${payouts.length} payouts, ${booked.length} transactions of games and the sportsbook, ${JSON.stringify({ ...actions.counts(), ...tally, ...rewards })}, ${problems.length} problems`,
  );
  return problems.length === 0;
}

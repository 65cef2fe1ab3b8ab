/**
 * npm run bench leaderboards: measures how long it takes to read the first fifty ranks and a player's own rank. Compares leaderboards with
 * 1,000 and with 100,000 participants, in alternating requests. Also measures how many score changes per second the consumer applies. Exits
 * 1 if a limit is exceeded.
 */

import { type Kysely, sql } from 'kysely';
import { readBoard } from '../src/modules/engagement/leaderboards/service.ts';
import type { DB } from '../src/platform/database/tables.ts';
import { cell } from './compare.ts';
import { fillTable } from './fill.ts';
import { numbersOf } from './options.ts';
import { openStaffHouse, quantile, seconds, timed } from './staff.ts';
import { createWorld, type World } from './world.ts';

const SMALL = 1000;
const MOST_MS = 50;
const MOST_RATIO = 3;
/** Number of players in the burst of bets that the consumer processes. */
const BETTORS = 1000;
const WARM_UPS = 5;

const { entrants, rounds, bets } = numbersOf('leaderboards', {
  entrants: [100_000, 'participants of the large leaderboard'],
  rounds: [100, 'how often each read is measured'],
  bets: [100_000, 'bets that the consumer counts in three leaderboards'],
});

/** Inserts participants. Their scores are stored as if they had changed many times. */
async function fill(db: Kysely<DB>, count: number): Promise<void> {
  await fillTable(db, 'users', async (one) => {
    await sql`
      insert into users (username, email, username_skeleton, email_verified)
      select 'racer_' || n, 'racer_' || n || '@web.example', 'racer_' || n, true from generate_series(1, ${count}::int) n`.execute(
      one,
    );
  });
  await sql`
    insert into leaderboards (type, status, name, description, currency_id, min_bet_usd, prizes, categories, provider_ids, game_slugs,
      moves_prizes_up, start_date, end_date, generation, participants)
    select 'SPECIAL', 'ACTIVE', 'A race', '', 'USDT', 0, '[{"place": 1, "usdAmount": "100"}]', '{}', '{}', '{}', false,
      now() - interval '1 hour', now() + interval '30 days', 0, case when n = 1 then ${count}::int else 0 end
    from generate_series(1, 3) n`.execute(db);
  await sql`select setseed(0.4)`.execute(db);
  await sql`
    insert into leaderboard_scores (leaderboard_id, user_id, score, reached_place)
    select 1, id, floor(1e8 / (0.0001 + random()))::numeric, floor(random() * 1e12)::int8 from users`.execute(
    db,
  );
  await sql`update leaderboard_scores set score = score + 1, reached_place = reached_place + 1 where user_id % 10 = 0`.execute(
    db,
  );
  await sql`vacuum analyze`.execute(db);
}

type House = Awaited<ReturnType<typeof openHouse>>;

async function openHouse(world: World, count: number) {
  const house = await openStaffHouse(world, {
    name: `leaderboard_${count}`,
    path: '/admin/bets',
    fill: (db) => fill(db, count),
  });
  console.log(`${count} participants created in ${house.filledIn}`);
  const { db } = house.services;
  const { rows } = await sql<{ username: string }>`
    select username from leaderboard_scores join users on id = user_id where leaderboard_id = 1
    order by score desc limit 1 offset ${Math.floor(count / 2)}`.execute(db);
  const middle = await house.asPlayer(rows[0]!.username);
  const { rows: lowest } = await sql<{ username: string }>`
    select username from leaderboard_scores join users on id = user_id where leaderboard_id = 1 order by score limit 1`.execute(
    db,
  );
  const last = await house.asPlayer(lowest[0]!.username);
  return { ...house, db, middle, last };
}

const CASES: readonly { name: string; ask: (house: House) => Promise<unknown> }[] = [
  {
    name: 'first fifty, read again (no HTTP)',
    ask: ({ db }) => readBoard(db, 1),
  },
  { name: 'first fifty and own place in the middle', ask: ({ middle }) => middle('/leaderboards/1') },
  { name: 'first fifty and own place, the last one', ask: ({ last }) => last('/leaderboards/1') },
  { name: 'own leaderboards', ask: ({ middle }) => middle('/leaderboards/my') },
];

async function compare(few: House, many: House): Promise<boolean> {
  const heads = ['p50 few', 'p50 many', 'p95 few', 'p95 many', 'ratio'].map((head) => cell(head)).join('');
  console.log(`${'ms'.padEnd(42)}${heads}`);
  let isWithin = true;
  for (const { name, ask } of CASES) {
    const times = { few: [] as number[], many: [] as number[] };
    for (let i = 0; i < rounds + WARM_UPS; i++) {
      const [a, b] = [await timed(() => ask(few)), await timed(() => ask(many))];
      if (i < WARM_UPS) continue;
      times.few.push(a);
      times.many.push(b);
    }
    const [a, b] = [quantile(times.few, 0.95), quantile(times.many, 0.95)];
    const isOver = b > MOST_MS || b / a > MOST_RATIO;
    isWithin &&= !isOver;
    const row = [quantile(times.few, 0.5), quantile(times.many, 0.5), a, b, b / a]
      .map((n) => cell(n))
      .join('');
    console.log(name.padEnd(42) + row + (isOver ? '  over' : ''));
  }
  return isWithin;
}

/** Measures how fast the consumer applies a burst of bets by a thousand players to three leaderboards. */
async function count({ db, services }: House): Promise<void> {
  await sql`
    insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id)
    select b.base + k, 100000000, 0, 100000000, 0, 1000000000000, 1 + (b.n * 1000 + k) % ${BETTORS}::int,
      (select id from games where slug = 'dice'), 'SETTLED', 'USDT'
    from (select n, nextval('ledger_ids') as base from generate_series(1, ${Math.ceil(bets / 1000)}::int) n) b, generate_series(0, 999) k`.execute(
    db,
  );
  const { consumer } = services.leaderboards;
  const took = await timed(async () => {
    while (await consumer.hasNews()) await consumer.catchUp();
  });
  console.log(
    `${bets} bets counted in three leaderboards in ${seconds(took)}: ${Math.round((bets / took) * 1000)} effects a second`,
  );
}

const world = await createWorld({ timed: false });
try {
  const [few, many] = [await openHouse(world, SMALL), await openHouse(world, entrants)];
  const isWithin = await compare(few, many);
  console.log(
    `${isWithin ? 'PASS' : 'FAIL'}: p95 within ${MOST_MS} ms and ${MOST_RATIO} times that of ${SMALL}`,
  );
  if (bets > 0) await count(many);
  for (const house of [few, many]) await house.close();
  process.exitCode = isWithin ? 0 : 1;
} finally {
  await world.close();
}

/** Generates two months of random dashboard data from a seed, and reads the generated facts from the individual rows. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { packDays } from '../../../src/modules/backoffice/dashboards/packed/queries.ts';
import { GIVEN_KINDS } from '../../../src/modules/money/rewards/rules.ts';
import { transaction } from '../../../src/platform/database/db.ts';
import type { TestApp } from '../app.ts';
import { consumeAll, correctBet, placeBet, reverseBet } from '../games/bets.ts';
import { newGames } from '../games/catalogue.ts';
import type { Facts } from './dashboard-model.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAYS = 60;
const NETWORKS: Readonly<Record<string, string>> = { USDT: 'tron', BTC: 'bitcoin', ETH: 'ethereum' };
const CURRENCIES = Object.keys(NETWORKS);

/** Providers and their fee, in percent of the revenue from their games. */
const FEES: Readonly<Record<string, string>> = { acme: '12.5', bravo: '40' };
export const FEES_ENV = {
  GAME_PROVIDERS: JSON.stringify(
    Object.entries(FEES).map(([slug, feePercent]) => ({
      slug,
      name: slug,
      dialect: 'softswiss',
      apiUrl: `https://${slug}.example/v2/`,
      operatorId: 'casino',
      secrets: [`a secret of a supplier that is called ${slug}`],
      currencies: [{ ours: 'BTC', code: 'MBT', factor: '0.001', decimals: 5 }],
      launchOrigins: [`https://play.${slug}.example`],
      feePercent,
    })),
  ),
};

type Size = { users: number; bets: number; payments: number; seed: number };
type Dice = ReturnType<typeof diceOf>;

/** A random generator that returns the same numbers for the same seed. */
function diceOf(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (share: number) => next() < share,
    one: <T>(all: readonly T[]): T => all[below(all.length)]!,
    units: (from: number, to: number) => BigInt(Math.floor(from * (to / from) ** next())),
  };
}

/** Returns a random time. It is sometimes the first or last moment of an hour, and sometimes today. */
function momentOf({ below, chance }: Dice): Date {
  const now = Date.now();
  const at = now - (chance(0.15) ? below(DAY) : below(DAYS * DAY));
  const hour = Math.floor(at / HOUR) * HOUR;
  if (chance(0.1)) return new Date(hour);
  if (chance(0.1) && hour + HOUR - 1 < now) return new Date(hour + HOUR - 1);
  return new Date(at);
}

/**
 * Creates half of the data and packs its days. Then creates the other half, changes existing bets, and changes which users the dashboards
 * count.
 */
export async function makeMonths(app: TestApp, size: Size): Promise<void> {
  const dice = diceOf(size.seed);
  const games = await makeGames(app);
  const users = await makeUsers(app, dice, size.users);
  await makeBets(app, dice, { users, games, count: size.bets / 2 });
  await makePayments(app, dice, { users, count: size.payments / 2 });
  await consumeAll(app);
  await packDays(app.db);
  // The following bets change days that are already packed.
  await makeBets(app, dice, { users, games, count: size.bets / 2 });
  await makePayments(app, dice, { users, count: size.payments / 2 });
  await changeBets(app, dice, size.bets / 10);
  await consumeAll(app);
  for (const id of users.filter(() => dice.chance(0.2)))
    await sql`update users set ${dice.chance(0.5) ? sql`is_test = not is_test` : sql`is_staff = not is_staff`} where id = ${id}`.execute(
      app.db,
    );
  await changeBets(app, dice, size.bets / 20);
  await consumeAll(app);
}

async function makeGames(app: TestApp): Promise<number[]> {
  for (const slug of Object.keys(FEES)) {
    const { id } = await app.db
      .selectFrom('game_providers')
      .select('id')
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow();
    await newGames(
      app,
      [1, 2].map((n) => ({
        provider_id: id,
        slug: `${slug}-${n}`,
        name: `${slug} ${n}`,
        ...(n === 2 && { type: 'EVO_GAME', categories: ['LIVE_CASINO'] }),
      })),
    );
  }
  const rows = await app.db.selectFrom('games').select('id').execute();
  return rows.map(({ id }) => id);
}

/** Creates users who play, pay and receive rewards (players, staff and test users), and bots, which do none of these things. */
async function makeUsers(app: TestApp, dice: Dice, count: number): Promise<number[]> {
  const rows = Array.from({ length: count }, (_, i) => ({
    username: `figure${i}`,
    email: `figure${i}@figures.example`,
    username_skeleton: `figure ${i}`,
    created_at: momentOf(dice),
    is_staff: dice.chance(0.1),
    is_test: dice.chance(0.1),
    is_bot: i % 6 === 5,
  }));
  const made = await app.db.insertInto('users').values(rows).returning(['id', 'is_bot']).execute();
  const ids = made.map(({ id }) => id);
  await sql`insert into players (user_id, seed_pair_id) select id, 0 from unnest(${ids}::int4[]) id`.execute(
    app.db,
  );
  return made.filter(({ is_bot }) => !is_bot).map(({ id }) => id);
}

// ---------------------------------------------------------------- bets

type Playing = { users: readonly number[]; games: readonly number[]; count: number };

async function makeBets(app: TestApp, dice: Dice, { users, games, count }: Playing): Promise<void> {
  for (let n = 0; n < count; n++) {
    const amount = dice.units(1e5, 1e9);
    const payout = dice.chance(0.5) ? 0n : dice.units(1e5, 2e9);
    const quarter = BigInt(dice.below(5));
    await placeBet(app, {
      userId: dice.one(users),
      gameId: dice.one(games),
      amount,
      payout,
      usd: BigInt(dice.below(4)),
      settledAt: momentOf(dice),
      status: dice.chance(0.1) ? 'CREATED' : 'SETTLED',
      ...(dice.chance(0.3) && { bonus: { staked: (amount * quarter) / 4n, paid: (payout * quarter) / 4n } }),
    });
  }
}

/** Rolls back some bets and corrects others. Some of the corrections are reversed or reopen the bet. */
async function changeBets(app: TestApp, dice: Dice, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const settled = await app.db
      .selectFrom('bets')
      .select(['id', 'user_id as userId', 'is_corrected as isCorrected'])
      .where('status', '=', 'SETTLED')
      .orderBy('id')
      .execute();
    const bet = dice.one(settled);
    if (!bet.isCorrected && dice.chance(0.4)) await reverseBet(app, bet);
    else if (dice.chance(0.3)) await correctBet(app, bet, null, dice.one(['ROLLBACK', 'CREATED'] as const));
    else {
      const amount = dice.units(1e5, 1e9);
      const payout = dice.units(1e5, 1e9);
      const bonus = { staked: amount / 3n, paid: dice.chance(0.5) ? payout : 0n };
      await correctBet(app, bet, { amount, payout, usd: 2n, at: momentOf(dice), bonus });
    }
  }
}

// ---------------------------------------------------------------- payments

type Paying = { users: readonly number[]; count: number };

async function makePayments(app: TestApp, dice: Dice, { users, count }: Paying): Promise<void> {
  const keys: string[] = [];
  for (let n = 0; n < count; n++) {
    const userId = dice.one(users);
    keys.push(await deposit(app, dice, userId));
    if (dice.chance(0.5)) await withdraw(app, dice, userId);
    if (dice.chance(0.7)) await give(app, dice, userId);
  }
  for (const key of keys.filter(() => dice.chance(0.15)))
    await transaction(app.db, (tx) => app.services.credits.reverse(tx, { key, at: new Date() }));
}

/** Creates a deposit by skins (without a network) or by coins. Some coin deposits fail first. */
async function deposit(app: TestApp, dice: Dice, userId: number): Promise<string> {
  const [key, currencyId, at] = [`figures:${randomUUID()}`, dice.one(CURRENCIES), momentOf(dice)];
  const [amount, usdAmount] = [dice.units(1e6, 1e11), dice.units(1e6, 1e11)];
  await transaction(app.db, async (tx) => {
    const credited = { userId, currencyId, amount, usdAmount, key, at, kind: 'skins.deposit' } as const;
    await app.services.credits.credit(tx, credited);
    if (dice.chance(0.6))
      await sql`${insertDeposit({ userId, currencyId, at, status: 'COMPLETED' })} , ${key})`.execute(tx);
  });
  if (dice.chance(0.2))
    await sql`${insertDeposit({ userId, currencyId, at: momentOf(dice), status: 'FAILED' })} , null)`.execute(
      app.db,
    );
  return key;
}

type Coins = { userId: number; currencyId: string; at: Date; status: string };
const insertDeposit = ({ userId, currencyId, at, status }: Coins) => sql`
  insert into deposits (id, user_id, status, status_history, provider_id, external_id, currency_id, network_id, pay_address, amount, usd_amount,
    required_confirmations, noticed_at, credit_key)
  values (gen_random_uuid(), ${userId}, ${status}, ${JSON.stringify([{ status, at }])}, 'sandbox', gen_random_uuid()::text, ${currencyId},
    ${NETWORKS[currencyId]}, 'an address', 1, 1, 1, ${at}`;

/** Possible status histories of a withdrawal. */
const WAYS: readonly (readonly string[])[] = [
  ['WAITING_FOR_APPROVAL'],
  ['WAITING_FOR_APPROVAL', 'REJECTED'],
  ['WAITING_FOR_APPROVAL', 'CANCELLED'],
  ['WAITING_FOR_APPROVAL', 'APPROVED', 'PROCESSING'],
  ['WAITING_FOR_APPROVAL', 'APPROVED', 'PROCESSING', 'COMPLETED'],
  ['WAITING_FOR_APPROVAL', 'APPROVED', 'PROCESSING', 'SENT', 'COMPLETED'],
  ['WAITING_FOR_APPROVAL', 'APPROVED', 'PROCESSING', 'FAILED'],
  // The withdrawal is retried after a failure.
  ['WAITING_FOR_APPROVAL', 'APPROVED', 'PROCESSING', 'FAILED', 'APPROVED', 'PROCESSING', 'COMPLETED'],
  ['WAITING_FOR_APPROVAL', 'APPROVED', 'PROCESSING', 'FAILED', 'APPROVED', 'PROCESSING', 'FAILED'],
  ['WAITING_FOR_APPROVAL', 'APPROVED', 'PROCESSING', 'FAILED', 'APPROVED'],
  // The withdrawal was marked as sent, but was then found not to have been sent.
  ['WAITING_FOR_APPROVAL', 'APPROVED', 'PROCESSING', 'SENT', 'FAILED', 'APPROVED', 'PROCESSING', 'SENT'],
];

async function withdraw(app: TestApp, dice: Dice, userId: number): Promise<void> {
  const [id, currencyId, amount] = [randomUUID(), dice.one(CURRENCIES), dice.units(1e6, 1e10)];
  let at = momentOf(dice);
  const [first, ...rest] = dice.one(WAYS);
  await sql`
    insert into withdrawals (id, user_id, status, status_history, currency_id, network_id, amount, fee, usd_amount, is_priced,
      recipient_address, risk_score, risk_reasons, provider_id, reference, created_at, updated_at)
    values (${id}, ${userId}, ${first}, ${JSON.stringify([{ status: first, at }])}, ${currencyId}, ${NETWORKS[currencyId]}, ${amount}, 0,
      ${dice.units(1e6, 1e10)}, true, 'an address', 0, '{}', 'sandbox', ${id}, ${at}, ${at})`.execute(app.db);
  for (const status of rest) {
    at = new Date(Math.min(Date.now(), at.getTime() + dice.below(2 * DAY)));
    await sql`
      update withdrawals set status = ${status}, status_history = status_history || ${JSON.stringify([{ status, at }])}::jsonb, updated_at = ${at},
        confirmed_at = case when ${status} = 'APPROVED' then coalesce(confirmed_at, ${at}) else confirmed_at end
      where id = ${id}`.execute(app.db);
  }
}

const give = (app: TestApp, dice: Dice, userId: number) =>
  sql`
  insert into money_hours as h (hour, kind, user_id, currency_id, count, amount, usd_amount)
  values (date_trunc('hour', ${momentOf(dice)}::timestamptz, 'UTC'), ${dice.one(GIVEN_KINDS)}, ${userId}, ${dice.one(CURRENCIES)}, 1,
    ${dice.units(1e5, 1e9)}, ${dice.units(1e5, 1e9)})
  on conflict (hour, kind, user_id, currency_id) do update
    set count = h.count + 1, amount = h.amount + excluded.amount, usd_amount = h.usd_amount + excluded.usd_amount`.execute(
    app.db,
  );

// ---------------------------------------------------------------- facts

type Changed = { status: string; at: string }[];
const lastAt = (history: unknown) => Date.parse((history as Changed).at(-1)!.at);

/** Reads facts only from rows of bets, payments and users. Rewards are read from hourly totals, because they have no rows. */
export async function factsOf({ db }: TestApp): Promise<Facts> {
  const users = await db
    .selectFrom('users')
    .select(['id', 'created_at', 'is_staff', 'is_test', 'is_bot'])
    .execute();
  const games = await db
    .selectFrom('games')
    .innerJoin('game_providers as p', 'p.id', 'games.provider_id')
    .select([
      'games.id',
      'games.slug',
      'games.name',
      'games.type',
      'categories',
      'p.id as providerId',
      'p.slug as provider',
    ])
    .execute();
  const credits = await db.selectFrom('payment_credits').selectAll().execute();
  const deposits = await db.selectFrom('deposits').selectAll().execute();
  const withdrawals = await db.selectFrom('withdrawals').selectAll().execute();
  const given = await db.selectFrom('money_hours').selectAll().execute();
  return {
    users: users.map((user) => ({
      id: user.id,
      at: user.created_at.getTime(),
      counts: !user.is_staff && !user.is_test && !user.is_bot,
    })),
    games: games.map(({ categories, providerId, provider, ...game }) => ({
      ...game,
      category: categories[0] ?? game.type,
      provider: providerId === 0 ? null : provider,
      feePpm: BigInt(Math.round(Number(FEES[provider] ?? 0) * 10_000)),
    })),
    bets: await betsOf(db),
    deposits: credits.map((credit) => ({
      userId: credit.user_id,
      at: credit.credited_at.getTime(),
      currencyId: credit.currency_id,
      networkId: deposits.find(({ credit_key }) => credit_key === credit.key)?.network_id ?? null,
      amount: credit.amount,
      usd: credit.usd_amount,
      stands: credit.reversal_entry_id === null,
    })),
    failedDeposits: deposits
      .filter(({ status }) => status === 'FAILED')
      .map((one) => ({
        userId: one.user_id!,
        at: lastAt(one.status_history),
        currencyId: one.currency_id,
        networkId: one.network_id,
      })),
    withdrawals: withdrawals.map((one) => ({
      userId: one.user_id,
      currencyId: one.currency_id,
      networkId: one.network_id,
      status: one.status,
      at: lastAt(one.status_history),
      askedAt: one.created_at.getTime(),
      approvedAt: one.confirmed_at?.getTime() ?? null,
      amount: one.amount,
      usd: one.usd_amount,
    })),
    given: given.map((one) => ({
      userId: one.user_id,
      at: one.hour.getTime(),
      kind: one.kind,
      currencyId: one.currency_id,
      usd: BigInt(one.usd_amount),
    })),
  };
}

/** Bets in their latest version, without bonus money. */
async function betsOf(db: TestApp['db']): Promise<Facts['bets']> {
  const bets = await db.selectFrom('bets').selectAll().execute();
  const corrections = await db.selectFrom('bet_corrections').selectAll().orderBy('id').execute();
  const bonus = new Map(
    (await db.selectFrom('bonus_bets').selectAll().execute()).map((of) => [of.bet_id, of]),
  );
  const own = (usd: bigint, amount: bigint, part = 0n) =>
    part === 0n ? usd : (usd * (amount - part)) / amount;
  return bets
    .filter(({ status }) => status === 'SETTLED')
    .map((bet) => {
      const last = corrections.findLast(({ bet_id }) => bet_id === bet.id);
      const parts = bonus.get(bet.id);
      const [amount, payout] = last ? [last.amount_after!, last.payout_after!] : [bet.amount, bet.payout];
      const [usd, usdPayout] = last
        ? [last.usd_amount_after!, last.usd_payout_after!]
        : [bet.usd_amount, bet.usd_payout];
      return {
        id: bet.id,
        userId: bet.user_id,
        gameId: bet.game_id,
        at: (last ? last.at_after! : bet.settled_at!).getTime(),
        staked: own(usd, amount, parts?.bonus_staked),
        paid: own(usdPayout, payout, parts?.bonus_paid),
        counts: true,
      };
    });
}

/** A model that computes rewards bet by bet with plain arithmetic, without code from `src`. */
import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { type Tx, transaction } from '../../../src/platform/database/db.ts';
import type { Player, TestApp } from '../app.ts';
import { newRealPlayer } from '../games/bet-rows.ts';
import { correct, cursorPosition, lock } from '../games/bets.ts';

const USD = 100_000_000n;
/** The VIP levels: thresholds in dollars wagered and boosts in percent. */
const LADDER: [bigint, bigint][] = [
  [0n, 0n],
  [10_000n, 10n],
  [50_000n, 20n],
  [100_000n, 30n],
  [250_000n, 50n],
  [500_000n, 75n],
  [1_000_000n, 100n],
  [5_000_000n, 150n],
];
/** The affiliate levels: dollars wagered by referrals and commission in hundredths of a percent. */
const AFFILIATE_LADDER: [bigint, bigint][] = [
  [0n, 500n],
  [50_000n, 750n],
  [250_000n, 1000n],
  [1_000_000n, 1500n],
];
const BASE = { instant: 500n, daily: 200n, weekly: 200n, monthly: 100n };
const PERIODS = ['instant', 'daily', 'weekly', 'monthly'] as const;
type Period = (typeof PERIODS)[number];

type Bet = {
  id: bigint;
  userId: number;
  bonus: bigint;
  edge: bigint;
  isGone: boolean;
  canBeCorrected: boolean;
};
type Side = { bet: Bet; position: bigint; sign: 1 | -1; amount: bigint; payout: bigint; at: Date };
type Recorded = {
  ownUsd: bigint;
  ggr: bigint;
  amounts: Record<Period, bigint>;
  starts: Record<Period, string>;
  affiliate: number | undefined;
  earned: bigint;
};
type Row = { accrued: bigint; claimed: bigint; expired: bigint };
/** `expiryDays`: the number of days after the end of its period in which rakeback can be claimed; null means no limit. */
type Options = { expiryDays: number | null };

const HEAD = '-infinity';
const dayText = (at: Date) => at.toISOString().slice(0, 10);
/** Returns the first day of each period. Computed by counting days, independently of `platform/periods.ts`. */
function startsOf(at: Date): Record<Period, string> {
  const monday = new Date(at);
  while (monday.getUTCDay() !== 1) monday.setUTCDate(monday.getUTCDate() - 1);
  return {
    instant: HEAD,
    daily: dayText(at),
    weekly: dayText(monday),
    monthly: `${dayText(at).slice(0, 7)}-01`,
  };
}
/** Returns the first day after a period. */
function endOf(period: Period, start: string): Date {
  const end = new Date(`${start}T00:00:00Z`);
  if (period === 'monthly') end.setUTCMonth(end.getUTCMonth() + 1);
  else end.setUTCDate(end.getUTCDate() + (period === 'weekly' ? 7 : 1));
  return end;
}
const restOf = ({ accrued, claimed, expired }: Row) => accrued - claimed - expired;
const decimal = (amount: bigint) =>
  `${amount / USD}.${String(amount % USD).padStart(8, '0')}`.replace(/\.?0+$/, '');
const levelIn = (ladder: [bigint, bigint][], wagered: bigint) => {
  let level = 0;
  ladder.forEach(([from], i) => {
    if (wagered >= from * USD) level = i;
  });
  return level;
};

type Changes = {
  /** Reserved sequence positions that are not used yet. */
  positions: bigint[];
  bets: (Bet & { amount: bigint; payout: bigint; at: Date; isOpen: boolean; grantId: bigint })[];
  settled: { id: bigint; position: bigint; at: Date }[];
  reversed: { id: bigint; position: bigint }[];
};

async function reservePositions(tx: Tx, count: number): Promise<bigint[]> {
  const { rows } = await sql<{ position: bigint }>`
    select nextval('ledger_ids') as position from generate_series(1, ${count}::int)`.execute(tx);
  return rows.map(({ position }) => position);
}

/** Writes bets as in production, but without ledger entries. */
async function write(tx: Tx, { bets, settled, reversed }: Changes): Promise<void> {
  const json = (rows: object[]) =>
    JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  await sql`
    with made as (
      select * from jsonb_to_recordset(${json(bets)}::jsonb) as b(id int8, amount int8, payout int8, at timestamptz, "userId" int, edge int,
        bonus int8, "isOpen" boolean, "canBeCorrected" boolean, "grantId" int8)),
    written as (
      insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id, rtp_bp, edge_ppm, settled_at)
      select id, amount, payout, amount, payout, 1, "userId", (select id from games where slug = 'dice'),
        case when "isOpen" then 'CREATED' else 'SETTLED' end, 'USDT', case when not "canBeCorrected" then 10000 - edge / 100 end,
        case when "canBeCorrected" then edge end, at
      from made order by made.id)
    insert into bonus_bets (bet_id, user_id, grant_id, currency_id, bonus_staked, counted, contribution_bp)
    select id, "userId", "grantId", 'USDT', bonus, 0, 10000 from made where bonus > 0`.execute(tx);
  await sql`
    update bets b set status = 'SETTLED', settlement_id = v.position, settled_at = v.at
    from jsonb_to_recordset(${json(settled)}::jsonb) as v(id int8, position int8, at timestamptz) where b.id = v.id`.execute(
    tx,
  );
  await sql`
    update bets b set status = 'ROLLBACK', reversal_id = v.position, updated_at = now()
    from jsonb_to_recordset(${json(reversed)}::jsonb) as v(id int8, position int8) where b.id = v.id`.execute(
    tx,
  );
}

export async function createRewardsModel(app: TestApp, { expiryDays }: Options) {
  const boss = await app.as('superadmin');
  const settings = { rakeback: { expiryDays } };
  expect((await boss.call('PATCH', '/admin/config/COMMON', { body: settings })).status).toBe(200);
  const players: Player[] = [];
  for (let i = 0; i < 6; i++) players.push(await (i === 5 ? app.newPlayer() : newRealPlayer(app)));
  const owner = await newRealPlayer(app);
  const affiliate = owner.id;
  // An affiliate on the same network and device as their referrals earns nothing.
  const elsewhere = { ip_address: '203.0.113.9', user_agent: 'the affiliate’s own' };
  for (const table of ['registration_info', 'sessions'] as const)
    await app.db.updateTable(table).set(elsewhere).where('user_id', '=', affiliate).execute();
  const code = `model-${affiliate}`;
  const referred = [players[0]!.id, players[1]!.id, players[5]!.id];
  const leastLevel = 1;
  await app.db
    .updateTable('users')
    .set({ custom_min_affiliate_level: 2 })
    .where('id', '=', affiliate)
    .execute();
  await app.db.insertInto('affiliates').values({ user_id: affiliate, referral_count: 10 }).execute();
  await app.db
    .insertInto('affiliate_codes')
    .values({ key: code, code, user_id: affiliate, users_count: referred.length })
    .execute();
  for (const user_id of referred)
    await app.db
      .insertInto('referrals')
      .values({
        user_id,
        affiliate_user_id: affiliate,
        code_key: code,
        is_held: user_id === players[1]!.id,
      })
      .execute();
  const grants = new Map<number, bigint>();
  for (const { id } of players) {
    const { rows } = await sql<{ id: bigint }>`
      insert into promo_grants (promo_id, user_id, source_key, source, name, type, kind, status, currency_id, wager_multiplier_e2, wager_base)
      values (1, ${id}, ${`model:${id}`}, 'ADMIN', 'model', 'MANUAL', 'BONUS', 'LOST', 'USDT', 0, 'BONUS') returning id`.execute(
      app.db,
    );
    grants.set(id, rows[0]!.id);
  }

  /**
   * Lists of bets, grouped by the next possible change: open bets can end, settled bets can be rolled back, and other bets can be corrected
   * any number of times.
   */
  const open: Bet[] = [];
  const settled: Bet[] = [];
  const correctable: Bet[] = [];
  const pending: Side[] = [];
  const recorded = new Map<bigint, Recorded>();
  const versions = new Map<bigint, { amount: bigint; payout: bigint; at: Date }>();
  const wagered = new Map<number, bigint>();
  const level = new Map<number, number>();
  const crossed = new Set<string>();
  const rows = new Map<string, Row>();
  const affiliateSums = { wagered: 0n, ggr: 0n, free: 0n, held: 0n, claimed: 0n };

  const rowAt = (userId: number, period: Period, start: string): Row => {
    const key = `${userId} ${period} ${start}`;
    const row = rows.get(key) ?? { accrued: 0n, claimed: 0n, expired: 0n };
    rows.set(key, row);
    return row;
  };

  function settle({ bet, amount, payout, at }: Side): void {
    const { userId } = bet;
    const bonus = bet.bonus < amount ? bet.bonus : amount;
    const own = amount - bonus;
    const before = level.get(userId) ?? 0;
    const amounts = Object.fromEntries(
      PERIODS.map((period) => {
        const rate = (BASE[period] * (100n + LADDER[before]![1])) / 100n;
        return [period, (own * bet.edge * rate) / 10_000_000_000n];
      }),
    ) as Record<Period, bigint>;
    const earner = referred.includes(userId) && userId !== players[5]!.id ? affiliate : undefined;
    const rank = Math.max(levelIn(AFFILIATE_LADDER, affiliateSums.wagered), leastLevel);
    const earned = earner
      ? (own * bet.edge * AFFILIATE_LADDER[rank]![1] * 100n) / (10_000_000_000n * 100n)
      : 0n;
    const record: Recorded = {
      ownUsd: own,
      ggr: own - payout,
      amounts,
      starts: startsOf(at),
      affiliate: earner,
      earned,
    };
    recorded.set(bet.id, record);
    move(userId, record, 1n);
    const sum = wagered.get(userId)!;
    const now = levelIn(LADDER, sum);
    for (let l = before + 1; l <= now; l++) crossed.add(`${userId} ${l}`);
    level.set(userId, Math.max(before, now));
  }

  function move(
    userId: number,
    { ownUsd, ggr, amounts, starts, affiliate: earner, earned }: Recorded,
    sign: bigint,
  ): void {
    wagered.set(userId, (wagered.get(userId) ?? 0n) + sign * ownUsd);
    const isNothing = PERIODS.every((period) => amounts[period] === 0n);
    for (const period of PERIODS) {
      if (isNothing) continue;
      const isThere = rows.has(`${userId} ${period} ${starts[period]}`);
      const start = sign > 0n || isThere ? starts[period] : HEAD;
      if (amounts[period] === 0n && start !== HEAD) continue;
      const row = rowAt(userId, period, start);
      row.accrued += sign * amounts[period];
      if (sign < 0n) row.expired -= row.expired < amounts[period] ? row.expired : amounts[period];
    }
    if (earner === undefined) return;
    affiliateSums.wagered += sign * ownUsd;
    affiliateSums.ggr += sign * ggr;
    affiliateSums[userId === players[1]!.id ? 'held' : 'free'] += sign * earned;
  }

  function apply(side: Side): void {
    if (side.sign > 0) {
      settle(side);
      return;
    }
    const record = recorded.get(side.bet.id)!;
    recorded.delete(side.bet.id);
    move(side.bet.userId, record, -1n);
  }

  const pick = <T>(items: readonly T[]): T | undefined => items[randomInt(Math.max(items.length, 1))];
  const take = <T>(items: T[]): T | undefined => items.splice(randomInt(Math.max(items.length, 1)), 1)[0];
  const someTime = () => new Date(Date.now() - randomInt(45 * 86_400) * 1000);

  function bet({ bets, positions }: Changes) {
    const { id: userId } = pick(players)!;
    const amount = BigInt(randomInt(1, 200_000)) * BigInt(randomInt(1, 20_000_000));
    const at = someTime();
    const edges = [100n, 300n, 0n, 667n];
    const made: Bet = {
      id: positions.shift()!,
      userId,
      bonus: randomInt(5) === 0 ? BigInt(randomInt(1_000_000_000)) : 0n,
      edge: pick(edges)! * 100n,
      isGone: false,
      canBeCorrected: randomInt(3) === 0,
    };
    const version = { amount, payout: BigInt(randomInt(3)) * amount, at };
    const isOpen = randomInt(6) === 0;
    bets.push({ ...made, ...version, isOpen, grantId: grants.get(userId)! });
    versions.set(made.id, version);
    if (isOpen) {
      open.push(made);
      return;
    }
    keep(made);
    pending.push({ bet: made, position: made.id, sign: 1, ...version });
  }

  const keep = (made: Bet) => (made.canBeCorrected ? correctable : settled).push(made);

  function end(changes: Changes) {
    const ended = take(open);
    if (!ended) return bet(changes);
    const position = changes.positions.shift()!;
    const version = { ...versions.get(ended.id)!, at: new Date() };
    changes.settled.push({ id: ended.id, position, at: version.at });
    versions.set(ended.id, version);
    keep(ended);
    pending.push({ bet: ended, position, sign: 1, ...version });
  }

  function rollBack(changes: Changes) {
    const gone = take(settled);
    if (!gone) return bet(changes);
    const position = changes.positions.shift()!;
    changes.reversed.push({ id: gone.id, position });
    pending.push({ bet: gone, position, sign: -1, ...versions.get(gone.id)! });
  }

  async function change(tx: Tx): Promise<void> {
    const chosen = pick(correctable);
    if (!chosen) return;
    const isBack = randomInt(3) === 0 && !chosen.isGone;
    const before = versions.get(chosen.id)!;
    const after = {
      amount: BigInt(randomInt(1, 2_000_000)) * 1_000_000n,
      payout: BigInt(randomInt(1_000_000)),
      usd: 1n,
      at: someTime(),
    };
    const position = await correct(tx, chosen, isBack ? null : after);
    if (!chosen.isGone) pending.push({ bet: chosen, position, sign: -1, ...before });
    if (!isBack) {
      versions.set(chosen.id, after);
      pending.push({ bet: chosen, position, sign: 1, ...after });
    }
    chosen.isGone = isBack;
  }

  async function consume(): Promise<void> {
    await app.services.rewards.consume(randomInt(1, 400));
    const position = await cursorPosition(app, 'rewards');
    while (pending.length > 0 && pending[0]!.position <= position) apply(pending.shift()!);
  }

  async function claim(): Promise<void> {
    const player = pick(players)!;
    const period = pick(PERIODS)!;
    const running = startsOf(new Date())[period];
    const isOver = (start: string) => start === HEAD || start < running;
    const own = [...rows]
      .map(([key, row]) => ({ key, row, start: key.split(' ')[2]! }))
      .filter(({ key, start }) => key.startsWith(`${player.id} ${period} `) && isOver(start));
    const lost = own
      .filter(({ row, start }) => start !== HEAD && restOf(row) > 0n && isExpired(period, start))
      .reduce((sum, { row }) => sum + restOf(row), 0n);
    const rest = own.reduce((sum, { row }) => sum + restOf(row), 0n) - lost;
    const amount = rest - (rest % 100n);
    const { status, body } = await player.call('POST', '/rakeback/claim', { body: { period } });
    if (amount <= 0n) return expect([status, body.code]).toEqual([409, 'RAKEBACK_NOTHING_TO_CLAIM']);
    expect([status, body.claimed?.[0]?.amount]).toEqual([201, decimal(amount)]);
    const head: Row = { accrued: 0n, claimed: amount, expired: lost };
    for (const { key, row } of own) {
      head.accrued += row.accrued;
      head.claimed += row.claimed;
      head.expired += row.expired;
      rows.delete(key);
    }
    rows.set(`${player.id} ${period} ${HEAD}`, head);
  }

  function isExpired(period: Period, start: string): boolean {
    if (expiryDays === null) return false;
    const last = endOf(period, start);
    last.setUTCDate(last.getUTCDate() + expiryDays);
    return last.getTime() <= Date.now();
  }

  /** Claims commission. Held commission cannot be claimed, and amounts below a cent are not paid. */
  async function claimCommission(): Promise<void> {
    const claimable = affiliateSums.free - affiliateSums.claimed;
    const { status, body } = await owner.call('POST', '/affiliate/claim', { body: {} });
    if (claimable < USD / 100n)
      return expect([status, body.code]).toEqual([409, 'AFFILIATE_NOTHING_TO_CLAIM']);
    const amount = claimable - (claimable % 100n);
    expect([status, body.amount]).toEqual([201, decimal(amount)]);
    affiliateSums.claimed += amount;
  }

  /** Expects the stored sums to match the model to the last unit. */
  async function compare(): Promise<void> {
    const ids = players.map(({ id }) => id);
    const { rows: stored } = await sql<{ key: string; sums: string }>`
      select user_id || ' ' || period || ' ' || start as key, accrued || ' ' || claimed || ' ' || expired as sums from rakeback_periods
      where user_id = any(${ids}::int4[]) and (accrued, claimed, expired) <> (0, 0, 0)`.execute(app.db);
    const known = [...rows].flatMap(([key, { accrued, claimed, expired }]) =>
      accrued === 0n && claimed === 0n && expired === 0n
        ? []
        : [[key, `${accrued} ${claimed} ${expired}`] as const],
    );
    expect(Object.fromEntries(stored.map(({ key, sums }) => [key, sums]))).toEqual(Object.fromEntries(known));
    const { rows: people } = await sql<{
      id: number;
      level: number;
      wagered: string;
      crossed: number[] | null;
    }>`
      select u.id, u.vip_level as level, coalesce(p.wagered_usd, 0) as wagered,
        (select array_agg(level::int order by level) from vip_rewards r where r.user_id = u.id) as crossed
      from users u left join vip_progress p on p.user_id = u.id where u.id = any(${ids}::int4[]) order by u.id`.execute(
      app.db,
    );
    expect(people).toEqual(
      ids
        .toSorted((a, b) => a - b)
        .map((id) => {
          const own = LADDER.flatMap((_, l) => (crossed.has(`${id} ${l}`) ? [l] : []));
          return {
            id,
            level: level.get(id) ?? 0,
            wagered: String(wagered.get(id) ?? 0n),
            crossed: own.length > 0 ? own : null,
          };
        }),
    );
    const { rows: sums } = await sql<Record<string, string>>`
      select wagered_usd as wagered, ggr_usd as ggr, earned_usd as free, held_usd as held, claimed_usd as claimed
      from affiliates where user_id = ${affiliate}`.execute(app.db);
    expect(sums).toEqual([
      Object.fromEntries(Object.entries(affiliateSums).map(([name, sum]) => [name, String(sum)])),
    ]);
  }

  const WRITES = [bet, bet, bet, bet, end, rollBack];
  const READS = [consume, consume, claim, claimCommission];
  return {
    compare,
    /** Places, ends or rolls back a number of bets and corrects others, all in one transaction. */
    change: (count: number, corrections: number): Promise<void> =>
      transaction(app.db, async (tx) => {
        for (const { id } of players) await lock(tx, id);
        const changes: Changes = {
          positions: await reservePositions(tx, count),
          bets: [],
          settled: [],
          reversed: [],
        };
        for (let i = 0; i < count; i++) pick(WRITES)!(changes);
        await write(tx, changes);
        for (let i = 0; i < corrections; i++) await change(tx);
      }),
    /** Consumes a slice or makes a claim. */
    step: () => pick(READS)!(),
    async finish(): Promise<void> {
      while (pending.length > 0) await consume();
    },
  };
}

import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import { lockPlayers } from '../../../src/modules/base/players/service.ts';
import {
  type BettingRound,
  currentRoundStatement,
} from '../../../src/modules/games/house-games/speed-roulette/queries.ts';
import type { Color } from '../../../src/modules/games/house-games/speed-roulette/rules.ts';
import { readWallets, reserveIds, writeStatements } from '../../../src/modules/money/ledger/queries.ts';
import { book } from '../../../src/modules/money/ledger/rules.ts';
import { type Db, run, type Tx, transaction } from '../../../src/platform/database/db.ts';
import { formatUnits, ONE, type Units } from '../../../src/platform/money.ts';
import { type Player, startApp, type TestApp } from '../app.ts';
import { type Outside, startOutside } from '../http/outside.ts';

/** Starts the main API with a sandbox whose public chain has already given the first seed chain its public seed. */
export async function startSpeedRoulette(env: Record<string, string> = {}) {
  const outside = await startOutside();
  const settings = { ...outside.env, SPEED_ROULETTE_CHAIN_LENGTH: '2500', ...env };
  const app = await startApp({ env: settings });
  await keepSeeds(app, outside);
  return {
    ...app,
    outside,
    env: settings,
    async stop() {
      await app.stop();
      await outside.close();
    },
  };
}

/** Like startSpeedRoulette, with rounds that stay open while a test bets, even on a slow machine. */
export async function startLongRounds(env: Record<string, string> = {}) {
  const app = await startSpeedRoulette(env);
  await keepOpen(app);
  return app;
}

/** Adds blocks until every existing chain has its public seed. */
export async function keepSeeds({ services, db }: TestApp, outside: Outside): Promise<void> {
  await vi.waitFor(
    async () => {
      await services.speedRoulette.keepChains();
      await outside.findBlocks(5);
      const { rows } = await sql<{ waiting: boolean }>`
        select public_seed is null as waiting from speed_chains where retired_at is null`.execute(db);
      expect(rows.map(({ waiting }) => waiting)).toContain(false);
      expect(rows.map(({ waiting }) => waiting)).not.toContain(true);
    },
    { timeout: 20_000, interval: 10 },
  );
}

/** Changes the game as an administrator would, and waits until every process has loaded it. */
export async function changeGame(app: TestApp, settings: object, enabled = true): Promise<void> {
  await sql`update games set enabled = ${enabled}, settings = settings || ${JSON.stringify(settings)}::jsonb
    where slug = 'speed-roulette'`.execute(app.db);
  await sql`select pg_notify('games_changed', '')`.execute(app.db);
  const { rows } = await sql<{
    settings: object;
  }>`select settings from games where slug = 'speed-roulette'`.execute(app.db);
  const wanted = JSON.stringify((rows[0]!.settings as { timeConfig: object; maxBet: string }).maxBet);
  const known = () => {
    const game = app.services.games.get('speed-roulette');
    return [game.enabled, `"${formatUnits(game.settings.maxBet)}"`];
  };
  await expect.poll(known).toEqual([enabled, wanted]);
}

/** Makes new rounds accept bets for two minutes, for tests that need this time for other actions. */
async function keepOpen({ db, services }: Pick<TestApp, 'db' | 'services'>): Promise<void> {
  await sql`update games set settings = jsonb_set(settings, '{timeConfig,bettingMs}', '120000') where slug = 'speed-roulette'`.execute(
    db,
  );
  await services.games.reload();
}

/** Places a bet as a client does. */
export const betOn = (
  player: Pick<Player, 'call'>,
  color: string,
  fields: object = {},
  headers: Record<string, string> = {},
) =>
  player.call('POST', '/casino/games/house/speed-roulette/bet', {
    body: { currencyId: 'USDT', betAmount: '1', color, ...fields },
    headers,
  });

export const infoOf = (player: Pick<Player, 'call'>) =>
  player.call('GET', '/casino/games/house/speed-roulette/info');

export type RoundRow = {
  id: bigint;
  chain_id: number;
  position: number;
  phase: string;
  seed_hash: string;
  seed: string | null;
  number: number | null;
  settled_at: Date | null;
};

export async function newestRound({ db }: Pick<TestApp, 'db'>): Promise<RoundRow | undefined> {
  const { rows } = await sql<RoundRow>`select * from speed_rounds order by id desc limit 1`.execute(db);
  return rows[0];
}

/** Ends the current phase of the round immediately. */
export const endPhase = ({ db }: Pick<TestApp, 'db'>) =>
  sql`update speed_rounds set ends_at = clock_timestamp() where phase in ('BETTING', 'WAITING', 'RESULT')`.execute(
    db,
  );

/** Advances rounds until the newest round is in the phase. With `skip`, phases end without waiting. */
export async function turnUntil(app: TestApp, phase: string, { skip = true } = {}): Promise<RoundRow> {
  for (let i = 0; i < 100; i++) {
    const round = await newestRound(app);
    if (round?.phase === phase && (phase !== 'RESULT' || round.settled_at)) return round;
    if (skip) await endPhase(app);
    await app.services.speedRoulette.turn(0);
  }
  throw new Error(`no round came to be ${phase}`);
}

export type SpeedBet = { userId: number; color: Color | string; usd?: Units };

/** Stores USDT bets of many players in the same way as the settlement, in one transaction. A transaction may have at most 500 bets. */
export const placeDirectly = (db: Db, bets: readonly SpeedBet[]): Promise<bigint[]> =>
  transaction(db, async (tx) => {
    const users = [...new Set(bets.map(({ userId }) => userId))];
    await lockPlayers(tx, users);
    const [round] = await run<BettingRound>(tx, currentRoundStatement());
    if (!round?.isOpen) throw new Error('no round takes bets');
    const wallets = new Map((await readWallets(tx, users)).map((w) => [`${w.userId}:${w.currencyId}`, w]));
    const [block] = await run<{ base: bigint }>(tx, reserveIds());
    const postings = bets.map(({ userId, usd = ONE }, i) => {
      const wallet = wallets.get(`${userId}:USDT`)!;
      const posting = { userId, currencyId: 'USDT', kind: 'bet.stake', amount: usd } as const;
      return {
        posting: book(wallet, { ...posting, debit: 'cash', credit: 'house' })!,
        entry: i * 2,
        id: i * 2 + 1,
      };
    });
    const touched = users.map((userId) => wallets.get(`${userId}:USDT`)!);
    for (const statement of writeStatements(touched, postings)) await run(tx, statement);
    return insertBets(tx, round, block!.base, bets);
  });

async function insertBets(tx: Tx, round: BettingRound, base: bigint, bets: readonly SpeedBet[]) {
  const ids = bets.map((_, i) => base + BigInt(i * 2));
  await sql`
    insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, max_profit_usd, user_id, game_id, status, rtp_bp,
      currency_id, algorithm_version, inputs, round_id, created_at)
    select v.id, v.usd, 0, v.usd, 0, 1000000000000, ${round.maxProfit}, v.user_id, g.id, 'CREATED', 9333, 'USDT', '1',
      json_build_object('color', v.color), ${round.id}, ${round.at}
    from unnest(${ids}::int8[], ${bets.map((b) => b.usd ?? ONE)}::int8[], ${bets.map((b) => b.userId)}::int4[],
      ${bets.map((b) => b.color)}::text[]) v(id, usd, user_id, color), games g where g.slug = 'speed-roulette'`.execute(
    tx,
  );
  return ids;
}

import { sql } from 'kysely';
import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config/config.ts';
import type { Db, DbOptions } from '../../../../platform/database/db.ts';
import { createSharedRead } from '../../../../platform/limits/shared-read.ts';
import { formatUnits } from '../../../../platform/money.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import type { Metrics } from '../../../../platform/observability/metrics.ts';
import { seedSecret } from '../../../../platform/secrets/encryption.ts';
import { toShortPublicUser } from '../../../base/users/service.ts';
import type { Range } from '../../../money/ledger/balances.ts';
import { bettingErrors } from '../../betting/errors.ts';
import type { BetGrants } from '../../betting/lane.ts';
import type { HouseGames } from '../settings.ts';
import { createChains, createPublicChain } from './commit.ts';
import { betsOf, latestRounds, publishedChains, type ShownRound } from './queries.ts';
import { COLORS, colorOf, isColor } from './rules.ts';
import { createRunner } from './run.ts';
import type { FairnessChain, ShownBet, SpeedRouletteInfo } from './schemas.ts';
import { createRoundSettler } from './settle.ts';

export type SpeedRoulette = ReturnType<typeof createSpeedRoulette>;

/** Runs one shared round at a time. Its seeds come from a published chain and the hash of a public block. */
export function createSpeedRoulette(parts: {
  db: Db;
  database: DbOptions;
  config: Config;
  games: HouseGames;
  grants: BetGrants;
  log: Log;
  metrics: Metrics;
}) {
  const { db, database, config, games, grants, log, metrics } = parts;
  const chains = createChains({
    db,
    log,
    secret: seedSecret(config),
    length: config.SPEED_ROULETTE_CHAIN_LENGTH,
    publicChain: createPublicChain({ config, log }),
  });
  const settler = createRoundSettler({ db, database, grants, log, metrics });
  const runner = createRunner({ db, games, chains, settler, log });
  const show = createShow(db);
  return {
    info: show.info,
    find: show.find,
    chains: show.chains,
    /** Used by the worker to advance rounds and to prepare seeds. */
    turn: runner.turn,
    keepChains: chains.keep,
    retry: runner.retry,
    close: settler.close,
  };
}

type Info = z.input<typeof SpeedRouletteInfo>;

const ROUNDS_COUNTED = 100;
const ROUNDS_LISTED = 20;

/** The rounds as players see them. */
function createShow(db: Db) {
  // Thousands of players poll every one to two seconds, so concurrent calls share one query.
  const read = createSharedRead(() => readInfo(db));
  /**
   * Returns undefined before the first round. For user 0 (not signed in) all private players are masked. Bets with ids above `upTo` are
   * excluded.
   */
  const find = async (userId: number, upTo?: bigint): Promise<Info | undefined> => {
    const { current, finished, counts, bets } = await read();
    if (!current) return undefined;
    return {
      game: toRound(current),
      usersBets: bets.flatMap((bet) =>
        upTo === undefined || bet.bet_id <= upTo ? shownBet(bet, userId) : [],
      ),
      latestStats: counts,
      latestGames: finished.slice(0, ROUNDS_LISTED).map(toRound),
      timeToNextBlockMs: current.leftMs,
    };
  };
  return {
    find,

    /** Throws 404 ROUND_NOT_FOUND before the first round. */
    async info(userId: number): Promise<Info> {
      const info = await find(userId);
      if (!info) throw bettingErrors.ROUND_NOT_FOUND();
      return info;
    },

    /** Returns all published chains, newest first. */
    async chains(): Promise<z.input<typeof FairnessChain>[]> {
      const chains = await publishedChains(db);
      return chains.map(({ publishedAt, publicSeedAt, ...chain }) => ({
        ...chain,
        publishedAt: iso(publishedAt),
        publicSeedAt: publicSeedAt && iso(publicSeedAt),
      }));
    },
  };
}

async function readInfo(db: Db) {
  const rounds = await latestRounds(db, ROUNDS_COUNTED + 1);
  const [current] = rounds;
  const finished = rounds.filter(({ phase }) => phase === 'DONE').slice(0, ROUNDS_COUNTED);
  const byColor = Object.groupBy(finished, ({ number }) => colorOf(number!));
  const counts = COLORS.map((color) => ({ color, count: byColor[color]?.length ?? 0 }));
  return { current, finished, counts, bets: current ? await betsOf(db, current.id) : [] };
}

function toRound(round: ShownRound): Info['game'] {
  const { id, phase, number, seed } = round;
  return {
    roundId: String(id),
    // DONE occurs here only for the last round before the game was disabled. Players see it as RESULT.
    phase: phase === 'DONE' ? 'RESULT' : (phase as Info['game']['phase']),
    seedHash: round.seed_hash,
    seed,
    publicBlockHash: number === null ? null : round.public_seed,
    position: number,
    color: number === null ? null : colorOf(number),
    startedAt: iso(round.started_at),
    endsAt: iso(round.ends_at),
  };
}

/** A bet and its player. */
type Row = Parameters<typeof toShortPublicUser>[0] & { currency_id: string; bet_usd: bigint; color: unknown };

/** New bets in a round as other players see them, oldest first. `more`: the number of further bets. */
export type NewBets = { roundId: string; bets: z.input<typeof ShownBet>[]; more: number };

/** Returns the last `most` bets in a range of ids that belong to the latest round in this range, or undefined if there are none. */
export async function newBetsIn(db: Db, { after, below }: Range, most: number): Promise<NewBets | undefined> {
  const { rows } = await sql<Row & { roundId: bigint; all: number }>`
    with made as materialized (
      select id, round_id, user_id, currency_id, coalesce(bet_usd, usd_amount) as bet_usd, inputs -> 'color' as color from (
        select * from bets where id > ${after} and id < ${below} offset 0) b
      where round_id is not null
    ),
    newest as (select * from made where round_id = (select max(round_id) from made))
    select n.round_id as "roundId", u.id, username, avatar, vip_level, is_private, is_streamer_mode, currency_id, bet_usd, color,
      (select count(*) from newest)::int as all
    from (select * from newest order by id desc limit ${most}) n join users u on u.id = n.user_id order by n.id`.execute(
    db,
  );
  const [first] = rows;
  if (!first) return undefined;
  const bets = rows.flatMap((bet) => shownBet(bet, 0));
  return { roundId: String(first.roundId), bets, more: first.all - rows.length };
}

/** Returns the bet as the viewer sees it (user 0: not signed in). Returns an empty array for a bet without a color. */
function shownBet(bet: Row, viewerId: number): z.input<typeof ShownBet>[] {
  const { color, currency_id: currencyId, bet_usd } = bet;
  if (!isColor(color)) return [];
  return [{ user: toShortPublicUser(bet, viewerId), currencyId, betAmount: formatUnits(bet_usd), color }];
}

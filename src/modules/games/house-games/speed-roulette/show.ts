import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import type { Db } from '../../../../platform/db.ts';
import { createSharedRead } from '../../../../platform/shared-read.ts';
import { bettingErrors } from '../../betting/errors.ts';
import { shownBet } from './news.ts';
import { betsOf, latestRounds, publishedChains, type ShownRound } from './queries.ts';
import { COLORS, colorOf } from './rules.ts';
import type { FairnessChain, SpeedRouletteInfo } from './schemas.ts';

type Info = z.input<typeof SpeedRouletteInfo>;

const ROUNDS_COUNTED = 100;
const ROUNDS_LISTED = 20;

/** What players see of the rounds. */
export function createShow(db: Db) {
  // Thousands of players poll every second or two: one read answers all concurrent calls.
  const read = createSharedRead(() => readInfo(db));
  /**
   * Undefined as long as there was no round at all. For user 0 (nobody) private players are masked. Bets with ids above `upTo` are left out.
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

    /** Throws 404 ROUND_NOT_FOUND as long as there was no round at all. */
    async info(userId: number): Promise<Info> {
      const info = await find(userId);
      if (!info) throw bettingErrors.ROUND_NOT_FOUND();
      return info;
    },

    /** Every chain that was published, the newest first. */
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
    // With its time over, and no next round because the game is switched off.
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

import { type RawBuilder, sql } from 'kysely';
import { isUnavailable } from '../../../platform/database-errors.ts';
import type { Db } from '../../../platform/db.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { setAside } from '../bets/set-aside.ts';
import { bettingErrors } from './errors.ts';
import type { OpenRound, Rounds } from './rounds.ts';
import type { Next, Turn } from './rules.ts';

/** How a round of a game ends without its player: the way that takes no further risk. */
export type GiveUp = (round: OpenRound<object>, next: Next | undefined) => Turn<object>;

const ROUNDS_AT_ONCE = 100;

export type Abandoned = ReturnType<typeof createAbandoned>;

/**
 * Ends rounds whose players do nothing any more, and retries what could not be settled. They take the way of every action: if the
 * player acts in the same moment, the first one counts.
 */
export function createAbandoned(parts: {
  db: Db;
  rounds: Rounds;
  /** By the game's slug. */
  giveUps: Readonly<Record<string, GiveUp>>;
  afterMs: number;
  log: Log;
}) {
  const { db, rounds, giveUps, afterMs, log } = parts;

  /** False: it has ended, or was played on since it was looked at. Throws when it cannot be ended. */
  const end = async ({ userId, gameId, slug, betId, actedAt }: Left): Promise<boolean> => {
    const giveUp = giveUps[slug];
    if (!giveUp) throw new Error(`nobody knows how a round of ${slug} ends without its player`);
    try {
      await rounds.act({
        by: { userId, ip: '', idempotencyKey: undefined },
        game: { id: gameId, slug },
        operation: 'give-up',
        body: {},
        answer: () => ({}),
        act(round, next) {
          if (round.betId !== betId || round.actedAt > actedAt)
            throw bettingErrors.ROUND_NOT_FOUND({ game: slug });
          return giveUp(round, next);
        },
      });
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'ROUND_NOT_FOUND') return false;
      throw error;
    }
  };

  /** One that cannot be ended stands in nobody's way: its bet waits as ERROR for a retry. */
  const endOrSetAside = async (round: Left): Promise<boolean> => {
    const { betId, slug: game } = round;
    try {
      const isEnded = await end(round);
      if (isEnded) log.info({ betId, game }, 'a round that was left alone has been ended');
      return isEnded;
    } catch (error) {
      // A full queue or a database that is away says nothing about the round.
      if (isUnavailable(error) || (error instanceof AppError && error.status === 503)) throw error;
      log.error({ betId, game, error: String(error) }, 'a round that was left alone cannot be ended');
      await setAside(db, betId, String(error));
      return false;
    }
  };

  return {
    /** Ends the rounds that were left alone for too long, the longest first. */
    async sweep(): Promise<void> {
      const isLeft = sql`b.status = 'CREATED' and r.acted_at < now() - ${afterMs} * interval '1 millisecond'`;
      for (let found = ROUNDS_AT_ONCE; found === ROUNDS_AT_ONCE; ) {
        const left = await listRounds(db, isLeft);
        for (const round of left) await endOrSetAside(round);
        found = left.length;
      }
    },

    /** Tries once more to end the rounds that could not be ended, each once. Answers how many have ended. */
    async retry(): Promise<number> {
      let ended = 0;
      for (let last: Left | undefined, found = ROUNDS_AT_ONCE; found === ROUNDS_AT_ONCE; ) {
        const after = last
          ? sql`(r.acted_at, r.bet_id) > (${last.since}::timestamptz, ${last.betId})`
          : sql`true`;
        const left = await listRounds(db, sql`b.status = 'ERROR' and ${after}`);
        for (const round of left) if (await endOrSetAside(round)) ended++;
        found = left.length;
        last = left.at(-1);
      }
      return ended;
    },
  };
}

/** `since`: when it was acted on, to the microsecond. */
type Left = {
  userId: number;
  gameId: number;
  betId: bigint;
  slug: string;
  actedAt: Date;
  since: string;
};

async function listRounds(db: Db, which: RawBuilder<unknown>): Promise<Left[]> {
  const { rows } = await sql<Left>`
    select r.user_id as "userId", r.game_id as "gameId", r.bet_id as "betId", g.slug, r.acted_at as "actedAt",
      r.acted_at::text as since
    from rounds r join bets b on b.id = r.bet_id join games g on g.id = r.game_id
    where ${which} order by r.acted_at, r.bet_id limit ${ROUNDS_AT_ONCE}`.execute(db);
  return rows;
}

import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { isUnavailable } from '../../../platform/database/errors.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { markUnsettled } from '../bets/service.ts';
import { bettingErrors } from './errors.ts';
import type { OpenRound, Rounds } from './rounds.ts';
import type { Next, Turn } from './rules.ts';

/** Ends a round whose player is absent, without further risk for the player. */
export type GiveUp = (round: OpenRound<object>, next: Next | undefined) => Turn<object>;

const ROUNDS_AT_ONCE = 100;

export type Abandoned = ReturnType<typeof createAbandoned>;

type Deps = {
  db: Db;
  rounds: Pick<Rounds, 'act'>;
  /** Functions that end an abandoned round, by the game's slug. */
  giveUps: Readonly<Record<string, GiveUp>>;
  log: Log;
};

/**
 * Ends rounds that players have abandoned, and retries those that could not be settled. Ending a round is an action like any other, so of
 * two concurrent actions only the first takes effect.
 */
export function createAbandoned({ afterMs, ...deps }: Deps & { afterMs: number }) {
  return {
    /** Ends the rounds that have been idle for too long. */
    async sweep(): Promise<void> {
      await endAll(
        deps,
        sql`b.status = 'CREATED' and r.acted_at < now() - ${afterMs} * interval '1 millisecond'`,
      );
    },

    /** Retries rounds that could not be ended earlier. */
    retry: (): Promise<number> => endAll(deps, sql`b.status = 'ERROR'`),
  };
}

/** Tries to end each of these rounds once, oldest first. Returns the number of rounds that were ended. */
async function endAll(deps: Deps, which: RawBuilder<unknown>): Promise<number> {
  let ended = 0;
  for (let last: Left | undefined, found = ROUNDS_AT_ONCE; found === ROUNDS_AT_ONCE; ) {
    const left: Left[] = await listRounds(deps.db, which, last);
    for (const round of left) if (await endOrSetAside(deps, round)) ended++;
    found = left.length;
    last = left.at(-1);
  }
  return ended;
}

/** Ends a round. If that fails, marks its bet as ERROR for a retry, so that it does not block the others. */
async function endOrSetAside(deps: Deps, round: Left): Promise<boolean> {
  const { db, log } = deps;
  const { betId, slug: game } = round;
  try {
    const isEnded = await end(deps, round);
    if (isEnded) log.info({ betId, game }, 'an abandoned round has been ended');
    return isEnded;
  } catch (error) {
    // A full queue or an unavailable database is not caused by the round, so the round is not marked as failed.
    if (isUnavailable(error) || (error instanceof AppError && error.status === 503)) throw error;
    log.error({ betId, game, error: String(error) }, 'an abandoned round cannot be ended');
    await markUnsettled(db, betId, String(error));
    return false;
  }
}

/** Returns false if the round has ended or has changed since it was read. Throws if the round cannot be ended. */
async function end({ rounds, giveUps }: Deps, left: Left): Promise<boolean> {
  const { userId, gameId, slug, betId, actedAt } = left;
  const giveUp = giveUps[slug];
  if (!giveUp) throw new Error(`${slug} has no function that ends an abandoned round`);
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
}

/** `since`: the time of the last action, to the microsecond. */
type Left = {
  userId: number;
  gameId: number;
  betId: bigint;
  slug: string;
  actedAt: Date;
  since: string;
};

async function listRounds(db: Db, which: RawBuilder<unknown>, last: Left | undefined): Promise<Left[]> {
  const after = last ? sql`(r.acted_at, r.bet_id) > (${last.since}::timestamptz, ${last.betId})` : sql`true`;
  const { rows } = await sql<Left>`
    select r.user_id as "userId", r.game_id as "gameId", r.bet_id as "betId", g.slug, r.acted_at as "actedAt",
      r.acted_at::text as since
    from rounds r join bets b on b.id = r.bet_id join games g on g.id = r.game_id
    where ${which} and ${after} order by r.acted_at, r.bet_id limit ${ROUNDS_AT_ONCE}`.execute(db);
  return rows;
}

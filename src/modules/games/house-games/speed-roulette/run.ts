import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, transaction } from '../../../../platform/db.ts';
import type { Log } from '../../../../platform/log.ts';
import { firstNumber, hashServerSeed } from '../../fairness/hash.ts';
import type { HouseGames } from '../settings.ts';
import { closeBook, finishRound, markSettled, openRound, reveal, type Seat, voidRound } from './advance.ts';
import { type Chains, UnreadableChain } from './commit.ts';
import { chainOf, endedRound, errorBet, openChains, type RunningRound, runningRound } from './queries.ts';
import { positionOf } from './rules.ts';
import type { RoundSettler } from './settle.ts';

/** A turn of the runner ends after so long, so that another process may take over, and when its own stops. */
const TURN_MS = 500;
/** Nobody sleeps longer without a look at the clock of the database. */
const LONGEST_MS = 5000;
/** While no round can be opened this is how often it is tried. */
const IDLE_MS = 1000;

type Deps = {
  db: Db;
  games: Pick<HouseGames, 'get'>;
  chains: Chains;
  settler: RoundSettler;
  log: Log;
};

/**
 * Takes rounds from phase to phase by the database's clock. Each step is one compare-and-set on the round's row, so that a second
 * runner, or one that comes after a crash, does what is due and nothing twice. RESULT begins with drawing and revealing in one;
 * then every bet is settled; the next round opens when the time is over and no bet waits any more.
 */
export function createRunner(parts: Deps) {
  const { db, settler } = parts;

  /** Does what is due and answers 0, or answers in how many milliseconds something will be. */
  const step = async (): Promise<number> => {
    const round = await runningRound(db);
    if (!round) return (await moveOn(parts, undefined)) ? 0 : IDLE_MS;
    const hasEnded = round.phase === 'RESULT' || round.phase === 'VOID';
    if (hasEnded && !round.isSettled) {
      await settler.settleRound(round);
      await markSettled(db, round.id);
      return 0;
    }
    if (round.leftMs > 0) return round.leftMs;
    if (round.phase === 'BETTING') await closeBook(db, round.id);
    else if (round.phase === 'WAITING') await draw(parts, round);
    else await moveOn(parts, round);
    return 0;
  };

  return {
    /** One turn: what is due, and what becomes due meanwhile. It sleeps until a phase ends: nothing else takes a round on. */
    async turn(forMs = TURN_MS, closing?: AbortSignal): Promise<void> {
      const until = performance.now() + forMs;
      do {
        const dueMs = await step();
        const restMs = Math.min(dueMs, LONGEST_MS, Math.max(0, until - performance.now()));
        const signal = closing && { signal: closing };
        if (restMs > 0) await sleep(restMs, undefined, signal).catch(() => undefined);
      } while (performance.now() < until && !closing?.aborted);
    },

    /** Tries to end a bet that was set aside, and answers its status after it; undefined when it was none. */
    async retry(id: bigint): Promise<'SETTLED' | 'ROLLBACK' | 'ERROR' | undefined> {
      const bet = await errorBet(db, id);
      const round = bet && (await endedRound(db, bet.roundId));
      if (!round) return undefined;
      await settler.settleAgain(round, bet);
      if (await errorBet(db, id)) return 'ERROR';
      return round.number === null ? 'ROLLBACK' : 'SETTLED';
    },
  };
}

async function draw({ db, chains, log }: Deps, { id, chainId, position, seedHash }: RunningRound) {
  const chain = await chainOf(db, chainId);
  try {
    const seed = await chains.seedOf(chain, position);
    if (hashServerSeed(seed) !== seedHash) throw new UnreadableChain('the seed is not the announced one');
    await reveal(db, id, { seed, number: positionOf(firstNumber(seed, chain.publicSeed!, position)) });
  } catch (error) {
    if (!(error instanceof UnreadableChain)) throw error;
    log.error({ roundId: String(id), reason: error.message }, 'a round cannot be drawn and is void');
    await voidRound(db, id);
    await chains.retire(chain);
  }
}

/** Ends the last round, and opens the next unless the game is off or has no seeds. False: there was nothing to do. */
async function moveOn(parts: Deps, last: RunningRound | undefined): Promise<boolean> {
  const { enabled, settings } = parts.games.get('speed-roulette');
  const seat = enabled ? await nextSeat(parts) : undefined;
  if (!last && !seat) return false;
  await transaction(parts.db, async (tx) => {
    if (last) await finishRound(tx, last.id);
    if (seat) await openRound(tx, seat, settings);
  });
  return true;
}

/** The next place in the oldest chain that can be played. One that cannot be read is left for the next. */
async function nextSeat({ db, chains, log }: Deps): Promise<Seat | undefined> {
  for (const chain of await openChains(db)) {
    if (chain.publicSeed === null) continue;
    const position = chain.played + 1;
    try {
      const seedHash = hashServerSeed(await chains.seedOf(chain, position));
      return { chainId: chain.id, position, seedHash };
    } catch (error) {
      if (!(error instanceof UnreadableChain)) throw error;
      const facts = { commitment: chain.commitment, reason: error.message };
      log.error(facts, 'a chain of seeds cannot be read and is played no further');
      await chains.retire(chain);
    }
  }
  return undefined;
}

import { LRUCache } from 'lru-cache';
import type { Statement } from '../../../platform/db.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { findStatement, type StoredAnswer } from '../../base/idempotency/service.ts';
import { lockStatement, type Player } from '../../base/players/service.ts';
import {
  type RestrictionsRow,
  restrictionsStatement,
  toRestrictions,
} from '../../compliance/gate/queries.ts';
import type { Outlook } from '../../compliance/gate/service.ts';
import { readWalletsStatement, reserveIds } from '../../money/ledger/queries.ts';
import type { Wallet } from '../../money/ledger/rules.ts';
import { type Fairness, pairsStatement, type StoredPair } from '../fairness/service.ts';
import { type Outcome, planBatch, type Readings } from './batch.ts';
import { bettingErrors } from './errors.ts';
import { BEGIN, COMMIT, type Lane, NotCommitted, ROLLBACK } from './lane.ts';
import { type RoundRow, readRoundsStatement } from './queries.ts';
import type { Waiting } from './queue.ts';
import type { BetRequest, GameRequest } from './request.ts';
import type { Block } from './table.ts';

export type SettlerOptions = {
  fairness: Pick<Fairness, 'peekPair' | 'rememberPairs'>;
  outlook: Outlook;
  /** Absent where no game has a round that its players share: then no such bet is taken. */
  sharedRound?: SharedRoundReader;
  log: Log;
  metrics: Metrics;
};

/** How a round that many players share is read under the locks of those who bet in it. */
export type SharedRoundReader = {
  /** The round is locked only after the players: whoever closes it waits for them. */
  statements: (userIds: readonly number[]) => Statement[];
  /** From the rows of these statements; undefined: no round takes bets. */
  read: (rows: readonly Record<string, unknown>[][]) => Readings['shared'];
};

type Read = {
  players: Player[];
  wallets: Wallet[];
  rounds: RoundRow[];
  shared: Readings['shared'];
  stored: StoredAnswer[];
};
type Known = { player: Player; wallets: ReadonlyMap<string, Wallet> };

export function createSettler({ fairness, outlook, sharedRound, log, metrics }: SettlerOptions, lane: Lane) {
  // What a player's row and wallets were after their last bet here: lets a lone bet go out in one round trip.
  const known = new LRUCache<number, Known>({ max: 10_000 });

  const settle = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const outcomes =
        (batch.length === 1 && (await settleKnown(batch[0]!.request))) ||
        (await settleLocked(requestsOf(batch)));
      metrics.betBatchSize.observe(batch.length);
      for (let i = 0; i < batch.length; i++) answer(batch[i]!, outcomes[i]!);
    } catch (error) {
      await recover(batch, error);
    }
  };

  const recover = async (batch: readonly Waiting[], error: unknown): Promise<void> => {
    if (!(error instanceof NotCommitted)) {
      log.error({ error: String(error), bets: batch.length }, 'the outcome of a batch is unknown');
      for (const bet of batch) bet.reject(bettingErrors.BET_OUTCOME_UNKNOWN({ retryAfterSeconds: 1 }));
      return;
    }
    await lane.send([ROLLBACK]).catch(() => undefined);
    if (batch.length === 1) {
      batch[0]!.reject(error.cause ?? error);
      return;
    }
    log.warn(
      { error: String(error.cause ?? error), bets: batch.length },
      'a batch failed; its bets are tried one by one',
    );
    for (const bet of batch) {
      if (bet.until < performance.now()) bet.reject(bettingErrors.BET_TIMED_OUT({ retryAfterSeconds: 1 }));
      else await settle([bet]);
    }
  };

  /** Two round trips: lock and read; decide; write and commit. */
  const settleLocked = async (requests: readonly GameRequest[]): Promise<Outcome[]> => {
    const users = usersOf(requests);
    const keys = requests.flatMap(({ userId, repeat }) => (repeat ? [{ userId, key: repeat.key }] : []));
    const find = keys.length > 0 ? [findStatement(keys)] : [];
    const inRounds = usersOf(requests, needsRound);
    const readRounds = inRounds.length > 0 ? [readRoundsStatement(inRounds)] : [];
    const inShared = usersOf(requests, isPlaced);
    const readShared = inShared.length > 0 && sharedRound ? sharedRound.statements(inShared) : [];
    const { readings, plan, block } = await decided(async () => {
      const [, players, wallets, ids, ...more] = await lane.send([
        BEGIN,
        lockStatement(users),
        readWalletsStatement(users),
        reserveIds(),
        ...readRounds,
        ...readShared,
        ...find,
      ]);
      const block = ids![0] as Block;
      const rounds = (readRounds.length > 0 ? more.shift() : []) as RoundRow[];
      const shared = readShared.length > 0 ? sharedRound!.read(more.splice(0, readShared.length)) : undefined;
      const stored = (find.length > 0 ? more.shift() : []) as StoredAnswer[];
      const read = { players: players as Player[], wallets: wallets as Wallet[], rounds, shared, stored };
      const readings = await readingsOf(read);
      return { readings, plan: planBatch(requests, readings, block), block };
    });
    if (plan.statements.length > 0) await lane.send([...plan.statements, COMMIT]);
    else await lane.send([ROLLBACK]).catch(() => undefined);
    const [lone] = requests;
    if (requests.length === 1 && plan.nonces === 1 && isSimple(lone!)) remember(lone, readings);
    else for (const user of users) known.delete(user);
    return plan.outcomes(block);
  };

  /**
   * One round trip for a lone bet of a player seen before: the same statements, which fail when their nonce, seeds or wallet
   * are not what they were. Undefined: take the usual way.
   */
  const settleKnown = async (request: GameRequest): Promise<Outcome[] | undefined> => {
    // When they last bet is known under their lock only.
    if (request.repeat || !isSimple(request) || outlook(null).keepsBetTimes) return undefined;
    const last = known.get(request.userId);
    if (!last || !fairness.peekPair(last.player.seedPairId)) return undefined;
    known.delete(request.userId);
    const players = new Map([[request.userId, last.player]]);
    const readings: Readings = {
      players,
      wallets: last.wallets,
      stored: new Map(),
      pairs: fairness.peekPair,
      restrictions: new Map(),
      rounds: new Map(),
      shared: undefined,
      outlook,
    };
    try {
      const plan = await decided(async () => planBatch([request], readings));
      if (plan.nonces === 0) return undefined;
      const [advance, ...writes] = plan.statements as [Statement, ...Statement[]];
      const [, , ids] = await lane.send([BEGIN, advance, reserveIds(), ...writes, COMMIT]);
      remember(request, readings);
      return plan.outcomes(ids![0] as Block);
    } catch (error) {
      if (!(error instanceof NotCommitted)) throw error;
      return undefined;
    }
  };

  const readingsOf = async ({ players, wallets, rounds, shared, stored }: Read): Promise<Readings> => {
    const missing = players.map((p) => p.seedPairId).filter((id) => !fairness.peekPair(id));
    if (missing.length > 0) {
      const [rows] = await lane.send([pairsStatement(missing)]);
      fairness.rememberPairs(rows as StoredPair[]);
    }
    const restricted = players.flatMap((p) => (p.isRestricted ? [p.userId] : []));
    const [restrictions = []] =
      restricted.length > 0 ? await lane.send([restrictionsStatement(restricted)]) : [];
    return {
      outlook,
      restrictions: new Map(
        (restrictions as RestrictionsRow[]).map((row) => [row.userId, toRestrictions(row)]),
      ),
      players: new Map(players.map((p) => [p.userId, p])),
      wallets: new Map(wallets.map((w) => [`${w.userId}:${w.currencyId}`, w])),
      rounds: new Map(rounds.map((r) => [`${r.userId}:${r.gameId}`, r])),
      shared,
      stored: new Map(stored.map((s) => [`${s.userId}:${s.key}`, s])),
      pairs: fairness.peekPair,
    };
  };

  /** The plan changed the wallet in place; nonce and version follow what was written. */
  const remember = ({ userId, currency }: BetRequest, readings: Readings) => {
    const player = readings.players.get(userId)!;
    if (player.isRestricted) return;
    readings.wallets.get(`${userId}:${currency.id}`)!.version++;
    known.set(userId, { player: { ...player, nonce: player.nonce + 1 }, wallets: readings.wallets });
  };

  // Labels are hashed at every look-up: one look-up a game, not one a bet.
  const counters = new Map<string, { inc(): void }>();
  const settledOf = (game: string) => {
    const counter = counters.get(game) ?? metrics.betsSettled.labels({ game });
    counters.set(game, counter);
    return counter;
  };

  const answer = (bet: Waiting, outcome: Outcome) => {
    if ('answer' in outcome) {
      if (outcome.settles) settledOf(bet.request.game.slug).inc();
      bet.resolve(outcome.answer);
    } else {
      metrics.betsRefused.inc({
        code: outcome.refusal instanceof AppError ? outcome.refusal.code : 'INTERNAL_ERROR',
      });
      bet.reject(outcome.refusal);
    }
  };

  return { settle };
}

/** Nothing was written yet: whatever goes wrong here leaves a transaction to roll back, not an unknown outcome. */
async function decided<T>(decide: () => Promise<T>): Promise<T> {
  try {
    return await decide();
  } catch (error) {
    throw error instanceof NotCommitted ? error : new NotCommitted('not decided', { cause: error });
  }
}

/** A bet that hangs on no open round. */
const isSimple = (request: GameRequest): request is BetRequest => 'play' in request && !request.isAlone;
const needsRound = (request: GameRequest): boolean =>
  'act' in request || 'begin' in request || ('play' in request && request.isAlone === true);

const isPlaced = (request: GameRequest): boolean => 'isShared' in request;

const usersOf = (requests: readonly GameRequest[], which: (r: GameRequest) => boolean = () => true) => [
  ...new Set(requests.filter(which).map((r) => r.userId)),
];

const requestsOf = (batch: readonly Waiting[]) => batch.map((b) => b.request);

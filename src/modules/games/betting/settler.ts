import type { Statement } from '../../../platform/database/db.ts';
import { isUnavailable } from '../../../platform/database/errors.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Player } from '../../base/players/service.ts';
import { createBooks, provesAll, type RememberedBonus, undecided } from '../../money/bonus/books.ts';
import { reserveIds } from '../../money/ledger/queries.ts';
import type { Wallet } from '../../money/ledger/rules.ts';
import { fitting, follow, type Outcome, type Plan, planBatch, type Settled } from './batch.ts';
import type { Readings } from './books.ts';
import { bettingErrors } from './errors.ts';
import {
  BEGIN,
  COMMIT,
  clearAfterReconnect,
  createLaneState,
  type Lane,
  type LaneState,
  NotCommitted,
  ROLLBACK,
  rememberSession,
  type SettlerOptions,
} from './lane.ts';
import { settleCached, settleLocked } from './locked.ts';
import type { Block, GameRequest } from './request.ts';

/** A request with the deadline (`performance.now()`) until which its player waits for the response. */
export type Waiting = {
  request: GameRequest;
  until: number;
  /** The trace of the request. The span of the batch links to it. */
  trace?: string | undefined;
  resolve(answer: object): void;
  reject(error: unknown): void;
};

/**
 * Returns a function that settles the batches of a lane and responds to all of their requests. `usesCache` is false for a lane whose
 * transaction cannot be restarted after a failure.
 */
export function createSettler(options: SettlerOptions, lane: Lane, { usesCache = true } = {}) {
  const state = createLaneState(options, lane, { usesCache });
  return (batch: readonly Waiting[]) => settle(state, batch);
}

/**
 * Settles a batch in one transaction, or in several if bets with grants need more ids than a block contains. Tries the cheapest strategy
 * first: one round trip for cached players, then locks with cached rows of stores, then locks with all rows read from the database.
 */
async function settle(state: LaneState, batch: readonly Waiting[], usesCache = true): Promise<void> {
  let rest = batch;
  const open: Waiting[] = [];
  try {
    while (rest.length > 0) {
      const requests = rest.map((waiting) => waiting.request);
      const { outcomes, movedGrants, dueGrants } =
        (await settleOptimistically(state, requests)) ??
        (usesCache ? await settleCached(state, requests) : undefined) ??
        (await settleLocked(state, requests));
      rememberSession(state);
      state.metrics.betBatchSize.observe(outcomes.length);
      const settled = rest;
      rest = rest.slice(outcomes.length);
      if (movedGrants.length + dueGrants.length > 0) await followGrants(state, { movedGrants, dueGrants });
      for (const [i, outcome] of outcomes.entries())
        if (isOpen(outcome)) open.push(settled[i]!);
        else respond(state, settled[i]!, outcome);
    }
  } catch (error) {
    await recover(state, rest, error);
  }
  if (open.length > 0) await settle(state, open, false);
}

/**
 * Settles a batch of cached players in one round trip. It sends the same statements without locking first, and they fail if a player's
 * nonce, seeds or wallet have changed. Returns undefined if the batch must be settled with locks. That is the case if it needs rows that
 * are never cached (stored responses, open rounds, the time of the last bet), if another process has changed a row, or if a request would
 * be rejected, which requires current rows.
 */
async function settleOptimistically(
  state: LaneState,
  requests: readonly GameRequest[],
): Promise<Settled | undefined> {
  const { lane, lastSeen } = state;
  clearAfterReconnect(state);
  const readings = readingsOf(state, requests);
  if (!readings) return undefined;
  const { players } = readings;
  const fits = fitting(requests, players);
  if (fits < requests.length) return settleOptimistically(state, requests.slice(0, fits));
  let isSettled = false;
  try {
    const plan = findPlan(requests, readings);
    // If a batch uses no nonce, no statement checks whether the cached player row is current. The first statement advances the nonces.
    if (!plan || plan.refuses || plan.taken.size < players.size) return undefined;
    if (readings.bonus && !provesAll(readings.bonus)) return undefined;
    const [advance, ...writes] = plan.statements as [Statement, ...Statement[]];
    const [, , ids] = await lane.send([BEGIN, advance, reserveIds(), ...writes, COMMIT]);
    const outcomes = plan.outcomes(ids![0] as Block);
    follow(plan);
    if (readings.bonus) for (const userId of undecided(readings.bonus)) lastSeen.delete(userId);
    isSettled = true;
    return { ...plan, outcomes };
  } catch (error) {
    if (!(error instanceof NotCommitted)) throw error;
    return undefined;
  } finally {
    if (!isSettled) for (const userId of players.keys()) lastSeen.delete(userId);
  }
}

/** Returns undefined if a draft cannot be applied. The locked strategy then reports the failure. */
function findPlan(requests: readonly GameRequest[], readings: Readings): Plan | undefined {
  try {
    return planBatch(requests, readings);
  } catch {
    return undefined;
  }
}

/** Returns everything that the batch needs from the cache, or undefined if a row must be read from the database. */
function readingsOf(state: LaneState, requests: readonly GameRequest[]): Readings | undefined {
  const { lastSeen, fairness, outlook } = state;
  if (outlook(null).keepsBetTimes) return undefined;
  const players = new Map<number, Player>();
  const wallets = new Map<string, Wallet>();
  const bonuses: RememberedBonus[] = [];
  for (const { userId, repeat, store } of requests) {
    if (repeat || store) return undefined;
    if (players.has(userId)) continue;
    const last = lastSeen.get(userId);
    if (!last || !fairness.peekPair(last.player.seedPairId)) return undefined;
    players.set(userId, last.player);
    for (const wallet of last.wallets) wallets.set(`${userId}:${wallet.currencyId}`, wallet);
    if (last.bonus) bonuses.push(last.bonus);
  }
  const bonus =
    bonuses.length === 0
      ? undefined
      : createBooks(state.grants, {
          grants: bonuses.flatMap(({ grants }) => grants),
          bets: bonuses.flatMap(({ bets }) => bets),
        });
  const [stored, restrictions, states] = [new Map(), new Map(), new Map()];
  return { players, wallets, stored, restrictions, states, outlook, bonus, pairs: fairness.peekPair };
}

/**
 * Reports and settles the grants of a committed batch. Never rejects, because the bets stay settled even if the grants cannot be settled.
 */
async function followGrants(
  { grants, log }: LaneState,
  batch: Pick<Settled, 'movedGrants' | 'dueGrants'>,
): Promise<void> {
  try {
    if (batch.movedGrants.length > 0) grants.noteProgress(batch.movedGrants);
    if (batch.dueGrants.length > 0) await grants.settle(batch.dueGrants);
  } catch (error) {
    log.error({ error: String(error) }, 'the grants of a batch are settled later');
  }
}

/** Returns true if a request must be processed again with rows read from the database. */
const isOpen = (outcome: Outcome): boolean => 'refusal' in outcome && outcome.isOpen === true;

function respond(state: LaneState, bet: Waiting, outcome: Outcome): void {
  if ('answer' in outcome) {
    if (outcome.settles) countSettled(state, bet.request.game.slug);
    bet.resolve(outcome.answer);
  } else {
    const { refusal } = outcome;
    state.metrics.betsRefused.inc({ code: refusal instanceof AppError ? refusal.code : 'INTERNAL_ERROR' });
    bet.reject(refusal);
  }
}

function countSettled({ metrics, settledBets }: LaneState, game: string): void {
  const counter = settledBets.get(game) ?? metrics.betsSettled.labels({ game });
  settledBets.set(game, counter);
  counter.inc();
}

async function recover(state: LaneState, batch: readonly Waiting[], error: unknown): Promise<void> {
  const { log, lane } = state;
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
  const reason = String(error.cause ?? error);
  // The outage is not reported here, because the database watcher reports it once.
  const level = isUnavailable(error.cause) ? 'debug' : 'warn';
  log[level]({ error: reason, bets: batch.length }, 'a batch failed; its bets are retried one by one');
  for (const bet of batch) {
    if (bet.until < performance.now()) bet.reject(bettingErrors.BET_TIMED_OUT({ retryAfterSeconds: 1 }));
    else await settle(state, [bet]);
  }
}

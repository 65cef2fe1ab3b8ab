import type { Statement } from '../../../platform/database/db.ts';
import { isUnavailable } from '../../../platform/database/errors.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Player } from '../../base/players/service.ts';
import { createBooks, provesAll, type RememberedBonus, undecided } from '../../money/bonus/books.ts';
import { reserveIds } from '../../money/ledger/queries.ts';
import type { Wallet } from '../../money/ledger/rules.ts';
import { type Outcome, planBatch, type Readings } from './batch.ts';
import { bettingErrors } from './errors.ts';
import {
  BEGIN,
  COMMIT,
  cacheOf,
  clearAfterReconnect,
  createLaneState,
  type Lane,
  type LaneState,
  NotCommitted,
  ROLLBACK,
  rememberSession,
  type SettlerOptions,
} from './lane.ts';
import { beforeWriting, fitting, follow, requestsByStore, type Settled, settleLocked } from './locked.ts';
import type { Block, GameRequest } from './request.ts';

/** A request whose player waits for the response until a deadline (`performance.now()`). */
export type Waiting = {
  request: GameRequest;
  until: number;
  resolve(answer: object): void;
  reject(error: unknown): void;
};

/**
 * Returns a function that settles the batches of a lane and responds to all of their requests. `usesCache`: false for a lane whose
 * transaction cannot be started again after a failure.
 */
export function createSettler(options: SettlerOptions, lane: Lane, { usesCache = true } = {}) {
  const state = createLaneState(options, lane, { usesCache });
  return (batch: readonly Waiting[]) => settle(state, batch);
}

/**
 * Settles a batch in one transaction, or in several if bets with grants need more ids than a block has. Tries the cheapest strategy first:
 * one round trip for cached players, then locks with cached rows of stores, then locks with all rows read.
 */
async function settle(state: LaneState, batch: readonly Waiting[], usesCache = true): Promise<void> {
  let rest = batch;
  const open: Waiting[] = [];
  try {
    while (rest.length > 0) {
      const requests = rest.map((waiting) => waiting.request);
      const { outcomes, movedGrants, dueGrants } =
        (await settleOptimistically(state, requests)) ??
        (usesCache ? await settleFromCache(state, requests) : undefined) ??
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

/** Reports and settles the grants of a committed batch. Never rejects, because the bets are settled even if the grants cannot be. */
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

/** Returns true if a request must be decided again on rows that were read. */
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
  // The database watcher reports an outage, and only once.
  const level = isUnavailable(error.cause) ? 'debug' : 'warn';
  log[level]({ error: reason, bets: batch.length }, 'a batch failed; its bets are retried one by one');
  for (const bet of batch) {
    if (bet.until < performance.now()) bet.reject(bettingErrors.BET_TIMED_OUT({ retryAfterSeconds: 1 }));
    else await settle(state, [bet]);
  }
}

/**
 * Settles a batch of cached players in one round trip. It sends the same statements without locking first, and they fail if a player's
 * nonce, seeds or wallet have changed. Returns undefined if the batch must be settled with locks: it needs rows that are never cached
 * (stored responses, open rounds, the time of the last bet), another process has changed something, or a request would be rejected, which
 * needs current rows.
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
    const plan = await beforeWriting(async () => planBatch(requests, readings));
    // A batch that takes no nonce has no statement that checks whether the cached player row is current. The first statement advances the
    // nonces.
    if (plan.refuses || plan.taken.size < players.size) return undefined;
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

/** Returns everything that the batch needs from the cache; undefined if something must be read. */
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

const DISABLED_MS = 250;

/**
 * Settles under the same locks as settleLocked, but does not read rows that stores have cached: the writes fail if they are outdated.
 * Returns undefined if nothing was committed, for example because the cache is outdated or a transaction is a repetition. The batch must
 * then be settled on rows that are read. No request is rejected on cached rows: it stays open instead.
 */
async function settleFromCache(
  state: LaneState,
  requests: readonly GameRequest[],
): Promise<Settled | undefined> {
  if (performance.now() < state.cacheDisabledUntil) return undefined;
  clearAfterReconnect(state);
  const stores = requestsByStore(requests).filter(([store]) => store.cache);
  if (stores.length === 0) return undefined;
  const caches = new Map(stores.map(([store]) => [store, cacheOf(state, store)]));
  try {
    return await settleLocked(state, requests, caches);
  } catch (error) {
    for (const [store, own] of stores) store.cache!.evict(caches.get(store), own);
    if (!(error instanceof NotCommitted)) throw error;
    await state.lane.send([ROLLBACK]).catch(() => undefined);
    state.cacheDisabledUntil = performance.now() + DISABLED_MS;
    return undefined;
  }
}

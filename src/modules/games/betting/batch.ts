import type { Statement } from '../../../platform/database/db.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import { refusalOf, replay, type StoredAnswer, storeStatement } from '../../base/idempotency/service.ts';
import type { Player } from '../../base/players/service.ts';
import { dueGrants, movedGrants } from '../../money/bonus/books.ts';
import type { BetGrant } from '../../money/bonus/rules.ts';
import { IDS_PER_BLOCK } from '../../money/ledger/queries.ts';
import type { Wallet } from '../../money/ledger/rules.ts';
import { apply, createBatch, type OpenBatch, type Readings, statementsOf } from './books.ts';
import { answerOnly, type Block, type Draft, type GameRequest } from './request.ts';

/** `isOpen`: the rejection is based on cached rows, so the request must be processed again with rows read from the database. */
type Refused = { refusal: AppError; isOpen?: boolean };
export type Outcome = { answer: object; settles: boolean } | Refused;

export type Plan = {
  statements: Statement[];
  /** Number of nonces that each player's bets use. */
  taken: ReadonlyMap<Player, number>;
  /** The wallets that the batch changes. */
  wallets: Iterable<Wallet>;
  /** True if a request was rejected because of rows that may be outdated. */
  refuses: boolean;
  /** Active grants whose progress has changed. */
  movedGrants: readonly BetGrant[];
  /** Grants that may have ended. They are settled after the commit. */
  dueGrants: readonly bigint[];
  /** Returns the outcomes in the order of the requests. Needs the block's ids and time. */
  outcomes: (block: Block) => Outcome[];
};

/** The outcomes of the first requests of a batch. */
export type Settled = Pick<Plan, 'movedGrants' | 'dueGrants'> & { outcomes: readonly Outcome[] };

/** One bet and two postings: the maximum for a request that does not declare its own maximum. */
export const IDS_PER_REQUEST = 3;
/** With a grant, each posting may be split into cash and bonus money. */
const IDS_WITH_GRANT = 5;

/** Returns the maximum number of the block's ids that a request can take. */
export const idsOf = ({ ids }: GameRequest, player: Player | undefined): number =>
  ids ?? (player?.hasGrant ? IDS_WITH_GRANT : IDS_PER_REQUEST);

/** Returns how many of the requests fit in one block of ids. */
export function fitting(requests: readonly GameRequest[], players: Readings['players']): number {
  let ids = 0;
  const end = requests.findIndex((request, i) => {
    ids += idsOf(request, players.get(request.userId));
    return i > 0 && ids > IDS_PER_BLOCK;
  });
  return end < 0 ? requests.length : end;
}

/**
 * Updates the rows that were read, so that they match the written state. The plan has already changed the wallets, but not their versions
 * or the nonces.
 */
export function follow({ wallets, taken }: Plan): void {
  for (const wallet of wallets) wallet.version++;
  for (const [player, nonces] of taken) player.nonce += nonces;
}

/**
 * Processes the requests of a batch in order of arrival. Each request is processed with the balance, nonce and rows that result from the
 * earlier ones. A rejected request uses no nonce and moves no money. Pure: returns statements and outcomes.
 */
export function planBatch(requests: readonly GameRequest[], readings: Readings, block?: Block): Plan {
  const batch = createBatch(readings, block, IDS_PER_REQUEST);
  const keyed: Keyed = new Map();
  const decided = requests.map((request) => decideOnce(request, batch, keyed));
  // Ids beyond the end of the block belong to another transaction.
  if (batch.offset > IDS_PER_BLOCK) throw new RangeError(`a batch takes ${batch.offset} ids`);
  const statements = statementsOf(batch);
  if (block && keyed.size > 0) statements.push(storeStatement(answersToStore(keyed, block)));
  return {
    statements,
    taken: batch.taken,
    wallets: batch.touched.values(),
    refuses: decided.some((decision) => 'refusal' in decision),
    movedGrants: batch.bonus ? movedGrants(batch.bonus) : [],
    dueGrants: batch.bonus ? dueGrants(batch.bonus) : [],
    outcomes: (at) => decided.map((d) => ('refusal' in d ? d : { answer: d.answer(at), settles: d.settles })),
  };
}

/** The results to store, by player and key. The batch may contain further requests with the same key. */
type Keyed = Map<string, Omit<StoredAnswer, 'status' | 'body'> & { decision: Draft | Refused }>;

/** Processes a request, unless a response to its key is already stored or part of this batch. */
function decideOnce(request: GameRequest, batch: OpenBatch, keyed: Keyed): Draft | Refused {
  const { userId, repeat } = request;
  if (!repeat) return decide(request, batch);
  const name = `${userId}:${repeat.key}`;
  const stored = batch.readings.stored.get(name);
  if (stored) {
    const again = replay<object>(stored, repeat.inputHash);
    return 'value' in again ? answerOnly(again.value) : { refusal: again.refusal };
  }
  const duplicate = keyed.get(name);
  if (duplicate && !duplicate.inputHash.equals(repeat.inputHash))
    return { refusal: commonErrors.IDEMPOTENCY_KEY_REUSED() };
  if (duplicate) return repeated(duplicate.decision);
  const decision = decide(request, batch);
  // A rejection that is not stored does not apply to the next request with the same key, which is processed separately.
  const isFinal = 'refusal' in decision ? isStorable(decision.refusal) : true;
  if (isFinal && !request.isRefused) keyed.set(name, { userId, ...repeat, decision });
  return decision;
}

/** A repeated request gets the first response, but does not end a bet again. */
const repeated = (decision: Draft | Refused): Draft | Refused =>
  'refusal' in decision ? decision : { ...decision, settles: false };

/** Rejections that may not apply to a retry, so they are not stored. */
const NEVER_STORED = ['VALIDATION_FAILED', 'GAME_DISABLED', 'BET_TOO_SOON', 'SERIES_CLOSED'];

/** Returns true if the request itself was rejected. Only these rejections are stored. */
const isStorable = (refusal: AppError): boolean =>
  refusal instanceof AppError && refusal.status < 500 && !NEVER_STORED.includes(refusal.code);

function decide(request: GameRequest, batch: OpenBatch): Draft | Refused {
  let draft: Draft;
  try {
    draft = request.decide(batch, request.store && batch.readings.states.get(request.store));
  } catch (error) {
    return isBasedOnCache(request, batch) ? UNDECIDED : { refusal: error as AppError };
  }
  if (draft.refuses && isBasedOnCache(request, batch)) return UNDECIDED;
  // A failure here fails the whole batch, so that no request is partially applied.
  apply(draft, batch, request.ids);
  return draft;
}

/** This value is never sent as a response. */
const UNDECIDED: Refused = { refusal: commonErrors.SERVICE_UNAVAILABLE(), isOpen: true };

const isBasedOnCache = ({ store }: GameRequest, { readings }: OpenBatch): boolean | undefined =>
  store && readings.cached?.has(store);

/** Returns the responses and rejections to store for requests with an Idempotency-Key. */
const answersToStore = (keyed: Keyed, block: Block): StoredAnswer[] =>
  [...keyed.values()].map(({ decision, ...key }) =>
    'refusal' in decision
      ? { ...key, ...refusalOf(decision.refusal) }
      : { ...key, status: 200, body: JSON.stringify(decision.answer(block)) },
  );

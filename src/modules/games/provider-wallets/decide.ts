import { formatUnits, type Units } from '../../../platform/money.ts';
import { countRefusals } from '../../money/bonus/books.ts';
import type { Batch, Script } from '../betting/request.ts';
import { takeAdjustment, takeBet, takeCredit, takeRollback, takeWin } from './actions.ts';
import type { Action, WalletAnswer, WalletCall, WalletStatus } from './call.ts';
import type { NewFinding } from './queries.ts';
import { type ActionType, closed, expired, type Round } from './rules.ts';
import { findRound, latestSession, type WalletState } from './state.ts';
import {
  balanceOf,
  changeRound,
  contentOf,
  createWork,
  findTransaction,
  type Known,
  keepRefusal,
  namedRound,
  nextId,
  Refusal,
  sessionOf,
  type Work,
  write,
} from './work.ts';

/**
 * Ids that a call takes at most: one for its end, and for each action a transaction and two postings (or a tombstone). A rollback may take
 * a win back from cash, as a claim, and from bonus money, which promo makes up first.
 */
export const idsOf = ({ actions }: WalletCall): number =>
  actions.reduce((sum, { type }) => sum + (type === 'ROLLBACK' ? 5 : 3), 1);

/** Refusals that say something about the transaction itself: its id gets the same one for ever. */
const STORED: ReadonlySet<WalletStatus> = new Set<WalletStatus>([
  'PLAYER_BLOCKED',
  'LIMIT_EXCEEDED',
  'GAME_UNAVAILABLE',
  'INSUFFICIENT_FUNDS',
  'ROUND_CLOSED',
  'TRANSACTION_CONFLICT',
]);

/**
 * Decides a call under its player's lock (providers.md 3): its actions in order, each on the money that the ones before it leave, all of
 * them or none.
 */
export function decideCall(known: Known, batch: Batch, state: WalletState): Script<WalletAnswer> {
  const { userId, call } = known;
  if (!batch.findPlayer(userId)) return nothing(answerOf('PLAYER_NOT_FOUND', null, null));
  const currencyId = call.currencyId ?? currencyOf(known, state);
  const wallet = currencyId === undefined ? undefined : batch.findWallet(userId, currencyId);
  if (!wallet) return nothing(answerOf('INVALID_CURRENCY', null, null));
  const work = createWork(known, batch, state, wallet);
  try {
    for (const action of call.actions) takeOnce(work, action);
    if (call.closes) end(work);
  } catch (error) {
    if (error instanceof Refusal) return refused(work, error);
    throw error;
  }
  return carriedOut(work);
}

/** Where the call does not say it: that of its round, of what it refers to, of its session. */
function currencyOf(known: Known, state: WalletState): string | undefined {
  const { call, userId, provider } = known;
  const [reference] = call.actions.flatMap((action) => action.reference ?? []);
  const key = { userId, providerId: provider.id };
  return (
    (call.round === undefined ? undefined : findRound(state, { ...key, ref: call.round })?.currencyId) ??
    (reference === undefined
      ? undefined
      : findTransaction({ known, state, added: [] }, reference)?.currencyId) ??
    sessionOf(known, state)?.currencyId ??
    latestSession(state, key)?.currencyId
  );
}

function takeOnce(work: Work, action: Action): void {
  const before = findTransaction(work, action.id);
  if (!before) {
    TAKES[action.type](work, action);
    return;
  }
  const { policy } = work.known.provider;
  if (before.status === 'TOMBSTONE') {
    if (before.userId !== work.known.userId) throw new Refusal('TRANSACTION_CONFLICT');
    if (policy.tombstone !== 'OK') throw new Refusal(policy.tombstone);
  } else if (before.content !== contentOf(work, action)) {
    throw new Refusal('TRANSACTION_CONFLICT');
  } else if (before.status === 'REFUSED') {
    throw new Refusal(before.refusal as WalletStatus);
  }
  work.done.push({
    id: action.id,
    transactionId: String(before.id),
    at: before.createdAt,
    isRepeated: true,
  });
}

const TAKES: Readonly<Record<ActionType, (work: Work, action: Action) => void>> = {
  BET: takeBet,
  WIN: takeWin,
  ROLLBACK: takeRollback,
  FREE_SPIN_WIN: takeCredit,
  PROMO_WIN: takeCredit,
  JACKPOT: takeCredit,
  ADJUSTMENT: takeAdjustment,
};

/** The round ends with its bet as it stands. */
function end(work: Work): void {
  const round = namedRound(work) ?? [...work.rounds.values()].at(-1)?.now;
  if (!round) return;
  const { batch, known } = work;
  const isExpiry = known.asks === 'EXPIRY';
  const now = isExpiry ? expired(round, batch.at) : closed(round, batch.at);
  if (now.status === round.status) return;
  if (isExpiry) work.findings.push(expiryOf(round));
  const changedBy = work.rounds.get(round.id)?.changedBy ?? nextId(work);
  changeRound(work, round, now, changedBy);
}

/** Staff sees what was closed without its provider. */
const expiryOf = ({ providerId, userId, ref, bet }: Round): NewFinding => ({
  providerId,
  kind: 'ROUND_EXPIRED',
  subject: `${userId}:${ref}`,
  userId,
  facts: {
    round: ref,
    betId: bet ? String(bet.id) : null,
    staked: formatUnits(bet?.amount ?? 0n),
    paid: formatUnits(bet?.payout ?? 0n),
  },
});

const answerOf = (status: WalletStatus, balance: Units | null, currencyId: string | null): WalletAnswer => ({
  status,
  balance,
  currencyId,
  actions: [],
  isRepeated: false,
});

const nothing = (answer: WalletAnswer): Script<WalletAnswer> => ({
  carryOut: () => undefined,
  settles: false,
  refuses: true,
  answer: () => answer,
});

/** Nothing is moved. A refusal of the transaction itself is kept under its id. */
function refused(work: Work, { status, action }: Refusal): Script<WalletAnswer> {
  const { known, batch, state, wallet, findings, bonus } = work;
  const answer = answerOf(status, balanceOf(createWork(known, batch, state, wallet)), wallet.currencyId);
  // Staff may book it later, and what they are refused is not the provider's answer.
  if (!action || !STORED.has(status) || work.known.asks === 'STAFF') return nothing(answer);
  return {
    ...nothing(answer),
    carryOut() {
      keepRefusal(work, action, status);
      state.findings.push(...findings);
      if (bonus) countRefusals(batch.bonus!, bonus);
    },
  };
}

/** Of each action its own, or those of what it refers to. */
function freeRoundsOf(work: Work): string[] | undefined {
  const names = new Set<string>();
  for (const { freeRounds, reference } of work.known.call.actions) {
    const name =
      freeRounds ?? (reference === undefined ? undefined : findTransaction(work, reference)?.freeRounds);
    if (name) names.add(name);
  }
  return names.size > 0 ? [...names] : undefined;
}

function carriedOut(work: Work): Script<WalletAnswer> {
  const { known, wallet, done } = work;
  const last = done.at(-1);
  const isRepeated = last !== undefined && done.every((action) => action.isRepeated);
  const showsThen = isRepeated && known.provider.policy.repeatShows === 'then';
  const balance = showsThen ? findTransaction(work, last.id)!.balance : balanceOf(work);
  const answer = {
    ...answerOf('OK', balance, wallet.currencyId),
    actions: done,
    isRepeated,
    freeRounds: freeRoundsOf(work),
  };
  return { settles: work.settles, carryOut: (books) => write(work, books), answer: () => answer };
}

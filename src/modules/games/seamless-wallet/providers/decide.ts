import { formatUnits, type Units } from '../../../../platform/money.ts';
import type { NewFinding } from '../../../base/findings/service.ts';
import { countRefusals } from '../../../money/bonus/books.ts';
import { answerOnly, type Batch, type Draft } from '../../betting/request.ts';
import {
  type Action,
  emptyResponse,
  type WalletCall,
  type WalletResponse,
  type WalletStatus,
} from '../engine/call.ts';
import {
  applyDraft,
  balanceOf,
  type CallContext,
  callRound,
  changeRound,
  contentOf,
  createDraft,
  findTransaction,
  nextId,
  Refusal,
  sessionOf,
  storeRefusal,
  type WalletDraft,
} from '../engine/draft.ts';
import { type ActionType, closed, expired, type Round } from '../engine/rules.ts';
import { findLatestSession, findRound, type WalletState } from '../engine/state.ts';
import { adjust, creditReward, creditWin, placeBet, rollBack } from './actions.ts';

/**
 * Returns the maximum number of ids that a call takes: one for the end of the round, and for each action a transaction and two postings (or
 * a tombstone). A rollback may debit a win from cash, as a claim, and from bonus money, whose missing part the promo account pays first.
 */
export const idsOf = ({ actions }: WalletCall): number =>
  actions.reduce((sum, { type }) => sum + (type === 'ROLLBACK' ? 5 : 3), 1);

/** Statuses that concern the transaction itself. They are stored, so that its id always gets the same status. */
const STORED: ReadonlySet<WalletStatus> = new Set<WalletStatus>([
  'PLAYER_BLOCKED',
  'LIMIT_EXCEEDED',
  'GAME_UNAVAILABLE',
  'INSUFFICIENT_FUNDS',
  'ROUND_CLOSED',
  'TRANSACTION_CONFLICT',
]);

/** Processes a call under its player's lock: all of its actions in order, or none. Each action sees the balances after the earlier ones. */
export function decideCall(context: CallContext, batch: Batch, state: WalletState): Draft<WalletResponse> {
  const { userId, call } = context;
  if (!batch.findPlayer(userId)) return rejectWith(responseOf('PLAYER_NOT_FOUND', null, null));
  const currencyId = call.currencyId ?? currencyOf(context, state);
  const wallet = currencyId === undefined ? undefined : batch.findWallet(userId, currencyId);
  if (!wallet) return rejectWith(responseOf('INVALID_CURRENCY', null, null));
  const draft = createDraft(context, batch, state, wallet);
  try {
    for (const action of call.actions) handleOnce(draft, action);
    if (call.closes) end(draft);
  } catch (error) {
    if (error instanceof Refusal) return refused(draft, error);
    throw error;
  }
  return accepted(draft);
}

/** Finds the currency of a call that does not contain one: the currency of its round, its referenced transaction, or its session. */
function currencyOf(context: CallContext, state: WalletState): string | undefined {
  const { call, userId, provider } = context;
  const [reference] = call.actions.flatMap((action) => action.reference ?? []);
  const key = { userId, providerId: provider.id };
  return (
    (call.round === undefined ? undefined : findRound(state, { ...key, ref: call.round })?.currencyId) ??
    (reference === undefined
      ? undefined
      : findTransaction({ context, state, added: [] }, reference)?.currencyId) ??
    sessionOf(context, state)?.currencyId ??
    findLatestSession(state, key)?.currencyId
  );
}

function handleOnce(draft: WalletDraft, action: Action): void {
  const before = findTransaction(draft, action.id);
  if (!before) {
    HANDLERS[action.type](draft, action);
    return;
  }
  const { policy } = draft.context.provider;
  if (before.status === 'TOMBSTONE') {
    if (before.userId !== draft.context.userId) throw new Refusal('TRANSACTION_CONFLICT');
    if (policy.tombstone !== 'OK') throw new Refusal(policy.tombstone);
  } else if (before.content !== contentOf(draft, action)) {
    throw new Refusal('TRANSACTION_CONFLICT');
  } else if (before.status === 'REFUSED') {
    throw new Refusal(before.refusal as WalletStatus);
  }
  draft.done.push({
    id: action.id,
    transactionId: String(before.id),
    at: before.createdAt,
    isRepeated: true,
  });
}

const HANDLERS: Readonly<Record<ActionType, (draft: WalletDraft, action: Action) => void>> = {
  BET: placeBet,
  WIN: creditWin,
  ROLLBACK: rollBack,
  FREE_SPIN_WIN: creditReward,
  PROMO_WIN: creditReward,
  JACKPOT: creditReward,
  ADJUSTMENT: adjust,
};

/** Ends the round of the call. */
function end(draft: WalletDraft): void {
  const round = callRound(draft) ?? [...draft.rounds.values()].at(-1)?.now;
  if (!round) return;
  const { batch, context } = draft;
  const isExpiry = context.origin === 'EXPIRY';
  const now = isExpiry ? expired(round, batch.at) : closed(round, batch.at);
  if (now.status === round.status) return;
  if (isExpiry) draft.findings.push(expiryOf(round));
  const changedBy = draft.rounds.get(round.id)?.changedBy ?? nextId(draft);
  changeRound(draft, round, now, changedBy);
}

/** Returns the finding for staff about a round that the platform closed without its provider. */
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

const responseOf = (
  status: WalletStatus,
  balance: Units | null,
  currencyId: string | null,
): WalletResponse => ({ ...emptyResponse(status), balance, currencyId });

const rejectWith = (response: WalletResponse): Draft<WalletResponse> => ({
  ...answerOnly(response),
  refuses: true,
});

/** Returns a rejection, which moves no money. A rejection that concerns the transaction itself is stored under the transaction's id. */
function refused(draft: WalletDraft, { status, action }: Refusal): Draft<WalletResponse> {
  const { context, batch, state, wallet, findings, bonus } = draft;
  const response = responseOf(
    status,
    balanceOf(createDraft(context, batch, state, wallet)),
    wallet.currencyId,
  );
  // A rejection is not stored if staff book the transaction: they may try again later, and the provider does not receive the rejection.
  if (!action || !STORED.has(status) || draft.context.origin === 'STAFF') return rejectWith(response);
  return {
    ...rejectWith(response),
    apply() {
      storeRefusal(draft, action, status);
      state.findings.push(...findings);
      if (bonus) countRefusals(batch.bonus!, bonus);
    },
  };
}

/** Returns the provider's references for the free rounds of the actions, or of their referenced transactions. */
function freeRoundsOf(draft: WalletDraft): string[] | undefined {
  const names = new Set<string>();
  for (const { freeRounds, reference } of draft.context.call.actions) {
    const name =
      freeRounds ?? (reference === undefined ? undefined : findTransaction(draft, reference)?.freeRounds);
    if (name) names.add(name);
  }
  return names.size > 0 ? [...names] : undefined;
}

function accepted(draft: WalletDraft): Draft<WalletResponse> {
  const { context, wallet, done } = draft;
  const last = done.at(-1);
  const isRepeated = last !== undefined && done.every((action) => action.isRepeated);
  const showsThen = isRepeated && context.provider.policy.repeatShows === 'then';
  const balance = showsThen ? findTransaction(draft, last.id)!.balance : balanceOf(draft);
  const response = {
    ...responseOf('OK', balance, wallet.currencyId),
    actions: done,
    isRepeated,
    freeRounds: freeRoundsOf(draft),
  };
  return { settles: draft.settles, apply: (books) => applyDraft(draft, books), answer: () => response };
}

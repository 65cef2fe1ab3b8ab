import type { Units } from '../../../../platform/money.ts';
import { answerOnly, type Batch, type Draft } from '../../betting/request.ts';
import {
  applyDraft,
  type CallContext,
  contentOf,
  createDraft,
  findTransaction,
  Refusal,
  storeRefusal,
  storeTombstone,
  type WalletDraft,
} from '../engine/draft.ts';
import type { WalletState } from '../engine/state.ts';
import { HANDLERS } from './actions.ts';
import { isStake, type ReadTransaction, type Said } from './read.ts';
import { Decline, type DeclineCode } from './schemas.ts';

/**
 * The outcome of a transaction. `said`: the transaction as it was first sent. `lacksWallet`: the wallet must be opened before the
 * transaction is processed again.
 */
export type Decision =
  | { said: Said; balance: Units; isRepeated: boolean }
  | { declined: DeclineCode; balance: Units }
  | { lacksWallet: true };

/** Processes a transaction under its player's lock. */
export function decideTransaction(
  { context, read }: { context: CallContext; read: ReadTransaction },
  batch: Batch,
  state: WalletState,
): Draft<Decision> {
  const { userId } = context;
  if (!batch.findPlayer(userId)) return answerOnly({ declined: 'error.user.not-found', balance: 0n });
  const draft = createDraft(context, batch, state, batch.wallet(userId, read.currencyId));
  try {
    const repeated = repeatOf(draft, read);
    if (repeated) return answerOnly(repeated);
    HANDLERS[read.meaning](draft, read);
  } catch (error) {
    if (error instanceof Decline) return rejected(draft, read, error);
    // The amount exceeds the range of our columns.
    if (error instanceof Refusal)
      return answerOnly({ declined: 'error.request.invalid', balance: draft.wallet.cash });
    throw error;
  }
  if (draft.moves.length > 0 && !batch.findWallet(userId, read.currencyId))
    return answerOnly({ lacksWallet: true });
  const { payload: said } = read.action;
  const decision: Decision = { said, balance: draft.cash, isRepeated: false };
  return { settles: draft.settles, apply: (books) => applyDraft(draft, books), answer: () => decision };
}

/** Returns the first outcome of a repeated id. Throws if the content differs, or if the id was rolled back before it arrived. */
function repeatOf(draft: WalletDraft, { action }: ReadTransaction): Decision | undefined {
  const before = findTransaction(draft, action.id);
  if (!before) return undefined;
  if (before.status === 'TOMBSTONE' || before.content !== contentOf(draft, action))
    throw new Decline('error.retry.incorrect');
  const { refusal, balance, payload } = before;
  if (before.status === 'REFUSED') return { declined: refusal as DeclineCode, balance: draft.cash };
  return { said: payload as Said, balance, isRepeated: true };
}

/** Error codes that concern the transaction itself. They are stored, so that its id always gets the same code. */
const STORED: ReadonlySet<DeclineCode> = new Set<DeclineCode>([
  'error.general',
  'limit.exceeded',
  'decline.player.blocked',
  'decline.restrictions',
  'decline.lowbalance',
  'decline.parent.failed',
]);

/** Returns true for a report that could not be booked. Staff handle this report, so it must not be booked when it arrives again. */
const isLeftToStaff = (code: DeclineCode, { meaning }: ReadTransaction): boolean =>
  code === 'error.request.invalid' && !isStake(meaning);

function rejected(
  draft: WalletDraft,
  read: ReadTransaction,
  { code, leavesTombstone }: Decline,
): Draft<Decision> {
  const { action } = read;
  const unchanged = answerOnly<Decision>({ declined: code, balance: draft.wallet.cash });
  if (leavesTombstone) return { ...unchanged, apply: () => storeTombstone(draft, action) };
  if (!STORED.has(code) && !isLeftToStaff(code, read)) return unchanged;
  return {
    ...unchanged,
    apply() {
      storeRefusal(draft, action, code);
      draft.state.findings.push(...draft.findings);
    },
  };
}

import type { Units } from '../../../platform/money.ts';
import type { Batch, Script } from '../betting/request.ts';
import {
  contentOf,
  createWork,
  findTransaction,
  type Known,
  keepRefusal,
  keepTombstone,
  Refusal,
  type Work,
  write,
} from '../provider-wallets/work.ts';
import { TAKES } from './actions.ts';
import { Decline } from './decline.ts';
import type { DeclineCode } from './errors.ts';
import type { ReadTransaction, Said } from './read.ts';
import type { WalletState } from './work.ts';

/** `said`: as it came the first time. Without a wallet nothing can be credited: it is opened, and the transaction decided again. */
export type Decision =
  | { said: Said; balance: Units; isRepeated: boolean }
  | { declined: DeclineCode; balance: Units }
  | { lacksWallet: true };

/** Decides a transaction of the sportsbook under its player's lock (providers.md 3 and 4). */
export function decideTransaction(
  { known, read }: { known: Known; read: ReadTransaction },
  batch: Batch,
  state: WalletState,
): Script<Decision> {
  const { userId } = known;
  if (!batch.findPlayer(userId)) return nothing({ declined: 'error.user.not-found', balance: 0n });
  const work = createWork(known, batch, state, batch.wallet(userId, read.currencyId));
  try {
    const repeated = repeatOf(work, read);
    if (repeated) return nothing(repeated);
    TAKES[read.meaning](work, read);
  } catch (error) {
    if (error instanceof Decline) return declined(work, read, error);
    // More than any sum can be.
    if (error instanceof Refusal)
      return nothing({ declined: 'error.request.invalid', balance: work.wallet.cash });
    throw error;
  }
  if (work.moves.length > 0 && !batch.findWallet(userId, read.currencyId))
    return nothing({ lacksWallet: true });
  const { payload: said } = read.action;
  const decision: Decision = { said, balance: work.cash, isRepeated: false };
  return { settles: work.settles, carryOut: (books) => write(work, books), answer: () => decision };
}

const nothing = (decision: Decision): Script<Decision> => ({
  carryOut: () => undefined,
  settles: false,
  answer: () => decision,
});

/** What the same id was answered before. Throws where it stood for something else, or was taken back before it came. */
function repeatOf(work: Work, { action }: ReadTransaction): Decision | undefined {
  const before = findTransaction(work, action.id);
  if (!before) return undefined;
  if (before.status === 'TOMBSTONE' || before.content !== contentOf(work, action))
    throw new Decline('error.retry.incorrect');
  const { refusal, balance, payload } = before;
  if (before.status === 'REFUSED') return { declined: refusal as DeclineCode, balance: work.cash };
  return { said: payload as Said, balance, isRepeated: true };
}

/** Declines that say something about the transaction itself: its id gets the same one for ever. */
const STORED: ReadonlySet<DeclineCode> = new Set<DeclineCode>([
  'error.general',
  'limit.exceeded',
  'decline.player.blocked',
  'decline.restrictions',
  'decline.lowbalance',
  'decline.parent.failed',
]);

function declined(work: Work, { action }: ReadTransaction, { code, keepsOut }: Decline): Script<Decision> {
  const script = nothing({ declined: code, balance: work.wallet.cash });
  if (keepsOut) return { ...script, carryOut: () => keepTombstone(work, action) };
  if (!STORED.has(code)) return script;
  return {
    ...script,
    carryOut() {
      keepRefusal(work, action, code);
      work.state.findings.push(...work.findings);
    },
  };
}

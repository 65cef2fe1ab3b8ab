import type { GamesBehaviour } from './behaviour.ts';
import type { Books, Transaction } from './books.ts';
import type { Operation, Speech, Verdict } from './dialect.ts';
import type { Session } from './sessions.ts';
import type { Wallet } from './wallet.ts';

export type Till = ReturnType<typeof createTill>;
type Parts = { books: Books; wallet: Wallet; behaviour: GamesBehaviour };
type Money = { session: Session; roundId: string; transactions: readonly Transaction[]; closes: boolean };

/** The fields of a transaction. Omitted fields have the values of an ordinary win of the session's player. */
type About = {
  type: string;
  amount: bigint;
  roundId: string;
  id?: string | undefined;
  playerId?: string | undefined;
  reference?: string | null;
  isFree?: boolean;
  award?: string | null;
};

/** Repeats wallet calls until their outcome is certain, and records the outcome in the books. */
export const createTill = (parts: Parts) => ({
  enter: (speech: Speech, session: Session, about: About) => enter(parts, speech, session, about),
  untilCertain: (speech: Speech, operation: Operation, tries?: number) =>
    untilCertain(parts, speech, operation, tries),
  bet: (speech: Speech, about: Money) => bet(parts, speech, about),
  win: (speech: Speech, about: Money) => win(parts, speech, about),
  rollback: (speech: Speech, session: Session, originals: readonly Transaction[]) =>
    rollback(parts, speech, session, originals),
});

/** Adds a transaction to the books before the platform is called. */
function enter(parts: Parts, speech: Speech, session: Session, about: About): Transaction {
  const { type, amount, roundId, isFree = false, reference = null, award = null } = about;
  const { id: own, currency } = session.player!;
  const playerId = about.playerId ?? own;
  const { dialect: book } = speech;
  parts.books.round({ book, id: roundId, playerId, currency, gameCode: session.gameCode });
  return parts.books.enter({
    book,
    id: about.id ?? speech.newId(type),
    type,
    playerId,
    currency,
    amount,
    effect: type === 'ROLLBACK' || (type === 'BET' && isFree) ? 0n : type === 'BET' ? -amount : amount,
    roundId,
    gameCode: session.gameCode,
    reference,
    isFree,
    award,
  });
}

/** Sends one message with the configured faults. Returns undefined if no response was read. */
async function ask(parts: Parts, speech: Speech, operation: Operation): Promise<Verdict | undefined> {
  if (parts.behaviour.hits('wrongSignature')) {
    const reply = await parts.wallet.attempt(speech.message(operation, true));
    if (reply && speech.judge(reply, operation).kind === 'done')
      parts.books.oddity(`${speech.dialect}: a wrong signature was accepted`);
  }
  for (const transaction of operation.transactions) transaction.tries++;
  const copies = parts.behaviour.hits('duplicatesAtOnce') ? 2 : 1;
  const replies = await Promise.all(
    Array.from({ length: copies }, () => parts.wallet.attempt(speech.message(operation, false))),
  );
  const verdicts = replies.flatMap((reply) => (reply ? speech.judge(reply, operation) : []));
  return verdicts.find(({ kind }) => kind === 'done') ?? verdicts[0];
}

/** Repeats a message until its outcome is certain. Returns undefined after `tries` attempts. */
async function untilCertain(
  parts: Parts,
  speech: Speech,
  operation: Operation,
  tries = Number.POSITIVE_INFINITY,
): Promise<Verdict | undefined> {
  const canGiveUp = canTakeBack(speech, operation.transactions);
  for (let n = 0; n < tries; n++) {
    if (n > 0) await parts.wallet.pauseBefore(n);
    const verdict = await ask(parts, speech, operation);
    for (const transaction of operation.transactions)
      transaction.answer = verdict?.code ?? transaction.answer;
    if (verdict && verdict.kind !== 'again') {
      if (parts.behaviour.hits('duplicates')) await repeat(parts, speech, operation, verdict);
      return verdict;
    }
    if (!verdict && canGiveUp && parts.behaviour.hits('rollbackAfterLost')) return undefined;
  }
  return undefined;
}

/** Checks that repeating a message gives the same result. */
async function repeat(parts: Parts, speech: Speech, operation: Operation, first: Verdict): Promise<void> {
  const second = await ask(parts, speech, operation);
  if (second && second.kind !== 'again' && second.kind !== first.kind)
    parts.books.oddity(
      `${speech.dialect}: ${first.code}, and ${second.code} the second time: ${named(operation)}`,
    );
}

/** Returns true if a bet with an uncertain outcome can be rolled back together with everything else in its message. */
const canTakeBack = ({ takesBackWins }: Speech, transactions: readonly Transaction[]): boolean => {
  const bets = transactions.filter(({ type }) => type === 'BET').length;
  return bets > 0 && (bets === transactions.length || takesBackWins === true);
};

/**
 * Sends a bet, alone or with its wins. The bet ends as DONE, REFUSED, or UNDONE (rolled back because its outcome stays uncertain or the
 * rejection is not final).
 */
async function bet(parts: Parts, speech: Speech, about: Money): Promise<Verdict | undefined> {
  const tries = canTakeBack(speech, about.transactions) ? speech.betTries : undefined;
  const verdict = await untilCertain(parts, speech, money(about), tries);
  const { finalRefusals } = speech;
  const isRefusal = verdict?.kind === 'refused' && (finalRefusals?.includes(verdict.code) ?? true);
  if (verdict?.kind === 'done' || isRefusal)
    for (const one of about.transactions) one.state = isRefusal ? 'REFUSED' : 'DONE';
  else await rollback(parts, speech, about.session, about.transactions);
  return verdict;
}

/** Sends wins until they are accepted, because the platform owes them to the player. */
async function win(parts: Parts, speech: Speech, about: Money): Promise<Verdict> {
  const verdict = (await untilCertain(parts, speech, money(about)))!;
  const isDone = verdict.kind === 'done';
  for (const one of about.transactions) one.state = isDone ? 'DONE' : 'REFUSED';
  if (!isDone) parts.books.oddity(`${speech.dialect}: ${verdict.code}: ${named(money(about))}`);
  return verdict;
}

/** Rolls back a round's transactions in one message, regardless of whether the platform has booked them. */
async function rollback(
  parts: Parts,
  speech: Speech,
  session: Session,
  originals: readonly Transaction[],
): Promise<Verdict> {
  const roundId = originals[0]!.roundId!;
  const transactions = originals.map(({ id, amount, playerId }) => {
    const rollback = { type: 'ROLLBACK', amount, roundId, playerId, reference: id };
    return enter(parts, speech, session, { ...rollback, id: speech.rollbackId?.(id) });
  });
  const about = money({ session, roundId, transactions, closes: false });
  const verdict = (await untilCertain(parts, speech, about))!;
  const isDone = verdict.kind === 'done';
  for (const back of transactions) back.state = isDone ? 'DONE' : 'REFUSED';
  if (isDone) for (const original of originals) original.state = 'UNDONE';
  else parts.books.oddity(`${speech.dialect}: ${verdict.code}: ${named(about)}`);
  return verdict;
}

const money = (about: Money): Operation => ({ kind: 'MONEY', ...about });

const named = ({ kind, transactions }: Operation): string =>
  transactions.map(({ type, id }) => `${type} ${id}`).join(', ') || kind;

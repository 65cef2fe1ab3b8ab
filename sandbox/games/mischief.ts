import { fromUnits } from './amounts.ts';
import type { GamesBehaviour } from './behaviour.ts';
import type { Books, Transaction } from './books.ts';
import type { Speech } from './dialect.ts';
import type { Award } from './free-rounds/awards.ts';
import type { Session } from './sessions.ts';
import { LINE_BETS, playRound } from './seven-orchards.ts';
import { streamOf } from './stream.ts';
import type { Till } from './till.ts';

/** The services that are needed to play a round. */
export type Desk = { books: Books; behaviour: GamesBehaviour; till: Till };
/** A player's round. `award` is set for a free round. */
export type Playing = { speech: Speech; session: Session; roundId: string; award?: Award | undefined };

/**
 * Sends a rollback before its bet, after which the platform must never book the bet. Or sends a win before its bet, so that the platform
 * rejects the win and the win is sent again later.
 */
export async function sendTooEarly(
  { books, till, behaviour }: Desk,
  playing: Playing,
  bet: Transaction,
): Promise<Transaction | 'taken back'> {
  const { speech, session, roundId } = playing;
  const about = { session, roundId, closes: false };
  if (behaviour.random() < 0.5) {
    await till.rollback(speech, session, [bet]);
    const late = { kind: 'MONEY' as const, ...about, transactions: [bet] };
    const verdict = await till.untilCertain(speech, late, speech.betTries);
    if (verdict?.kind === 'done' && speech.dialect !== 'softswiss')
      books.oddity(`${speech.dialect}: BET ${bet.id} was accepted after its rollback`);
    return 'taken back';
  }
  const amount =
    (bet.amount / BigInt(LINE_BETS)) * BigInt(playRound(streamOf(session.seed, roundId)).spins[0]!.pay);
  const win = till.enter(speech, session, { type: 'WIN', amount, roundId, reference: bet.id });
  const early = { kind: 'MONEY' as const, ...about, transactions: [win] };
  const verdict = await till.untilCertain(speech, early, 1);
  if (verdict?.kind === 'done') books.oddity(`${speech.dialect}: WIN ${win.id} was accepted before its bet`);
  return win;
}

/** Repeats a bet with the same id and an amount that is one unit higher. */
export async function sendOtherAmount(
  { books, till }: Desk,
  { speech, session, roundId }: Playing,
  bet: Transaction,
): Promise<void> {
  const unit = fromUnits(1n, speech.currencies[bet.currency]!);
  const other = { ...bet, amount: bet.amount + unit };
  const operation = { kind: 'MONEY' as const, session, roundId, transactions: [other], closes: false };
  const verdict = await till.untilCertain(speech, operation, 1);
  if (verdict?.kind === 'done')
    books.oddity(`${speech.dialect}: BET ${bet.id} was accepted with two amounts`);
}

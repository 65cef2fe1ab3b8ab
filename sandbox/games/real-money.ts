import { formatAmount } from '../payments-amounts.ts';
import type { Transaction } from './books.ts';
import type { Dialect } from './catalogue.ts';
import type { Speech, Verdict } from './dialect.ts';
import type { Award, Awards } from './free-rounds/awards.ts';
import { type Desk, type Playing, sendOtherAmount, sendTooEarly } from './mischief.ts';
import { LINE_BETS, playRound, type Round } from './seven-orchards.ts';
import { streamOf } from './stream.ts';
import type { Unsettled } from './unsettled.ts';

/**
 * A spin's result for the page. PLAYED: outcome and money are certain. REFUSED: the bet was rejected. CANCELLED: the outcome of the bet was
 * uncertain, so it has been rolled back.
 */
export type Spun = {
  status: 'PLAYED' | 'REFUSED' | 'CANCELLED';
  roundId: string;
  stake: string;
  won: string;
  code: string;
  balance: string | null;
  round: Round | null;
  /** Number of free rounds left. Absent for a normal round. */
  freeRoundsLeft?: number;
};

type Parts = Desk & { unsettled: Unsettled; awards: Awards };
type Speeches = { speeches: Readonly<Record<Dialect, Speech>> };
/** The stake and the wins of a round. */
type Sums = { stake: bigint; wins: readonly bigint[] };
/** `verdict` is the platform's response to the bet. `last` is its response to the most recent message after the bet. */
type Played = {
  status: Spun['status'];
  verdict: Verdict | undefined;
  last?: Verdict | undefined;
  code?: string;
};

const HOUR_MS = 3_600_000;

/** Plays a real-money or free round. Repeats every message until its outcome is certain. */
export async function playForMoney(parts: Parts, playing: Playing, wanted: bigint): Promise<Spun> {
  const { speech, session, roundId, award } = playing;
  const stake = award?.bet ?? wanted;
  const round = playRound(streamOf(session.seed, roundId));
  const wins = round.spins.map(({ pay }) => (stake / BigInt(LINE_BETS)) * BigInt(pay));
  const isAtOnce = !award && speech.together !== undefined && parts.behaviour.hits('oneMessage');
  const play = award ? playFree : isAtOnce ? playAtOnce : playInTurn;
  const played = await play(parts, playing, { stake, wins });
  const { status, verdict, last, code = verdict?.code ?? 'no response' } = played;
  const isPlayed = status === 'PLAYED';
  return {
    status,
    roundId,
    stake: formatAmount(stake),
    won: isPlayed ? formatAmount(wins.reduce((a, b) => a + b)) : '0',
    code,
    balance: shownBalance(last) ?? shownBalance(verdict),
    round: isPlayed ? round : null,
    ...(award && { freeRoundsLeft: award.rounds - award.played }),
  };
}

const entering =
  ({ till }: Desk, { speech, session, roundId, award }: Playing) =>
  (type: string, amount: bigint, { reference = null, id }: { reference?: string | null; id?: string } = {}) =>
    till.enter(speech, session, {
      type,
      amount,
      roundId,
      reference,
      id,
      isFree: award !== undefined,
      award: award?.id ?? null,
    });

/** Sends the bet, then each win. */
async function playInTurn(parts: Parts, playing: Playing, { stake, wins }: Sums): Promise<Played> {
  const { till, behaviour } = parts;
  const { speech, session, roundId } = playing;
  const enter = entering(parts, playing);
  const bet = enter('BET', stake);
  const isEarly = !playing.award && behaviour.hits('outOfOrder');
  const early = isEarly ? await sendTooEarly(parts, playing, bet) : undefined;
  if (early === 'taken back') return { status: 'CANCELLED', code: early, verdict: undefined };
  const verdict = await till.bet(speech, { session, roundId, transactions: [bet], closes: false });
  if (bet.state !== 'DONE') {
    if (early) early.state = 'REFUSED';
    return { status: notPlayed(bet), verdict };
  }
  if (behaviour.hits('oldId')) await sendOtherAmount(parts, playing, bet);
  const owed = wins.map((amount, i) => (i === 0 && early) || enter('WIN', amount, { reference: bet.id }));
  const tellsEnd = !behaviour.hits('noClose');
  const paying = () => payAll(parts, playing, { paid: [bet], owed, tellsEnd });
  const last = behaviour.hits('lateWin') ? await later(parts, paying) : await paying();
  return { status: 'PLAYED', verdict, last };
}

/** Plays a free round, with the wallet calls that the protocol requires for it. The total win is sent after the last round (`payAward`). */
async function playFree(parts: Parts, playing: Playing, { stake, wins }: Sums): Promise<Played> {
  const { speech, session, award } = playing;
  const hearsOf = speech.freeRounds;
  const told = hearsOf === 'EACH' ? wins : wins.map(() => 0n);
  const silent: Played = { status: 'PLAYED', verdict: undefined, code: 'free' };
  award!.underWay++;
  try {
    const played = hearsOf === 'SUM' ? silent : await playInTurn(parts, playing, { stake, wins: told });
    const won = wins.reduce((a, b) => a + b);
    if (played.status === 'PLAYED') parts.awards.count(award!, session, won);
    return played;
  } finally {
    award!.underWay--;
  }
}

/** Reports the total win of an award that has ended, unless each win was already reported. */
export async function payAward({ till, speeches }: Desk & Speeches, award: Award): Promise<void> {
  const { book, id, session, won, played } = award;
  const speech = speeches[book];
  if (!session || speech.freeRounds === 'EACH' || played === 0) return;
  const roundId = speech.newRoundId();
  const sum = till.enter(speech, session, {
    type: 'FREE_SPIN_WIN',
    amount: won,
    roundId,
    // In SOFTSWISS's protocol, the total win is sent in the same way as the free spins themselves.
    ...(speech.freeRounds === 'SUM' && { id }),
    isFree: true,
    award: id,
  });
  await till.win(speech, { session, roundId, transactions: [sum], closes: false });
}

/**
 * Sends the bet with as many wins as one message can contain. For a list, the stake is split into two bets. The remaining wins are sent
 * afterwards.
 */
async function playAtOnce(parts: Parts, playing: Playing, { stake, wins }: Sums): Promise<Played> {
  const { speech, session, roundId } = playing;
  const enter = entering(parts, playing);
  const isList = speech.together === 'LIST';
  const bets = (isList ? [stake / 2n, stake / 2n] : [stake]).map((amount) => enter('BET', amount));
  const [{ id: reference }] = bets as [Transaction];
  const pay = (amount: bigint) =>
    enter('WIN', amount, { reference, ...(!isList && { id: `${reference}:win` }) });
  const sent = [...bets, ...(isList ? wins : wins.slice(0, 1)).map(pay)];
  const tellsEnd = !parts.behaviour.hits('noClose');
  const others = isList ? [] : wins.slice(1);
  const closes = tellsEnd && others.length === 0;
  const verdict = await parts.till.bet(speech, { session, roundId, transactions: sent, closes });
  if (bets[0]!.state !== 'DONE') return { status: notPlayed(bets[0]!), verdict };
  const owed = others.map((amount) => enter('WIN', amount, { reference }));
  const last = await payAll(parts, playing, { paid: sent, owed, tellsEnd });
  return { status: 'PLAYED', verdict, last };
}

const notPlayed = ({ state }: Transaction) => (state === 'REFUSED' ? 'REFUSED' : 'CANCELLED');

type Owed = { paid: readonly Transaction[]; owed: readonly Transaction[]; tellsEnd: boolean };

/** Sends the wins one by one. The last one closes the round. */
async function payAll(
  parts: Parts,
  playing: Playing,
  { paid, owed, tellsEnd }: Owed,
): Promise<Verdict | undefined> {
  const { till, unsettled } = parts;
  const { speech, session, roundId } = playing;
  let verdict: Verdict | undefined;
  for (const [i, win] of owed.entries()) {
    const closes = tellsEnd && i === owed.length - 1 && !speech.endsByMessage;
    verdict = await till.win(speech, { session, roundId, transactions: [win], closes });
  }
  const [bet] = paid as [Transaction];
  const booked = [...owed, ...paid.toReversed()];
  await takeBack(parts, playing, tellsEnd ? booked : booked.filter(({ type }) => type === 'WIN'));
  if (tellsEnd) return (await end(parts, playing)) ?? verdict;
  unsettled.leave(() => endLater(parts, playing, bet.id));
  return verdict;
}

/** Rolls back the transactions for which the fault `takenBack` occurs. The fault is decided separately for each transaction. */
async function takeBack(
  { till, behaviour }: Desk,
  { speech, session }: Playing,
  booked: readonly Transaction[],
): Promise<void> {
  if (!speech.takesBackWins) return;
  for (const one of booked) if (behaviour.hits('takenBack')) await till.rollback(speech, session, [one]);
}

/** Ends the round. Sends a message if the protocol has one for this. */
async function end(
  { books, till }: Desk,
  { speech, session, roundId }: Playing,
): Promise<Verdict | undefined> {
  const message = { kind: 'END' as const, session, roundId, transactions: [], closes: true };
  const verdict = speech.endsByMessage ? await till.untilCertain(speech, message) : undefined;
  const { id: playerId, currency } = session.player!;
  const { gameCode } = session;
  books.round({ book: speech.dialect, id: roundId, playerId, currency, gameCode }).isClosed = true;
  return verdict;
}

/** Sends an additional win of zero to end a round that its last win did not close. */
async function endLater(parts: Desk, playing: Playing, reference: string): Promise<void> {
  const { speech, session, roundId } = playing;
  if (!speech.endsByMessage) {
    const win = entering(parts, playing)('WIN', 0n, { reference });
    await parts.till.win(speech, { session, roundId, transactions: [win], closes: true });
  }
  await end(parts, playing);
}

/** Pays a win hours later, when no caller is waiting for the result. */
async function later(
  { behaviour, unsettled }: Parts,
  paying: () => Promise<Verdict | undefined>,
): Promise<undefined> {
  const ms = behaviour.get().lateWinHours * HOUR_MS;
  // The promise rejects when the sandbox closes.
  unsettled.follow(unsettled.pause(ms).then(paying)).catch(() => undefined);
}

export const shownBalance = (verdict: Verdict | undefined): string | null =>
  verdict?.balance === null || verdict === undefined ? null : formatAmount(verdict.balance);

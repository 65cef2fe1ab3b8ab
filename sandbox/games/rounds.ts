import { formatAmount } from '../payments-amounts.ts';
import { fromUnits, toUnits } from './amounts.ts';
import type { GamesBehaviour } from './behaviour.ts';
import type { Books, Transaction } from './books.ts';
import type { Dialect } from './catalogue.ts';
import type { Speech, Verdict } from './dialect.ts';
import type { Session } from './sessions.ts';
import { LINE_BETS, playRound, type Round } from './seven-orchards.ts';
import { streamOf } from './stream.ts';
import type { Till } from './till.ts';
import { createUnsettled, type Unsettled } from './unsettled.ts';

/**
 * What came of a spin, for the page. PLAYED: outcome and money are certain. REFUSED: the bet was not taken. CANCELLED: it was not
 * certain whether the bet was taken, and so it was taken back.
 */
export type Spun = {
  status: 'PLAYED' | 'REFUSED' | 'CANCELLED';
  roundId: string;
  stake: string;
  won: string;
  code: string;
  balance: string | null;
  round: Round | null;
};

export type Rounds = ReturnType<typeof createRounds>;
type Parts = {
  books: Books;
  behaviour: GamesBehaviour;
  till: Till;
  speeches: Readonly<Record<Dialect, Speech>>;
};
type Played = Parts & { unsettled: Unsettled };
type Playing = { speech: Speech; session: Session; roundId: string };

const HOUR_MS = 3_600_000;
const DEMO_DECIMALS = 2;

/** Plays rounds of the demo slot: outcomes are computed here, money moves at the platform. */
export function createRounds(parts: Parts) {
  const { till, speeches } = parts;
  const unsettled = createUnsettled();
  return {
    /** Ends every round, once all of its money is certain. Answers how many had been left open. */
    settle: unsettled.settle,
    speeches,
    /** Whether this may be staked: ten equal line bets. */
    isStake(session: Session, stake: bigint): boolean {
      const decimals = decimalsOf(session, speeches);
      const units = toUnits(stake, decimals);
      return stake > 0n && fromUnits(units, decimals) === stake && units % BigInt(LINE_BETS) === 0n;
    },
    /** One round; the same spin of a session is played once, however often it is asked for. */
    spin(session: Session, stake: bigint, spinId: string): Promise<Spun> {
      const known = session.spins.get(spinId) as Promise<Spun> | undefined;
      if (known !== undefined) return known;
      const spun = session.player
        ? unsettled.follow(playForMoney({ ...parts, unsettled }, session, stake))
        : playForFun(session, stake);
      session.spins.set(spinId, spun);
      spun.catch(() => session.spins.delete(spinId));
      return spun;
    },
    /** Cash as the platform says it; null: it does not. */
    async balance(session: Session): Promise<string | null> {
      if (!session.player) return formatAmount(session.funds);
      const about = { session, roundId: null, transactions: [], closes: false };
      const speech = speeches[session.dialect];
      return shownBalance(await till.untilCertain(speech, { kind: 'BALANCE', ...about }, 3));
    },
    /** Tells the platform that the game was opened, in the protocols that have a message for it. */
    async authenticate(session: Session): Promise<Verdict | undefined> {
      const about = { session, roundId: null, transactions: [], closes: false };
      return till.untilCertain(speeches[session.dialect], { kind: 'AUTHENTICATE', ...about }, 3);
    },
  };
}

/** In real money; every message is repeated until it is certain. */
async function playForMoney(parts: Played, session: Session, stake: bigint): Promise<Spun> {
  const { till, behaviour } = parts;
  const speech = parts.speeches[session.dialect];
  const playing: Playing = { speech, session, roundId: speech.newRoundId() };
  const { roundId } = playing;
  const round = playRound(streamOf(session.seed, roundId));
  const enter = (type: string, amount: bigint, reference: string | null = null) =>
    till.enter(speech, session, { type, amount, roundId, reference });
  const bet = enter('BET', stake);
  const wins = round.spins.map(({ pay }) => (stake / BigInt(LINE_BETS)) * BigInt(pay));
  const spun = { roundId, stake: formatAmount(stake), won: '0', round: null };
  const early = behaviour.hits('outOfOrder') ? await sendTooEarly(parts, playing, bet) : undefined;
  if (early === 'taken back') return { ...spun, status: 'CANCELLED', code: early, balance: null };
  const verdict = await till.bet(speech, { session, roundId, transactions: [bet] });
  const balance = shownBalance(verdict);
  if (bet.state !== 'DONE') {
    if (early) early.state = 'REFUSED';
    const status = bet.state === 'REFUSED' ? 'REFUSED' : 'CANCELLED';
    return { ...spun, status, code: verdict?.code ?? 'no answer', balance };
  }
  if (behaviour.hits('oldId')) await sendOtherAmount(parts, playing, bet);
  const owed = wins.map((amount, i) => (i === 0 && early) || enter('WIN', amount, bet.id));
  const paying = payAll(parts, playing, owed);
  const last = behaviour.hits('lateWin') ? await later(parts, paying) : await paying();
  const won = formatAmount(wins.reduce((a, b) => a + b));
  return {
    ...spun,
    status: 'PLAYED',
    won,
    code: verdict?.code ?? '',
    balance: shownBalance(last) ?? balance,
    round,
  };
}

/** The wins one by one; the last one closes the round. */
const payAll =
  (parts: Played, playing: Playing, wins: readonly Transaction[]) =>
  async (): Promise<Verdict | undefined> => {
    const { till, behaviour, unsettled } = parts;
    const { speech, session, roundId } = playing;
    const tellsEnd = !behaviour.hits('noClose');
    let verdict: Verdict | undefined;
    for (const [i, win] of wins.entries()) {
      const closes = tellsEnd && i === wins.length - 1 && !speech.endsByMessage;
      verdict = await till.win(speech, { session, roundId, transactions: [win], closes });
    }
    if (!tellsEnd) {
      unsettled.leave(() => endLater(parts, playing, wins[0]!.reference));
      return verdict;
    }
    return (await end(parts, playing)) ?? verdict;
  };

/** The round is over; where the protocol has a message for that, it is sent. */
async function end(
  { books, till }: Parts,
  { speech, session, roundId }: Playing,
): Promise<Verdict | undefined> {
  const message = { kind: 'END' as const, session, roundId, transactions: [], closes: true };
  const verdict = speech.endsByMessage ? await till.untilCertain(speech, message) : undefined;
  const { id: playerId, currency } = session.player!;
  const { gameCode } = session;
  books.round({ book: speech.dialect, id: roundId, playerId, currency, gameCode }).isClosed = true;
  return verdict;
}

/** A round whose end was not told with its last win ends with one more, of nothing. */
async function endLater(parts: Parts, playing: Playing, reference: string | null): Promise<void> {
  const { speech, session, roundId } = playing;
  if (!speech.endsByMessage) {
    const win = parts.till.enter(speech, session, { type: 'WIN', amount: 0n, roundId, reference });
    await parts.till.win(speech, { session, roundId, transactions: [win], closes: true });
  }
  await end(parts, playing);
}

/** Hours later, when nobody waits for it any more. */
async function later(
  { behaviour, unsettled }: Played,
  paying: () => Promise<Verdict | undefined>,
): Promise<undefined> {
  const ms = behaviour.get().lateWinHours * HOUR_MS;
  // Rejects when the sandbox closes.
  unsettled.follow(unsettled.pause(ms).then(paying)).catch(() => undefined);
}

/** A rollback before its bet: the bet never counts. Or the win before its bet: it is refused, and comes again. */
async function sendTooEarly(
  { books, till, behaviour }: Parts,
  playing: Playing,
  bet: Transaction,
): Promise<Transaction | 'taken back'> {
  const { speech, session, roundId } = playing;
  const about = { session, roundId, closes: false };
  if (behaviour.random() < 0.5) {
    await till.rollback(speech, session, bet);
    const late = { kind: 'MONEY' as const, ...about, transactions: [bet] };
    const verdict = await till.untilCertain(speech, late, speech.betTries);
    if (verdict?.kind === 'done' && speech.dialect !== 'softswiss')
      books.oddity(`${speech.dialect}: BET ${bet.id} was taken after its rollback`);
    return 'taken back';
  }
  const amount =
    (bet.amount / BigInt(LINE_BETS)) * BigInt(playRound(streamOf(session.seed, roundId)).spins[0]!.pay);
  const win = till.enter(speech, session, { type: 'WIN', amount, roundId, reference: bet.id });
  const early = { kind: 'MONEY' as const, ...about, transactions: [win] };
  const verdict = await till.untilCertain(speech, early, 1);
  if (verdict?.kind === 'done') books.oddity(`${speech.dialect}: WIN ${win.id} was taken before its bet`);
  return win;
}

/** The id of a bet again, with one unit more. */
async function sendOtherAmount(
  { books, till }: Parts,
  { speech, session, roundId }: Playing,
  bet: Transaction,
): Promise<void> {
  const unit = fromUnits(1n, speech.currencies[bet.currency]!);
  const other = { ...bet, amount: bet.amount + unit };
  const operation = { kind: 'MONEY' as const, session, roundId, transactions: [other], closes: false };
  const verdict = await till.untilCertain(speech, operation, 1);
  if (verdict?.kind === 'done') books.oddity(`${speech.dialect}: BET ${bet.id} was taken with two amounts`);
}

const shownBalance = (verdict: Verdict | undefined): string | null =>
  verdict?.balance === null || verdict === undefined ? null : formatAmount(verdict.balance);

const decimalsOf = (session: Session, speeches: Readonly<Record<Dialect, Speech>>): number =>
  session.player ? speeches[session.dialect].currencies[session.player.currency]! : DEMO_DECIMALS;

/** A demo: money of the session alone. */
async function playForFun(session: Session, stake: bigint): Promise<Spun> {
  const roundId = `demo-${session.spins.size}`;
  const spun = { roundId, stake: formatAmount(stake), won: '0', round: null };
  if (stake > session.funds)
    return { ...spun, status: 'REFUSED', code: 'INSUFFICIENT_FUNDS', balance: formatAmount(session.funds) };
  const round = playRound(streamOf(session.seed, roundId));
  const won = (stake / BigInt(LINE_BETS)) * BigInt(round.lineBets);
  session.funds += won - stake;
  return {
    ...spun,
    status: 'PLAYED',
    won: formatAmount(won),
    code: 'OK',
    balance: formatAmount(session.funds),
    round,
  };
}

import { formatAmount } from '../payments-amounts.ts';
import { fromUnits, toUnits } from './amounts.ts';
import type { Dialect } from './catalogue.ts';
import type { Speech, Verdict } from './dialect.ts';
import type { Awards } from './free-rounds/awards.ts';
import type { Desk } from './mischief.ts';
import { payAward, playForMoney, type Spun, shownBalance } from './real-money.ts';
import type { Session } from './sessions.ts';
import { LINE_BETS, playRound } from './seven-orchards.ts';
import { streamOf } from './stream.ts';
import type { Unsettled } from './unsettled.ts';

export type Rounds = ReturnType<typeof createRounds>;
type Parts = Desk & {
  speeches: Readonly<Record<Dialect, Speech>>;
  unsettled: Unsettled;
  awards: Awards;
};

const DEMO_DECIMALS = 2;

/** Plays rounds of the demo slot. The sandbox computes the outcomes, and the platform books the stakes and wins. */
export function createRounds(parts: Parts) {
  const { till, speeches, unsettled, awards } = parts;
  awards.watch((award) => void unsettled.follow(payAward(parts, award)).catch(() => undefined));
  return {
    speeches,
    /** Returns true if the stake is valid: ten equal line bets. */
    isStake(session: Session, stake: bigint): boolean {
      const decimals = decimalsOf(session, speeches);
      const units = toUnits(stake, decimals);
      return stake > 0n && fromUnits(units, decimals) === stake && units % BigInt(LINE_BETS) === 0n;
    },
    /** Plays one round. A session's spin is played only once, even if it is requested repeatedly. */
    spin(session: Session, stake: bigint, spinId: string): Promise<Spun> {
      const known = session.spins.get(spinId) as Promise<Spun> | undefined;
      if (known !== undefined) return known;
      const speech = speeches[session.dialect];
      const about = { speech, session, roundId: speech.newRoundId(), award: awards.next(session) };
      const spun = session.player
        ? unsettled.follow(playForMoney(parts, about, stake))
        : playForFun(session, stake);
      session.spins.set(spinId, spun);
      spun.catch(() => session.spins.delete(spinId));
      return spun;
    },
    /** Returns the next free rounds, or undefined if there are none. */
    freeRounds(session: Session): { left: number; bet: string } | undefined {
      const award = awards.next(session);
      return award && { left: award.rounds - award.played, bet: formatAmount(award.bet) };
    },
    /** Returns the cash balance that the platform reports, or null if it reports none. */
    async balance(session: Session): Promise<string | null> {
      if (!session.player) return formatAmount(session.funds);
      const about = { session, roundId: null, transactions: [], closes: false };
      const speech = speeches[session.dialect];
      return shownBalance(await till.untilCertain(speech, { kind: 'BALANCE', ...about }, 3));
    },
    /** Reports to the platform that the game was opened, in protocols that have a message for this. */
    async authenticate(session: Session): Promise<Verdict | undefined> {
      const about = { session, roundId: null, transactions: [], closes: false };
      return till.untilCertain(speeches[session.dialect], { kind: 'AUTHENTICATE', ...about }, 3);
    },
  };
}

const decimalsOf = (session: Session, speeches: Readonly<Record<Dialect, Speech>>): number =>
  session.player ? speeches[session.dialect].currencies[session.player.currency]! : DEMO_DECIMALS;

/** Plays a demo round with the session's play money. */
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

import { iso } from '../../../platform/clock.ts';
import type { AppError } from '../../../platform/errors.ts';
import { MAX_UNITS, type Rate, type Units } from '../../../platform/money.ts';
import type { Player } from '../../base/players/service.ts';
import { type Play, recordUsage, reverseUsage } from '../../compliance/gate/rules.ts';
import {
  type BonusBooks,
  type Funds,
  recordEnd,
  recordPayout,
  recordStake,
  recordVoid,
} from '../../money/bonus/books.ts';
import type { Parts, Risk } from '../../money/bonus/rules.ts';
import type { Wallet } from '../../money/ledger/rules.ts';
import type { BetChange, NewBet, OpenBet } from '../bets/queries.ts';
import { ALGORITHM_VERSION } from '../fairness/rules.ts';
import { bettingErrors } from './errors.ts';
import type { Batch, Books, Draft, FreshBet, SingleStep } from './request.ts';
import { countedUsdOf, type Moved, payoutsOf } from './rules.ts';

/** Plays and settles a bet in one step. Throws if the bet is rejected. */
export function playBet<Answer extends object, Outcome extends object>(
  bet: FreshBet,
  step: SingleStep<Answer, Outcome>,
  batch: Batch,
): Draft<Answer> {
  const { player, stake, row } = admit(bet, batch);
  const nonce = batch.nonce(player);
  const { outcome, multiplier, scale } = step.play(batch.pair(player.seedPairId), nonce, bet);
  const paid = payoutsOf({ ...bet, multiplier, scale });
  const credit = payout(paid.payout, bet.rate);
  return draftOf(batch, {
    ...stake,
    credit,
    takesNonce: true,
    risk: step.risk,
    settled: {
      ...row,
      seedPairId: player.seedPairId,
      nonce,
      payout: paid.payout,
      usdPayout: credit.countedUsd,
      inputs: JSON.stringify(step.inputs),
      outcome: JSON.stringify(outcome),
    },
    answer: ({ base, at }) =>
      step.answer({
        betId: String(base + BigInt(row.id)),
        currencyId: bet.currencyId,
        createdAt: iso(at),
        betUsd: bet.betUsd,
        payoutUsd: paid.payoutUsd,
        outcome,
      }),
  });
}

/**
 * Returns the common part of every new bet: its stake, and the columns that do not depend on the game. Throws the first error, in this
 * order: game, gate, time between bets, the bet's own rejection, money. `sideStake` is an additional stake.
 */
export function admit(bet: FreshBet, batch: Batch, sideStake: Units = 0n) {
  const { userId, currencyId, game, rate } = bet;
  const { offset } = batch;
  const player = batch.player(userId);
  const units = bet.stake + sideStake;
  const staked = { units, countedUsd: countedUsdOf(units, rate) };
  if (bet.isOpen?.() === false) throw bettingErrors.GAME_DISABLED({ game: game.slug });
  const first = batch.refusalOf(bet, staked.countedUsd) ?? tooSoon(bet, player, batch) ?? bet.refusal;
  if (first) throw first;
  const wallet = batch.wallet(userId, currencyId);
  const funds = batch.fund({ wallet, units, usd: staked.countedUsd, gameId: game.id });
  return {
    player,
    stake: { game: game.slug, wallet, staked, funds, madeBy: player, entry: { offset } },
    row: {
      id: offset,
      userId,
      gameId: game.id,
      currencyId,
      amount: units,
      usdAmount: staked.countedUsd,
      betUsd: bet.betUsd,
      usdRate: rate,
      maxProfitUsd: bet.maxProfitUsd,
      rtpBp: bet.rtpBp,
      algorithmVersion: ALGORITHM_VERSION,
      windowId: bet.windowId,
    },
  };
}

/** Enforces the minimum time between bets set by the site or by one of the player's countries. Actions on a round are not new bets. */
function tooSoon({ country }: FreshBet, player: Player, batch: Batch): AppError | undefined {
  const { minBetIntervalMs } = batch.outlook(country);
  const last = minBetIntervalMs > 0 ? batch.lastBetAt(player) : null;
  if (!last) return undefined;
  const retryAfterMs = minBetIntervalMs - (batch.at.getTime() - last.getTime());
  if (retryAfterMs <= 0) return undefined;
  const retryAfterSeconds = Math.ceil(retryAfterMs / 1000);
  return bettingErrors.BET_TOO_SOON({ minBetIntervalMs, retryAfterMs, retryAfterSeconds });
}

export const NO_SEEDS = { seedPairId: null, nonce: null };

export const payout = (units: Units, rate: Rate): BetDraft['credit'] => ({
  kind: 'bet.payout',
  units,
  countedUsd: countedUsdOf(units, rate),
});

/** The changes that a request makes to one house bet: a stake, a credit and the row of the bet. Ids are distances from the start of the block. */
export type BetDraft<Answer extends object = object> = Pick<Draft<Answer>, 'answer'> & {
  /** The slug of the game. */
  game: string;
  wallet: Wallet;
  staked: Moved;
  /** The cash and bonus parts of the stake. */
  funds?: Funds | undefined;
  /** The amount that the house pays. A returned stake is subtracted from the limit usage of the periods in which it was placed. */
  credit: Moved & ({ kind: 'bet.payout' } | { kind: 'bet.stake.rollback'; madeAt: Date });
  /** The player of a new bet. */
  madeBy?: Player;
  /** True if the request takes the next nonce of the player's seeds. */
  takesNonce?: boolean;
  /** The ledger entry of the request's postings, which is the bet. */
  entry: { offset: number } | { betId: bigint };
  settled?: NewBet;
  opened?: OpenBet;
  changed?: BetChange;
  /** Returns the risk of the bet that ends here; called only for bets with a grant. */
  risk?: (() => Risk) | undefined;
  /** Changes the state of the request's store. */
  changeState?: () => void;
};

/** Returns the draft of a house bet. Throws RangeError if its payout does not fit. */
export function draftOf<Answer extends object>(batch: Batch, bet: BetDraft<Answer>): Draft<Answer> {
  assertPayable(bet);
  return {
    settles: endedBet(bet) !== undefined,
    answer: bet.answer,
    apply(books) {
      const { madeBy, takesNonce = false, settled, opened, changed } = bet;
      postParts(bet, batch, books);
      books.play(bet.wallet.userId, (play) => withUsage(play, bet, batch.at));
      if (madeBy) books.countBet(madeBy, takesNonce);
      if (settled) books.settled.push(settled);
      if (opened) books.opened.push(opened);
      if (changed) books.changed.set(changed.id, changed);
      bet.changeState?.();
    },
  };
}

/** Throws if the payout is negative or too large for its columns. A payout that is too large only for the wallet goes to suspense. */
function assertPayable({ game, credit, changed }: BetDraft): void {
  const fits = (amount: Units, present: Units) => amount >= 0n && present + amount <= MAX_UNITS;
  if (!fits(credit.units, 0n) || !fits(credit.countedUsd, changed?.usdAmount ?? 0n))
    throw new RangeError(`${game} pays ${credit.units}`);
}

/** Returns the bet if it is settled here. */
const endedBet = ({ settled, changed }: BetDraft): NewBet | BetChange | undefined =>
  settled ?? (changed?.status === 'SETTLED' ? changed : undefined);

/** Returns the usage of a player with limits. An action on a round counts as play even if it moves no money. */
const withUsage = (play: Play, { staked, credit }: BetDraft, at: Date): Play =>
  credit.kind === 'bet.stake.rollback'
    ? reverseUsage(play, { madeAt: credit.madeAt, staked: credit.countedUsd })
    : recordUsage(play, { at, staked: staked.countedUsd, paid: credit.countedUsd });

/** Posts the stake and the credit. The postings get the ids after `offset`, which is reserved for a new bet or a settlement. */
function postParts(bet: BetDraft, { base, offset }: Batch, books: Books): void {
  const { wallet, staked, credit, funds } = bet;
  const betId = 'offset' in bet.entry ? base + BigInt(bet.entry.offset) : bet.entry.betId;
  const entry = betId - base;
  let id = offset;
  const move = (kind: 'bet.stake' | typeof credit.kind, account: 'cash' | 'bonus', amount: Units) => {
    if (amount === 0n) return;
    const [debit, to] = kind === 'bet.stake' ? ([account, 'house'] as const) : (['house', account] as const);
    books.post(wallet, { kind, debit, credit: to, amount }, { id: ++id, entry });
  };
  if (books.bonus && funds) recordStake(books.bonus, betId, funds);
  move('bet.stake', 'cash', funds?.cash ?? staked.units);
  move('bet.stake', 'bonus', funds?.bonus ?? 0n);
  const paid = books.bonus ? creditParts(bet, books.bonus, betId) : { cash: credit.units, bonus: 0n };
  move(credit.kind, 'cash', paid.cash);
  move(credit.kind, 'bonus', paid.bonus);
}

/** Splits a credit into cash and bonus money. A bet that ends counts towards the wagering requirement of its grant. */
function creditParts(bet: BetDraft, books: BonusBooks, betId: bigint): Parts {
  const { credit, risk } = bet;
  if (credit.kind === 'bet.stake.rollback') return recordVoid(books, betId, credit.units);
  const ended = endedBet(bet);
  if (!ended) return { cash: credit.units, bonus: 0n };
  const parts = recordPayout(books, betId, { staked: ended.amount, payout: credit.units });
  recordEnd(books, betId, { staked: ended.amount, undecided: ended.undecided ?? 0n, risk });
  return parts;
}

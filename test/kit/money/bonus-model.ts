/**
 * A model of a player's balances while they have bonuses. It follows the rules but uses no product code. Amounts are in units, rounded down
 * to six decimals.
 */
const STEP = 100n;
const down = (amount: bigint): bigint => amount - (amount % STEP);
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

type Status = 'PENDING' | 'ACTIVE' | 'COMPLETED' | 'FORFEITED' | 'LOST';
export type Terms = {
  amount: bigint;
  required: bigint;
  /** The maximum amount that is converted. Null means no limit. */
  cap: bigint | null;
  maxBet: bigint | null;
  /** The wagering contribution of a stake, in basis points. */
  counts: bigint;
};
type Grant = Terms & {
  id: bigint;
  status: Status;
  balance: bigint;
  done: bigint;
  converted: bigint;
  /** Bonus money that is held in the promo account until the grant becomes active again. */
  waiting: bigint;
};
type Bet = {
  stake: bigint;
  payout: bigint;
  bonus: bigint;
  paid: bigint;
  counted: bigint;
  grant: Grant | undefined;
};

export type Wanted = 'made' | 'INSUFFICIENT_BALANCE' | 'PROMO_MAX_BET';

export class BonusModel {
  cash = 0n;
  vault = 0n;
  owed = 0n;
  readonly grants: Grant[] = [];
  readonly bets = new Map<string, Bet>();

  active(): Grant | undefined {
    return this.grants.find(({ status }) => status === 'ACTIVE');
  }

  issue(id: bigint, terms: Terms): void {
    this.grants.push({
      ...terms,
      id,
      status: 'PENDING',
      balance: 0n,
      done: 0n,
      converted: 0n,
      waiting: terms.amount,
    });
    this.startNext();
  }

  private startNext(): void {
    while (!this.active()) {
      const next = this.grants.find(({ status }) => status === 'PENDING');
      if (!next) return;
      next.status = 'ACTIVE';
      next.balance = next.waiting;
      next.waiting = 0n;
      this.look(next);
    }
  }

  private look(grant: Grant): void {
    if (grant.status !== 'ACTIVE') return;
    if (grant.done >= grant.required) {
      const room = grant.cap === null ? grant.balance : most(grant.cap - grant.converted, 0n);
      const kept = down(least(grant.balance, room));
      this.credit(kept);
      grant.converted += kept;
      grant.balance = 0n;
      grant.status = 'COMPLETED';
    } else if (grant.balance === 0n) grant.status = 'LOST';
    else return;
    this.startNext();
  }

  forfeit(): void {
    const grant = this.active();
    if (!grant) return;
    grant.balance = 0n;
    grant.status = 'FORFEITED';
    this.startNext();
  }

  /** Returns the expected result of placing a stake. */
  wants(stake: bigint): Wanted {
    const grant = this.active();
    const own = this.cash + (grant && grant.counts > 0n ? grant.balance : 0n);
    if (grant && grant.counts > 0n && grant.maxBet !== null && stake > grant.maxBet) return 'PROMO_MAX_BET';
    return stake > own ? 'INSUFFICIENT_BALANCE' : 'made';
  }

  /** Records an accepted bet and its payout. */
  bet(id: string, stake: bigint, payout: bigint): void {
    const grant = this.active();
    const cash = least(stake, this.cash);
    const bonus = stake - cash;
    const paidInCash = bonus === 0n ? payout : down((payout * cash) / stake);
    const paid = payout - paidInCash;
    const counted = grant ? (stake * grant.counts) / 10_000n : 0n;
    this.bets.set(id, { stake, payout, bonus, paid, counted, grant });
    this.cash += paidInCash - cash;
    if (!grant) return;
    grant.balance += paid - bonus;
    grant.done += counted;
    this.look(grant);
  }

  /** Returns true if a bet can be rolled back, that is, if the player still has the converted part of its win. */
  canRollBack(id: string): boolean {
    const { stake, bonus, paid, grant } = this.bets.get(id)!;
    if (grant?.status !== 'COMPLETED') return true;
    const back = least(most(paid - bonus, 0n), grant.converted);
    return this.cash + (stake - bonus) >= back;
  }

  rollBack(id: string): void {
    const { stake, payout, bonus, paid, counted, grant } = this.bets.get(id)!;
    this.bets.delete(id);
    this.cash += stake - bonus;
    if (grant) this.giveBack(grant, bonus, paid);
    this.take(payout - paid, stake - bonus);
    if (!grant) return;
    grant.done -= counted;
    this.look(grant);
    this.startNext();
  }

  private giveBack(grant: Grant, bonus: bigint, paid: bigint): void {
    if (grant.status === 'ACTIVE') {
      grant.balance = most(grant.balance + bonus - paid, 0n);
    } else if (grant.status === 'COMPLETED') {
      const net = bonus - paid;
      const room = grant.cap === null ? net : most(grant.cap - grant.converted, 0n);
      const change = net > 0n ? down(least(net, room)) : -least(-net, grant.converted);
      if (change > 0n) this.credit(change);
      else this.cash += change;
      grant.converted += change;
    } else if (grant.status === 'LOST' || grant.status === 'PENDING') {
      grant.waiting = most(grant.waiting + bonus - paid, 0n);
      grant.status = grant.waiting > 0n ? 'PENDING' : 'LOST';
    }
  }

  /** Credits converted bonus money after repaying the player's debt from it. */
  private credit(amount: bigint): void {
    const repaid = least(amount, this.owed);
    this.owed -= repaid;
    this.cash += amount - repaid;
  }

  /**
   * Reverses a cash payout. Takes it first from cash, then from the vault, and the rest becomes debt. If the returned stake is larger than
   * the payout, the difference repays debt.
   */
  private take(amount: bigint, returned: bigint): void {
    const fromCash = least(this.cash, amount);
    const fromVault = least(this.vault, amount - fromCash);
    this.cash -= fromCash;
    this.vault -= fromVault;
    this.owed += amount - fromCash - fromVault;
    const repaid = least(most(returned - amount, 0n), this.owed);
    this.cash -= repaid;
    this.owed -= repaid;
  }
}

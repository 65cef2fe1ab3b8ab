import { type Db, run, type Statement } from '../../../platform/database/db.ts';
import { currencyToUsdDown, formatUnits, type Rate, type Units } from '../../../platform/money.ts';
import type { Wallet } from '../ledger/rules.ts';
import { bonusErrors } from './errors.ts';
import { readBetGrants, writeBetGrants, writeBonusBets } from './queries.ts';
import {
  type BetGrant,
  type BonusBet,
  contributionOf,
  countedOf,
  type Ended,
  type GameFacts,
  isInForce,
  isLowRisk,
  type LowRiskLimits,
  type Parts,
  splitPayout,
  splitStake,
} from './rules.ts';

/**
 * The bonus money of those players in a batch who have a grant. It is read while the players are locked and is then changed by their bets.
 * A batch never ends a grant. It only marks a grant that may have ended (`isDue`), which is then settled in a separate transaction.
 */
export type BonusBooks = {
  factsOf: (gameId: number) => GameFacts;
  /** A bet beyond these limits risks too little to count towards wagering. */
  lowRisk: () => LowRiskLimits;
  /** The time of the batch in milliseconds. */
  at: number;
  /** The active grants by player and currency. */
  active: ReadonlyMap<string, BetGrant>;
  grants: ReadonlyMap<bigint, BetGrant>;
  bets: Map<bigint, BonusBet>;
  /** Changed grants, each with its previous values. */
  changedGrants: Map<BetGrant, Pick<BetGrant, 'balance' | 'wagerDone'>>;
  changedBets: Set<BonusBet>;
};

/** Platform data about games, and the limits for bets that do not count towards wagering. */
export type BookTerms = Pick<BonusBooks, 'factsOf' | 'lowRisk'>;

export const createBooks = (
  { factsOf, lowRisk }: BookTerms,
  { grants, bets }: { grants: readonly BetGrant[]; bets: readonly BonusBet[] },
): BonusBooks => ({
  factsOf,
  lowRisk,
  at: Date.now(),
  active: new Map(
    grants.filter(({ status }) => status === 'ACTIVE').map((grant) => [activeName(grant), grant]),
  ),
  grants: new Map(grants.map((grant) => [grant.id, grant])),
  bets: new Map(bets.map((bet) => [bet.betId, bet])),
  changedGrants: new Map(),
  changedBets: new Set(),
});

/** Returns a copy of one player's bonus money for changes that may still be rejected, or undefined if the player has no grant. */
export function copyOf({ factsOf, lowRisk, at, ...all }: BonusBooks, userId: number): BonusBooks | undefined {
  const own = <T extends { userId: number }>(rows: Iterable<T>): T[] =>
    [...rows].filter((row) => row.userId === userId).map((row) => ({ ...row }));
  const grants = own(all.grants.values());
  return grants.length === 0
    ? undefined
    : { ...createBooks({ factsOf, lowRisk }, { grants, bets: own(all.bets.values()) }), at };
}

/** Applies the changes made to a copy to the original. */
export function takeOver(books: BonusBooks, { changedGrants, changedBets }: BonusBooks): void {
  for (const grant of changedGrants.keys()) Object.assign(touch(books, books.grants.get(grant.id)!), grant);
  for (const bet of changedBets) {
    const known = books.bets.get(bet.betId);
    const own = known ? Object.assign(known, bet) : bet;
    books.bets.set(own.betId, own);
    books.changedBets.add(own);
  }
}

/** Takes over the counts of rejected stakes from a copy of the books, and none of the copy's other changes. */
export function countRefusals(books: BonusBooks, { grants }: BonusBooks): void {
  for (const { id, refusedBets } of grants.values()) {
    const own = books.grants.get(id)!;
    if (own.refusedBets !== refusedBets) touch(books, own).refusedBets = refusedBets;
  }
}

/** Returns the bonus money that a player could stake on a game in addition to cash, even if the wagering requirement is already met. */
export function playableOf(books: BonusBooks, wallet: Owned, gameId: number): Units {
  const grant = runningOf(books, wallet);
  return grant && contributionOf(grant.games, books.factsOf(gameId)) > 0 ? grant.balance : 0n;
}

/** Reads the players' grants without locking them. */
export const readBooks = async (db: Db, terms: BookTerms, userIds: readonly number[]): Promise<BonusBooks> =>
  createBooks(terms, { grants: await run<BetGrant>(db, readBetGrants(userIds, [])), bets: [] });

/** A stake that a player requests. `betId`: the existing bet that it increases; undefined for a new bet. */
export type Stake = { wallet: Wallet; units: Units; usd: Units; gameId: number; betId?: bigint | undefined };

/** The cash and bonus parts that fund a stake. `grant`: the grant that the bet uses. */
export type Funds = Parts & { grant?: BetGrant; contributionBp: number };

/**
 * Funds a stake from cash, then from the active grant if the game counts towards wagering. Returns undefined if the funds are insufficient.
 * Throws 403 PROMO_MAX_BET if the stake exceeds the grant's maximum bet, and counts this rejection on the grant. The maximum does not apply
 * to later stakes of the same bet.
 */
export function fund(books: BonusBooks, { wallet, units, usd, gameId, betId }: Stake): Funds | undefined {
  const grant = betId === undefined ? grantOf(books, wallet) : grantOfBet(books, betId);
  const contributionBp = grant ? contributionOf(grant.games, books.factsOf(gameId)) : 0;
  if (!grant || contributionBp === 0) {
    const isEnough = wallet.cash >= units;
    return isEnough ? { cash: units, bonus: 0n, contributionBp, ...(grant && { grant }) } : undefined;
  }
  if (betId === undefined && grant.maxBetUsd !== null && usd > grant.maxBetUsd) {
    touch(books, grant).refusedBets++;
    const { id, maxBetUsd } = grant;
    throw bonusErrors.PROMO_MAX_BET({ grantId: String(id), maxBetUsd: formatUnits(maxBetUsd) });
  }
  const parts = splitStake(units, wallet.cash, grant.balance);
  return parts && { ...parts, grant, contributionBp };
}

const activeName = ({ userId, currencyId }: Pick<BetGrant, 'userId' | 'currencyId'>) =>
  `${userId}:${currencyId}`;

/** Returns the grant that a player's new bets in a currency use. */
function grantOf(books: BonusBooks, wallet: Owned): BetGrant | undefined {
  const grant = runningOf(books, wallet);
  return grant && isInForce(grant) ? grant : undefined;
}

type Owned = Pick<Wallet, 'userId' | 'currencyId'>;

/** Returns the unexpired active grant in a currency. A grant can be active after its expiry while it waits for open bets. */
function runningOf({ active, at }: BonusBooks, wallet: Owned): BetGrant | undefined {
  const grant = active.get(activeName(wallet));
  const isOver = grant?.expiresAt ? grant.expiresAt.getTime() <= at : false;
  return isOver ? undefined : grant;
}

function grantOfBet({ grants, bets }: BonusBooks, betId: bigint): BetGrant | undefined {
  const bet = bets.get(betId);
  const grant = bet && grants.get(bet.grantId);
  return grant && isInForce(grant) ? grant : undefined;
}

/** Records the stake of a new bet, or an additional stake of an existing one. */
export function recordStake(books: BonusBooks, betId: bigint, { grant, bonus, contributionBp }: Funds): void {
  if (!grant) return;
  const { userId, currencyId, id: grantId } = grant;
  const bet = books.bets.get(betId) ?? {
    betId,
    userId,
    grantId,
    currencyId,
    bonusStaked: 0n,
    bonusPaid: 0n,
    bonusLost: 0n,
    bonusPassed: null,
    counted: null,
    contributionBp,
  };
  bet.bonusStaked += bonus;
  books.bets.set(betId, bet);
  books.changedBets.add(bet);
  move(books, grant, -bonus);
}

/** Records a payout of a bet and returns its cash and bonus parts. `staked` is the sum of the bet's stakes. */
export function recordPayout(
  books: BonusBooks,
  betId: bigint,
  { staked, payout }: { staked: Units; payout: Units },
): Parts {
  const made = findMadeWith(books, betId);
  if (!made) return { cash: payout, bonus: 0n };
  const { bet, grant } = made;
  const parts = splitPayout(payout, { staked, bonusStaked: bet.bonusStaked, decimals: grant.decimals });
  if (grant.status !== 'ACTIVE' && parts.bonus > 0n) bet.bonusPassed ??= bet.bonusPaid;
  bet.bonusPaid += parts.bonus;
  books.changedBets.add(bet);
  move(books, grant, parts.bonus);
  return parts;
}

/**
 * Handles the end of a bet. The settled part of its stake (games/bets/rules.ts) counts towards its grant's wagering while the grant is
 * active. A bet with almost no risk does not count.
 */
export function recordEnd(books: BonusBooks, betId: bigint, { staked, undecided, risk }: Ended): void {
  const made = findMadeWith(books, betId);
  if (!made) return;
  const { bet, grant } = made;
  if (undecided > 0n) bet.uncounted = 'PUSH';
  if (risk && isLowRisk(risk(), books.lowRisk())) bet.uncounted = 'LOW_RISK';
  const decided = bet.uncounted === 'LOW_RISK' ? 0n : staked - undecided;
  const counted = isInForce(grant) ? countedOf(decided, bet.contributionBp) : 0n;
  touch(books, grant).wagerDone += counted - (bet.counted ?? 0n);
  bet.counted = counted;
  books.changedBets.add(bet);
  if (mayHaveEnded(books, grant)) grant.isDue = true;
}

/**
 * Records that a provider bet ended, or that its stake changed after its end. Such a change can only reduce the wagered amount. If a
 * completed grant then lacks wagering, the missing amount, converted at the bet's `rate`, is added to the player's required turnover.
 */
export function recordChange(
  books: BonusBooks,
  betId: bigint,
  { staked, rate }: { staked: Units; rate: Rate },
): void {
  const made = findMadeWith(books, betId);
  if (!made) return;
  const { bet, grant } = made;
  if (bet.counted === null) {
    recordEnd(books, betId, { staked, undecided: 0n });
    return;
  }
  const counted = least(bet.counted, countedOf(staked, bet.contributionBp));
  const less = bet.counted - counted;
  if (less === 0n) return;
  bet.counted = counted;
  books.changedBets.add(bet);
  touch(books, grant).wagerDone -= less;
  const missing = least(less, grant.wagerRequired - grant.wagerDone);
  if (grant.status !== 'COMPLETED' || missing <= 0n) return;
  grant.turnoverOwed += currencyToUsdDown(missing, rate);
  grant.isDue = true;
}

/** Records the bonus part of a returned stake. */
export function recordReturn(books: BonusBooks, betId: bigint, bonus: Units): void {
  const { bet, grant } = madeWith(books, betId);
  bet.bonusStaked -= bonus;
  books.changedBets.add(bet);
  move(books, grant, bonus);
}

/**
 * Records the bonus part of a reversed payout. Returns the amount that promo must pay because the grant no longer has it. If the grant has
 * ended, its settlement debits the player by the part of this amount that the player kept.
 */
export function recordTakenBack(books: BonusBooks, betId: bigint, bonus: Units): Units {
  const { bet, grant } = madeWith(books, betId);
  const isActive = grant.status === 'ACTIVE';
  const held = isActive
    ? grant.balance
    : least(grant.balance, bet.bonusPaid - (bet.bonusPassed ?? bet.bonusPaid));
  const taken = least(held, bonus);
  const missing = bonus - taken;
  bet.bonusPaid -= bonus;
  books.changedBets.add(bet);
  move(books, grant, -taken);
  grant.writtenOff += missing;
  if (isActive) {
    if (bet.bonusPassed !== null) bet.bonusPassed = least(bet.bonusPassed, bet.bonusPaid);
    if (mayHaveEnded(books, grant)) grant.isDue = true;
    return missing;
  }
  if (bet.bonusPassed !== null) bet.bonusPassed -= missing;
  const lost = least(missing, bet.bonusLost);
  bet.bonusLost -= lost;
  grant.toTakeBack += missing - lost;
  return missing;
}

type MadeWith = { bet: BonusBet; grant: BetGrant };

/** Returns a bet with its grant, or undefined for a bet without a grant. */
function findMadeWith({ bets, grants }: BonusBooks, betId: bigint): MadeWith | undefined {
  const bet = bets.get(betId);
  const grant = bet && grants.get(bet.grantId);
  return bet && grant && { bet, grant };
}

/** Returns a bet that moved bonus money, with its grant. Throws if the bet was not read with the batch. */
function madeWith(books: BonusBooks, betId: bigint): MadeWith {
  const made = findMadeWith(books, betId);
  if (!made) throw new Error(`the bonus money of bet ${betId} was not read`);
  return made;
}

const least = (a: Units, b: Units): Units => (a < b ? a : b);

/** Records that an open bet was voided. Returns the cash and bonus parts of its stakes, which are returned to cash and to the grant. */
export function recordVoid(books: BonusBooks, betId: bigint, staked: Units): Parts {
  const made = findMadeWith(books, betId);
  if (!made) return { cash: staked, bonus: 0n };
  const { bet, grant } = made;
  const bonus = bet.bonusStaked;
  bet.bonusStaked = 0n;
  move(books, grant, bonus);
  recordEnd(books, betId, { staked: 0n, undecided: 0n });
  return { cash: staked - bonus, bonus };
}

/** Stores a grant's previous values before a change. */
function touch({ changedGrants }: BonusBooks, grant: BetGrant): BetGrant {
  const { balance, wagerDone } = grant;
  if (!changedGrants.has(grant)) changedGrants.set(grant, { balance, wagerDone });
  return grant;
}

function move(books: BonusBooks, grant: BetGrant, change: Units): void {
  touch(books, grant).balance += change;
  // Money that is returned to an ended grant must be settled again.
  if (grant.status !== 'ACTIVE') grant.isDue = true;
}

/** Returns true if wagering is complete, if the balance is zero and no bonus bet is open, or if the grant has already ended. */
function mayHaveEnded({ bets }: BonusBooks, grant: BetGrant): boolean {
  if (grant.status !== 'ACTIVE' || grant.wagerDone >= grant.wagerRequired) return true;
  if (grant.balance > 0n) return false;
  for (const { grantId, counted } of bets.values())
    if (grantId === grant.id && counted === null) return false;
  return true;
}

/** Returns the statements that write the changes. `isRelative`: bet ids are offsets from the first id of the reserved block. */
export const statementsOf = (
  { changedGrants, changedBets }: BonusBooks,
  { isRelative }: { isRelative: boolean },
): Statement[] => [
  ...(changedGrants.size > 0 ? [writeBetGrants([...changedGrants])] : []),
  ...(changedBets.size > 0 ? [writeBonusBets([...changedBets], isRelative)] : []),
];

/** Returns true if the statements will certainly fail when one of the cached grants is outdated. */
export const provesAll = ({ grants, changedGrants }: BonusBooks): boolean =>
  [...grants.values()].every((grant) => changedGrants.has(grant));

/** Returns the data to cache for each player after the commit. Omits players whose grants must be settled first. */
export function rememberedOf({ grants, bets }: BonusBooks): Map<number, RememberedBonus> {
  const remembered = new Map<number, RememberedBonus>();
  const of = (userId: number) => {
    const known = remembered.get(userId) ?? { grants: [], bets: [] };
    remembered.set(userId, known);
    return known;
  };
  for (const grant of grants.values()) {
    [grant.refusedBets, grant.toTakeBack, grant.turnoverOwed] = [0, 0n, 0n];
    of(grant.userId).grants.push(grant);
  }
  for (const bet of bets.values()) if (bet.counted === null) of(bet.userId).bets.push(bet);
  for (const userId of undecided({ grants })) remembered.delete(userId);
  return remembered;
}

export type RememberedBonus = { grants: BetGrant[]; bets: BonusBet[] };

/** Returns the players whose data must not be cached until their grants are settled. */
export const undecided = ({ grants }: Pick<BonusBooks, 'grants'>): Set<number> =>
  new Set([...grants.values()].filter((grant) => !isInForce(grant)).map(({ userId }) => userId));

/** Returns the grants to settle after the batch is committed. */
export const dueGrants = ({ grants }: BonusBooks): bigint[] =>
  [...grants.values()].filter(({ isDue }) => isDue).map(({ id }) => id);

/** Returns the changed grants that are still active. */
export const movedGrants = ({ changedGrants }: BonusBooks): BetGrant[] =>
  [...changedGrants.keys()].filter(isInForce);

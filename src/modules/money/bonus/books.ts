import { type Db, run, type Statement } from '../../../platform/db.ts';
import { currencyToUsdDown, formatUnits, type Rate, type Units } from '../../../platform/money.ts';
import type { Wallet } from '../ledger/rules.ts';
import { bonusErrors } from './errors.ts';
import { readBetGrants, writeBetGrants, writeBonusBets } from './queries.ts';
import {
  type BetGrant,
  type BonusBet,
  contributionOf,
  countedOf,
  type GameFacts,
  isInForce,
  type Parts,
  splitPayout,
  splitStake,
} from './rules.ts';

/**
 * Bonus money of the players of a batch who have a grant: as it was read under their locks, and as their bets have left it. A batch never
 * ends a grant: it marks one that may be at its end (`isDue`), which is decided right after it in a transaction of its own.
 */
export type BonusBooks = {
  factsOf: (gameId: number) => GameFacts;
  /** When the batch is decided, in milliseconds. */
  at: number;
  /** Those that are active, by player and currency. */
  active: ReadonlyMap<string, BetGrant>;
  grants: ReadonlyMap<bigint, BetGrant>;
  bets: Map<bigint, BonusBet>;
  /** With what they were before. */
  changedGrants: Map<BetGrant, Pick<BetGrant, 'balance' | 'wagerDone'>>;
  changedBets: Set<BonusBet>;
};

export const createBooks = (
  factsOf: BonusBooks['factsOf'],
  { grants, bets }: { grants: readonly BetGrant[]; bets: readonly BonusBet[] },
): BonusBooks => ({
  factsOf,
  at: Date.now(),
  active: new Map(
    grants.filter(({ status }) => status === 'ACTIVE').map((grant) => [activeName(grant), grant]),
  ),
  grants: new Map(grants.map((grant) => [grant.id, grant])),
  bets: new Map(bets.map((bet) => [bet.betId, bet])),
  changedGrants: new Map(),
  changedBets: new Set(),
});

/** A copy of what is of one player, for changes that may yet be refused. Undefined: they have no grant. */
export function copyOf({ factsOf, at, ...all }: BonusBooks, userId: number): BonusBooks | undefined {
  const own = <T extends { userId: number }>(rows: Iterable<T>): T[] =>
    [...rows].filter((row) => row.userId === userId).map((row) => ({ ...row }));
  const grants = own(all.grants.values());
  return grants.length === 0
    ? undefined
    : { ...createBooks(factsOf, { grants, bets: own(all.bets.values()) }), at };
}

/** Takes over what was changed in a copy. */
export function takeOver(books: BonusBooks, { changedGrants, changedBets }: BonusBooks): void {
  for (const grant of changedGrants.keys()) Object.assign(touch(books, books.grants.get(grant.id)!), grant);
  for (const bet of changedBets) {
    const known = books.bets.get(bet.betId);
    const own = known ? Object.assign(known, bet) : bet;
    books.bets.set(own.betId, own);
    books.changedBets.add(own);
  }
}

/** Takes over what was refused in a copy whose other changes are not carried out. */
export function countRefusals(books: BonusBooks, { grants }: BonusBooks): void {
  for (const { id, refusedBets } of grants.values()) {
    const own = books.grants.get(id)!;
    if (own.refusedBets !== refusedBets) touch(books, own).refusedBets = refusedBets;
  }
}

/** What a player could stake on a game beside their cash. What is wagered by now is theirs in a moment. */
export function playableOf(books: BonusBooks, wallet: Owned, gameId: number): Units {
  const grant = runningOf(books, wallet);
  return grant && contributionOf(grant.games, books.factsOf(gameId)) > 0 ? grant.balance : 0n;
}

/** The grants of players as they were a moment ago: nothing is locked. */
export const readBooks = async (
  db: Db,
  factsOf: BonusBooks['factsOf'],
  userIds: readonly number[],
): Promise<BonusBooks> =>
  createBooks(factsOf, { grants: await run<BetGrant>(db, readBetGrants(userIds, [])), bets: [] });

/** A stake that is asked for. `betId`: of the bet that it raises; undefined: it makes a new one. */
export type Stake = { wallet: Wallet; units: Units; usd: Units; gameId: number; betId?: bigint | undefined };

/** What a stake is paid from; `grant`: of the bet that is made with it. */
export type Funds = Parts & { grant?: BetGrant; contributionBp: number };

/**
 * Cash first, then bonus of the grant that is in force, as far as the game counts. Undefined: too little is there. Throws 403
 * PROMO_MAX_BET, which is counted on the grant; the later stakes of a bet are not asked.
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

/** The grant that a player's new bets in a currency are made with. */
function grantOf(books: BonusBooks, wallet: Owned): BetGrant | undefined {
  const grant = runningOf(books, wallet);
  return grant && isInForce(grant) ? grant : undefined;
}

type Owned = Pick<Wallet, 'userId' | 'currencyId'>;

/** The active grant in a currency. One whose time is over may still wait for open bets. */
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

/** Takes over that a stake was paid, by a new bet or one that is raised. */
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

/** How a payout of a bet is shared, `staked` being all of its stakes; takes over that it was paid. */
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

/** A bet has ended: what it staked counts towards the turnover of its grant, as long as that is in force. */
export function recordEnd(books: BonusBooks, betId: bigint, staked: Units): void {
  const made = findMadeWith(books, betId);
  if (!made) return;
  const { bet, grant } = made;
  const counted = isInForce(grant) ? countedOf(staked, bet.contributionBp) : 0n;
  touch(books, grant).wagerDone += counted - (bet.counted ?? 0n);
  bet.counted = counted;
  books.changedBets.add(bet);
  if (isAtItsEnd(books, grant)) grant.isDue = true;
}

/**
 * A bet on a game of a provider has ended, or what it staked was changed after its end: then it can only count less. `rate`: the one that it
 * was made at, at which turnover that a completed grant lacks now is owed.
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
    recordEnd(books, betId, staked);
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

/** A stake is given back by whoever took it: what of it was bonus money. */
export function recordReturn(books: BonusBooks, betId: bigint, bonus: Units): void {
  const { bet, grant } = madeWith(books, betId);
  bet.bonusStaked -= bonus;
  books.changedBets.add(bet);
  move(books, grant, bonus);
}

/**
 * A payout is taken back: what of it was bonus money. Answers what promo has to pay of it, because the grant does not hold it any more; of
 * one that has ended that is what its deciding takes back from the player, as far as it stayed with them.
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
    if (isAtItsEnd(books, grant)) grant.isDue = true;
    return missing;
  }
  if (bet.bonusPassed !== null) bet.bonusPassed -= missing;
  const lost = least(missing, bet.bonusLost);
  bet.bonusLost -= lost;
  grant.toTakeBack += missing - lost;
  return missing;
}

type MadeWith = { bet: BonusBet; grant: BetGrant };

/** A bet that was made with a grant. Undefined: it was made without one. */
function findMadeWith({ bets, grants }: BonusBooks, betId: bigint): MadeWith | undefined {
  const bet = bets.get(betId);
  const grant = bet && grants.get(bet.grantId);
  return bet && grant && { bet, grant };
}

/** The same of a bet that has moved bonus money. */
function madeWith(books: BonusBooks, betId: bigint): MadeWith {
  const made = findMadeWith(books, betId);
  if (!made) throw new Error(`the bonus money of bet ${betId} was not read`);
  return made;
}

const least = (a: Units, b: Units): Units => (a < b ? a : b);

/** The stakes of an open bet come back, each to where it came from; answers the parts. */
export function recordVoid(books: BonusBooks, betId: bigint, staked: Units): Parts {
  const made = findMadeWith(books, betId);
  if (!made) return { cash: staked, bonus: 0n };
  const { bet, grant } = made;
  const bonus = bet.bonusStaked;
  bet.bonusStaked = 0n;
  move(books, grant, bonus);
  recordEnd(books, betId, 0n);
  return { cash: staked - bonus, bonus };
}

/** The grant is about to change. */
function touch({ changedGrants }: BonusBooks, grant: BetGrant): BetGrant {
  const { balance, wagerDone } = grant;
  if (!changedGrants.has(grant)) changedGrants.set(grant, { balance, wagerDone });
  return grant;
}

function move(books: BonusBooks, grant: BetGrant, change: Units): void {
  touch(books, grant).balance += change;
  // What comes back to a grant that has ended passes on.
  if (grant.status !== 'ACTIVE') grant.isDue = true;
}

/** Wagered enough, or nothing is left and nothing can come back. One that has ended may have had its last open bet. */
function isAtItsEnd({ bets }: BonusBooks, grant: BetGrant): boolean {
  if (grant.status !== 'ACTIVE' || grant.wagerDone >= grant.wagerRequired) return true;
  if (grant.balance > 0n) return false;
  for (const { grantId, counted } of bets.values())
    if (grantId === grant.id && counted === null) return false;
  return true;
}

/** Writes what bets have changed. `isRelative`: the ids of bets are distances from the block of ids that is reserved. */
export const statementsOf = (
  { changedGrants, changedBets }: BonusBooks,
  { isRelative }: { isRelative: boolean },
): Statement[] => [
  ...(changedGrants.size > 0 ? [writeBetGrants([...changedGrants])] : []),
  ...(changedBets.size > 0 ? [writeBonusBets([...changedBets], isRelative)] : []),
];

/** Whether the statements fail if any grant that bets can be made with is not as it was remembered. */
export const provesAll = ({ grants, changedGrants }: BonusBooks): boolean =>
  [...grants.values()].every((grant) => changedGrants.has(grant));

/** What of players may be remembered once it is committed; not of those whose grant has to be decided first. */
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

/** Players of whom nothing may be remembered before their grants are decided. */
export const undecided = ({ grants }: Pick<BonusBooks, 'grants'>): Set<number> =>
  new Set([...grants.values()].filter((grant) => !isInForce(grant)).map(({ userId }) => userId));

/** The grants that have to be decided once the batch is committed. */
export const dueGrants = ({ grants }: BonusBooks): bigint[] =>
  [...grants.values()].filter(({ isDue }) => isDue).map(({ id }) => id);

/** Those that have moved and go on. */
export const movedGrants = ({ changedGrants }: BonusBooks): BetGrant[] =>
  [...changedGrants.keys()].filter(isInForce);

import type { Statement } from '../../../platform/db.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import type { Wallet } from '../ledger/rules.ts';
import { bonusErrors } from './errors.ts';
import { writeBetGrants, writeBonusBets } from './queries.ts';
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

/** The grant that a player's new bets in a currency are made with. One whose time is over may still wait for open bets. */
function grantOf({ active, at }: BonusBooks, wallet: Wallet): BetGrant | undefined {
  const grant = active.get(activeName(wallet));
  const isOver = grant?.expiresAt ? grant.expiresAt.getTime() <= at : false;
  return grant && isInForce(grant) && !isOver ? grant : undefined;
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
  const bet = books.bets.get(betId);
  const grant = bet && books.grants.get(bet.grantId);
  if (!bet || !grant) return { cash: payout, bonus: 0n };
  const parts = splitPayout(payout, { staked, bonusStaked: bet.bonusStaked, decimals: grant.decimals });
  bet.bonusPaid += parts.bonus;
  books.changedBets.add(bet);
  move(books, grant, parts.bonus);
  return parts;
}

/** A bet has ended: what it staked counts towards the turnover of its grant, as long as that is in force. */
export function recordEnd(books: BonusBooks, betId: bigint, staked: Units): void {
  const bet = books.bets.get(betId);
  const grant = bet && books.grants.get(bet.grantId);
  if (!bet || !grant) return;
  const counted = isInForce(grant) ? countedOf(staked, bet.contributionBp) : 0n;
  touch(books, grant).wagerDone += counted - (bet.counted ?? 0n);
  bet.counted = counted;
  books.changedBets.add(bet);
  if (isAtItsEnd(books, grant)) grant.isDue = true;
}

/** The stakes of an open bet come back, each to where it came from; answers the parts. */
export function recordVoid(books: BonusBooks, betId: bigint, staked: Units): Parts {
  const bet = books.bets.get(betId);
  const grant = bet && books.grants.get(bet.grantId);
  if (!bet || !grant) return { cash: staked, bonus: 0n };
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
    grant.refusedBets = 0;
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
export const movedGrants = ({ changedGrants }: BonusBooks): bigint[] =>
  [...changedGrants.keys()].filter(isInForce).map(({ id }) => id);

import { createHash, type KeyObject, sign } from 'node:crypto';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import { LIMIT_PERIODS, noPlay, type Restrictions, usedOf } from '../../../compliance/gate/rules.ts';
import { closed, type Round, withoutStake, withWin } from '../engine/rules.ts';

/** The claims of a player's token, in this order. Times are in seconds. */
export type PlayerClaims = {
  externalUserId: string;
  defaultCurrency: string;
  country: string;
  language: string;
  iat: number;
  exp: number;
};

/** Derives the id of a key from its public key (DER, SPKI). */
export const keyIdOf = (spki: Buffer): string => createHash('sha256').update(spki).digest('hex').slice(0, 16);

/** Signs a JWT with RS256. The same claims always give the same token. */
export function signClaims(claims: PlayerClaims, { kid, key }: { kid: string; key: KeyObject }): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT', kid })}.${part(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}

/** Returns the amounts that a player may still wager and lose, in US dollars, under the player's strictest limit; null without a limit. */
export const remainingOf = (restrictions: Restrictions | undefined, at: Date) => ({
  wagerRemaining: leastLeft('WAGER', restrictions, at),
  lossRemaining: leastLeft('LOSS', restrictions, at),
});

function leastLeft(type: 'WAGER' | 'LOSS', restrictions: Restrictions | undefined, at: Date): string | null {
  const limits = restrictions?.limits[type] ?? {};
  const play = restrictions?.play ?? noPlay(at);
  let least: Units | undefined;
  for (const period of LIMIT_PERIODS) {
    const limit = limits[period];
    if (limit === undefined) continue;
    const used = usedOf(type, period, play, at);
    const left = limit > used ? limit - used : 0n;
    if (least === undefined || left < least) least = left;
  }
  return least === undefined ? null : formatUnits(least);
}

/**
 * The effect of a transaction, derived from its type and the reason in its context.
 * - bet, freebet: a stake. Only the cash part of a free bet is debited.
 * - settle, free-win: a credit that settles the bet or corrects its settlement. resettle: debits a difference. cancel: debits everything
 *   and reopens the bet.
 * - grant, retract: bonus money is credited to cash, or debited.
 */
export type Meaning =
  | 'bet'
  | 'freebet'
  | 'settle'
  | 'free-win'
  | 'resettle'
  | 'cancel'
  | 'rollback'
  | 'grant'
  | 'retract';

const CREDITS = /^(settle|settlement|resettle|cashout|void|partial|half|cancel(?!settle)|refund|return|push)/;

export function meaningOf(type: string, reason: string): Meaning | undefined {
  const said = lettersOf(reason);
  switch (type) {
    case 'rollback':
    case 'retract':
      return type;
    case 'award':
    case 'release':
      return 'grant';
    case 'deposit':
      if (said.startsWith('freebet')) return 'free-win';
      return CREDITS.test(said) ? 'settle' : undefined;
    default:
      if (said.endsWith('cancelsettle')) return 'cancel';
      if (said.endsWith('resettle')) return 'resettle';
      return said === 'bet' ? said : said.startsWith('freebet') ? 'freebet' : undefined;
  }
}

const lettersOf = (reason: string): string => reason.toLowerCase().replace(/[^a-z]/g, '');

/**
 * The part of a bet that a settlement settles as won or lost, derived from its reason: all of the bet, half of it (half won, half lost), or
 * none of it (void, refunded, pushed, cashed out). PART is a partial cash-out, after which the rest of the bet stays open.
 */
export type Decides = 'WHOLE' | 'HALF' | 'NONE' | 'PART';

export function decidesOf(reason: string): Decides {
  const said = lettersOf(reason);
  if (said.includes('half')) return 'HALF';
  if (said.includes('part')) return 'PART';
  return /void|cancel|refund|return|push|cashout/.test(said) ? 'NONE' : 'WHOLE';
}

/**
 * A settlement that was not rolled back, or a cancellation of all earlier settlements. `id`: the id of its transaction. `paid`: units paid
 * for a part that was cashed out. Settlements that were stored before `decides` existed settle the whole bet.
 */
type Mark = { id: string; isCancel: boolean; decides?: Decides; paid?: string };

/** The stored payload of a round: the sportsbook's data about the bet (its legs), and its settlements in order. */
type Payload = { said: object; marks: readonly Mark[] };

export const payloadOf = (said: object): Payload => ({ said, marks: [] });
const marksOf = ({ payload }: Round): readonly Mark[] => (payload as Payload | null)?.marks ?? [];

export type Settlement = { id: string; units: Units; isCancel: boolean; decides: Decides; at: Date };

/**
 * Returns the round after a settlement, a difference (debited if negative) or a cancellation, or undefined if the bet's current state does
 * not allow it.
 */
export function withSettlement(
  round: Round,
  { id, units, isCancel, decides, at }: Settlement,
): Round | undefined {
  const changed = withWin(round, round.bet ? units : 0n, at);
  const version = round.version + (isCancel ? 0 : 1);
  const paid = decides === 'PART' ? { paid: String(units) } : {};
  return withStatus({ ...changed, version }, [...marksOf(round), { id, isCancel, decides, ...paid }], at);
}

/** Returns the round after a settlement that paid `units` was rolled back. */
export function withoutSettlement(
  round: Round,
  { id, units, at }: Omit<Settlement, 'isCancel' | 'decides'>,
): Round | undefined {
  const changed = withWin(round, round.bet ? -units : 0n, at);
  const marks = marksOf(round).filter((mark) => mark.id !== id);
  return withStatus({ ...changed, wins: round.wins - 1 }, marks, at);
}

/** Returns the round after its stake was rolled back. The round is void unless a payout remains. */
export const withoutBet = (round: Round, units: Units, at: Date): Round | undefined =>
  withStatus(withoutStake(round, units, at), marksOf(round), at);

/**
 * Derives the status of a round from its settlements: it has ended if it is settled or has no stake. Returns undefined if its bet would be
 * open with a payout, or would have a negative payout.
 */
function withStatus(round: Round, marks: readonly Mark[], at: Date): Round | undefined {
  const { bet } = round;
  const isOpen = round.stakes > 0 && (marks.at(-1)?.isCancel ?? true);
  if (bet && (bet.payout < 0n || (isOpen && bet.payout !== 0n))) return undefined;
  const payload = { ...(round.payload as Payload), marks };
  const open: Round = { ...round, payload, status: 'OPEN' };
  if (isOpen) return { ...open, bet: bet && { ...bet, status: 'CREATED', undecided: 0n, countsAt: null } };
  const settled = { ...open, bet: bet && { ...bet, undecided: undecidedOf(bet, marks) } };
  // The settlement has already increased the version.
  return { ...closed(settled, at), version: round.version };
}

/**
 *  Returns the part of a stake that was settled as neither won nor lost (bets/rules.ts), from the settlements since the last cancellation. A
 * payout equal to the stake means that the whole stake was pushed, and a payout of half the stake that half was lost, whatever reason the
 * settlement gives. Reports do not say how much of the stake a partial cash-out settles, so its payout is used.
 */
function undecidedOf({ amount, payout }: { amount: Units; payout: Units }, marks: readonly Mark[]): Units {
  const inEffect = marks.slice(marks.findLastIndex(({ isCancel }) => isCancel) + 1);
  const decides = inEffect.at(-1)?.decides ?? 'WHOLE';
  const paidForParts = inEffect.reduce((sum, { paid }) => sum + BigInt(paid ?? 0), 0n);
  const cashedOut = paidForParts < 0n ? 0n : paidForParts > amount ? amount : paidForParts;
  const [rest, restPaid] = [amount - cashedOut, payout - paidForParts];
  if (decides === 'NONE' || decides === 'PART' || restPaid === rest) return amount;
  const isHalf = decides === 'HALF' || restPaid * 2n === rest;
  return isHalf ? amount - rest / 2n : cashedOut;
}

import { createHash, type KeyObject, sign } from 'node:crypto';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { LIMIT_PERIODS, noPlay, type Restrictions, usedOf } from '../../compliance/gate/rules.ts';
import { closed, type Round, withoutStake, withWin } from '../provider-wallets/rules.ts';

/** What a player's token says, in this order. Times are seconds. */
export type PlayerClaims = {
  externalUserId: string;
  defaultCurrency: string;
  country: string;
  language: string;
  iat: number;
  exp: number;
};

/** Names a key by its public part (DER, SPKI). */
export const keyIdOf = (spki: Buffer): string => createHash('sha256').update(spki).digest('hex').slice(0, 16);

/** A JWT under RS256, which is the same as often as it is signed. */
export function signClaims(claims: PlayerClaims, { kid, key }: { kid: string; key: KeyObject }): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT', kid })}.${part(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}

/** What a player may still wager and lose at a moment: dollars, of the tightest limit; null without one. */
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
 * What a transaction does (providers.md 4), by its type and the reason in its context.
 * - bet, freebet: a stake; of a free bet the cash part alone.
 * - settle, free-win: a credit that settles the bet or corrects it. resettle: takes a difference back. cancel: takes all back, and the bet
 *   is open again.
 * - grant, retract: bonus money comes into cash, or leaves it.
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

const CREDITS = /^(settle|settlement|resettle|cashout|void|partial|half)/;

export function meaningOf(type: string, reason: string): Meaning | undefined {
  const said = reason.toLowerCase().replace(/[^a-z]/g, '');
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

/** A settlement of a bet that stands, or what cancels all before it. `id`: of its transaction. */
type Mark = { id: string; isCancel: boolean };

/** What is kept of a round: what the sportsbook said of the bet (its legs), and its settlements in their order. */
type Kept = { said: object; marks: readonly Mark[] };

export const keptOf = (said: object): Kept => ({ said, marks: [] });
const marksOf = ({ payload }: Round): readonly Mark[] => (payload as Kept | null)?.marks ?? [];

export type Settlement = { id: string; units: Units; isCancel: boolean; at: Date };

/** The round after a settlement, a difference (below zero: taken back) or its cancellation. Undefined: the bet cannot come to that. */
export function withSettlement(round: Round, { id, units, isCancel, at }: Settlement): Round | undefined {
  const changed = withWin(round, round.bet ? units : 0n, at);
  const version = round.version + (isCancel ? 0 : 1);
  return standing({ ...changed, version }, [...marksOf(round), { id, isCancel }], at);
}

/** The round after a settlement was taken back that had paid `units`. */
export function withoutSettlement(
  round: Round,
  { id, units, at }: Omit<Settlement, 'isCancel'>,
): Round | undefined {
  const changed = withWin(round, round.bet ? -units : 0n, at);
  const marks = marksOf(round).filter((mark) => mark.id !== id);
  return standing({ ...changed, wins: round.wins - 1 }, marks, at);
}

/** The round after its stake was taken back: void, unless something of what it paid stands. */
export const withoutBet = (round: Round, units: Units, at: Date): Round | undefined =>
  standing(withoutStake(round, units, at), marksOf(round), at);

/** Ended once it is settled or nothing is staked any more. An open bet has paid nothing. */
function standing(round: Round, marks: readonly Mark[], at: Date): Round | undefined {
  const { bet } = round;
  const isOpen = round.stakes > 0 && (marks.at(-1)?.isCancel ?? true);
  if (bet && (bet.payout < 0n || (isOpen && bet.payout !== 0n))) return undefined;
  const payload = { ...(round.payload as Kept), marks };
  const open: Round = { ...round, payload, status: 'OPEN' };
  if (isOpen) return { ...open, bet: bet && { ...bet, status: 'CREATED', countsAt: null } };
  // Its version was counted already.
  return { ...closed(open, at), version: round.version };
}

import { randomUUID } from 'node:crypto';
import type { Reply } from '../crash/client.ts';
import { anAddress, type Person } from '../kit/processes/visitors.ts';
import type { World } from './world.ts';

/** Acknowledged results, one for each idempotency key. */
export type Acknowledged = {
  redeemed: { grantId: string; userId: number }[];
  rakeback: { userId: number; currencyId: string; amount: string }[];
  commission: { entryId: string; userId: number; amount: string }[];
};
type Offer = { body: { code: string } | { promoId: string }; isOfSpins: boolean };

/** Kinds of outcomes that must occur even in the shortest run. */
const ALWAYS = [
  'redeemed',
  'freeSpins',
  'bonusBets',
  'rakebackClaims',
  'commissionClaims',
  'rollbacks',
] as const;
const ROUNDS_OF_PROMOS = 8;
const REASON = 'chaos';
/** A rollback reverses one of this many of the newest bets with bonus money. */
const ROLLED_BACK_OF = 40;

const USDT = { currencyId: 'USDT' } as const;
const terms = (n: number) => ({
  name: `Chaos ${n}`,
  type: 'CODE',
  reward: { kind: 'BONUS', ...USDT, amount: '4' },
  wagerMultiplier: [1, 3, 30][n % 3],
});
type Launch = { promo: object & { reward: { kind: string } }; codes?: object };

/**
 * The promotions of one run with their codes. A promotion without codes is redeemed by its id. The promotions of all runs together cost
 * less than the amount above which starting them needs approval.
 */
const PROMOS: readonly ((n: number, spinGames: readonly string[]) => Launch)[] = [
  (n) => ({ promo: terms(n), codes: { kind: 'UNIVERSAL', code: `chaos-${n}`, maxUses: 5 } }),
  (n) => ({ promo: terms(n), codes: { kind: 'UNIVERSAL', code: `few-${n}`, maxUses: 3 } }),
  (n) => ({ promo: { ...terms(n), maxWithdrawalMultiplier: 1 }, codes: { kind: 'ONE_TIME', count: 4 } }),
  (n) => ({
    promo: { ...terms(n), budget: { maxGrants: 5 } },
    codes: { kind: 'UNIVERSAL', code: `budget-${n}` },
  }),
  (n) => ({
    promo: { ...terms(n), reward: { kind: 'CASH', ...USDT, amount: '1' }, wagerMultiplier: 0 },
    codes: { kind: 'UNIVERSAL', code: `cash-${n}`, maxUses: 10 },
  }),
  (n) => ({
    promo: {
      ...terms(n),
      type: 'DEPOSIT',
      reward: { kind: 'BONUS', ...USDT, percent: 50, maxAmount: '5' },
      budget: { maxGrants: 5 },
    },
  }),
  (n, spinGames) => ({
    promo: {
      ...terms(n),
      reward: {
        kind: 'FREE_SPINS',
        ...USDT,
        freeSpins: 3,
        freeSpinValueUsd: '0.1',
        gameSlug: spinGames[n % spinGames.length],
      },
    },
    codes: { kind: 'UNIVERSAL', code: `spins-${n}`, maxUses: 20 },
  }),
];

/** Returns the part of a response that is stored under its idempotency key. */
const answerOf = ({ status, body: { requestId, ...body } }: Reply): string =>
  `${status} ${JSON.stringify(body)}`;

/**
 * Performs random actions with grants, free spins, rakeback and commission. Each request is repeated with its key until its outcome is
 * certain.
 */
export async function createRewards(
  { insist, staff, affiliates }: Pick<World, 'insist' | 'staff' | 'affiliates'>,
  random: () => number,
  spinGames: readonly string[],
) {
  const counts = {
    redeemed: 0,
    freeSpins: 0,
    notRedeemed: 0,
    bonusBets: 0,
    rakebackClaims: 0,
    commissionClaims: 0,
    forfeits: 0,
    rollbacks: 0,
    rollbacksRefused: 0,
  };
  const acknowledged: Acknowledged = { redeemed: [], rakeback: [], commission: [] };
  const problems: string[] = [];
  const bets: string[] = [];
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

  const asStaff = async (path: string, body: object): Promise<any> => {
    const reply = await insist('POST', path, { token: staff[0].token, body });
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };

  async function launch(n: number): Promise<Offer[]> {
    const { promo, codes } = PROMOS[n % PROMOS.length]!(n, spinGames);
    const isOfSpins = promo.reward.kind === 'FREE_SPINS';
    const { id } = await asStaff('/admin/promo', promo);
    await asStaff(`/admin/promo/${id}/status`, { status: 'ACTIVE', reason: REASON });
    if (!codes) return [{ body: { promoId: id }, isOfSpins }];
    const made = await asStaff(`/admin/promo/${id}/codes`, codes);
    return made.codes.map((code: string) => ({ body: { code }, isOfSpins }));
  }

  /** Sends a request, sometimes twice concurrently. Both must then get the same response. */
  const post = async (path: string, { token }: Person, body?: object): Promise<Reply> => {
    const headers = { 'idempotency-key': randomUUID(), 'x-forwarded-for': anAddress() };
    const send = () => insist('POST', path, { token, headers, ...(body && { body }) });
    const [first, second] = await Promise.all([send(), ...(random() < 0.3 ? [send()] : [])]);
    const [one, other] = [first!, second ?? first!].map(answerOf);
    if (one !== other) problems.push(`${path} answered ${one} and ${other}`);
    return first!;
  };

  const offers: Offer[] = [];
  for (let n = 0; n < ROUNDS_OF_PROMOS * PROMOS.length; n++) offers.push(...(await launch(n)));

  const redeem = async (person: Person) => {
    const offer = pick(offers);
    const { status, body } = await post('/promo/redeem', person, offer.body);
    if (status !== 201) {
      counts.notRedeemed++;
      return;
    }
    counts.redeemed++;
    if (offer.isOfSpins) counts.freeSpins++;
    acknowledged.redeemed.push({ grantId: body.id, userId: person.id });
  };

  const activeOf = async ({ token }: Person): Promise<{ id: string; bonusBalance: string } | undefined> =>
    (await insist('GET', '/promo/my?status=ACTIVE', { token })).body.data[0];

  /** Stakes all cash together with bonus money of the active grant. */
  const stake = async (person: Person) => {
    const { token } = person;
    const grant = await activeOf(person);
    if (!grant) return redeem(person);
    const balances = await insist('GET', '/accounting/balances', { token });
    const cash = balances.body.find(({ currencyId }: any) => currencyId === 'USDT')?.amount ?? '0';
    const betAmount = (Number(cash) + Math.min(Number(grant.bonusBalance), 0.4 + random())).toFixed(6);
    const bet = await post('/casino/games/house/dice/bet', person, {
      ...USDT,
      betAmount,
      threshold: 50,
      above: true,
    });
    if (bet.status !== 201) return;
    counts.bonusBets++;
    bets.push(bet.body.betId);
  };

  const claimRakeback = async (person: Person) => {
    const period = random() < 0.9 ? 'instant' : 'daily';
    const { status, body } = await post('/rakeback/claim', person, { period });
    if (status !== 201) return;
    counts.rakebackClaims++;
    for (const { currencyId, amount } of body.claimed)
      acknowledged.rakeback.push({ userId: person.id, currencyId, amount });
  };

  const claimCommission = async (person: Person) => {
    const { status, body } = await post('/affiliate/claim', person);
    if (status !== 201) return;
    counts.commissionClaims++;
    acknowledged.commission.push({ entryId: body.id, userId: person.id, amount: body.amount });
  };

  const forfeit = async (person: Person) => {
    const grant = await activeOf(person);
    if (grant && (await post(`/promo/${grant.id}/forfeit`, person, {})).status === 201) counts.forfeits++;
  };

  const rollBack = async () => {
    const betId = pick(bets.slice(-ROLLED_BACK_OF));
    if (betId === undefined) return;
    const { status } = await post(`/admin/bets/${betId}/rollback`, staff[0], { reason: REASON });
    if (status === 201) counts.rollbacks++;
    else counts.rollbacksRefused++;
  };

  return {
    counts,
    /** Returns the problems, including required events that never occurred. */
    problems: () => [...problems, ...ALWAYS.filter((name) => counts[name] === 0).map((name) => `${name}: 0`)],
    acknowledged,
    /** Runs one action by a player, or by staff on that player's bets. */
    async step(person: Person): Promise<void> {
      const chance = random();
      if (chance < 0.2) await redeem(person);
      else if (chance < 0.65) await stake(person);
      else if (chance < 0.78) await claimRakeback(person);
      else if (chance < 0.9) await claimCommission(pick(affiliates));
      else if (chance < 0.93) await forfeit(person);
      else await rollBack();
    },
  };
}

import type { z } from 'zod';
import { type Page, pageOf } from '../../../http/schemas.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { refusalOf } from '../../compliance/gate/rules.ts';
import { findRestrictions } from '../../compliance/gate/service.ts';
import { bonusErrors } from '../../money/bonus/errors.ts';
import type { PromoDeps } from './deps.ts';
import { readFacts } from './eligibility/facts.ts';
import { failedRule, needsOf } from './eligibility/rules.ts';
import { candidateOf, idOf, maxMultiplierOf } from './grant.ts';
import {
  activePromos,
  claimedBy,
  countUpTo,
  findGrant,
  grantsLike,
  listGrants,
  type PromoRow,
} from './queries.ts';
import type { Sender } from './redeem.ts';
import { isOffered, PROMO_TYPES } from './rules.ts';
import type { OwnGrantQuery, PromoGrant, PromoOffer } from './schemas.ts';
import { toGrant, toOffer } from './show.ts';

type Shown = z.input<typeof PromoGrant>;

/** Totals and pages end here. */
const COUNTED = 10_000;

/**
 * What a player may have, or has taken up: nothing is offered to whom the gate would refuse it. Of WELCOME promotions there is one in a
 * life.
 */
export async function listOffers(deps: PromoDeps, sender: Sender): Promise<z.input<typeof PromoOffer>[]> {
  const { db, gate, countries } = deps;
  const promos = await activePromos(db, PROMO_TYPES.filter(isOffered));
  if (promos.length === 0) return [];
  const { userId } = sender;
  const facts = (await readFacts(db, deps, [sender], needsOf(promos))).get(userId)!;
  const restrictions = await findRestrictions(db, userId);
  const outlook = gate.outlook(countries.countryOf(sender.ip));
  if (refusalOf('bonus', { ...outlook, at: facts.at, isBanned: false, restrictions })) return [];
  const maxMultiplier = maxMultiplierOf(deps, facts);
  const ids = promos.map(({ id }) => id);
  const { claimed, hadWelcome } = await claimedBy(db, userId, ids);
  const isOpen = (promo: PromoRow) => !isExhausted(promo) && !(promo.type === 'WELCOME' && hadWelcome);
  return promos
    .filter((promo) => claimed.has(promo.id) || isOpen(promo))
    .filter((promo) => failedRule({ candidate: candidateOf(promo), facts, maxMultiplier }) === undefined)
    .map((promo) => toOffer(promo, claimed.has(promo.id), deps.slugsOf));
}

const isExhausted = ({ grants, max_grants, granted_usd, max_total_usd }: PromoRow): boolean =>
  (max_grants !== null && grants >= max_grants) || (max_total_usd !== null && granted_usd >= max_total_usd);

export async function listOwnGrants(
  { db, slugsOf }: PromoDeps,
  userId: number,
  { status, ...query }: z.output<typeof OwnGrantQuery>,
): Promise<Page<Shown>> {
  const matching = grantsLike({ userId, status });
  const total = await countUpTo(db, matching, COUNTED);
  return pageOf(query, total, async (offset) => {
    const limit = Math.min(query.take, total - offset);
    const rows = await listGrants(db, matching, { ...query, limit, offset });
    return rows.map((row) => toGrant(row, slugsOf));
  });
}

/**
 * Ends an own grant: its bonus money is lost, cash is not touched. `dryRun` says what would be lost. Throws 404 PROMO_GRANT_NOT_FOUND, 409
 * PROMO_GRANT_CLOSED.
 */
export async function forfeit(
  deps: PromoDeps,
  { userId, key }: { userId: number; key: string | undefined },
  { grantId, dryRun }: { grantId: string; dryRun: boolean },
): Promise<Shown> {
  const id = idOf(grantId);
  if (id === undefined) throw bonusErrors.PROMO_GRANT_NOT_FOUND();
  if (dryRun) return previewForfeit(deps, userId, id);
  const request = { userId, key, operation: 'promo.forfeit', input: { grantId } };
  return runIdempotently(deps.db, request, async (tx) => {
    await deps.grants.end(tx, id, { status: 'FORFEITED', reason: 'PLAYER', userId });
    return toGrant((await findGrant(tx, id))!, deps.slugsOf);
  });
}

async function previewForfeit({ db, slugsOf }: PromoDeps, userId: number, id: bigint): Promise<Shown> {
  const grant = await findGrant(db, id);
  if (grant?.user_id !== userId) throw bonusErrors.PROMO_GRANT_NOT_FOUND();
  if (grant.status !== 'PENDING' && grant.status !== 'ACTIVE')
    throw bonusErrors.PROMO_GRANT_CLOSED({ status: grant.status });
  return toGrant(grant, slugsOf, grant.bonus_balance);
}

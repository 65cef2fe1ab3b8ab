import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { Amount, CurrencyId } from '../../../http/schemas.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { refuseOutOfRange } from '../../../platform/database/errors.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import { formatUnits } from '../../../platform/money.ts';
import { areConnected } from '../../base/access/connected.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { findStored, runIdempotently } from '../../base/idempotency/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { StaffValue } from '../../base/staff-value/rules.ts';
import {
  assertValue,
  goOn,
  type Leave,
  pairOf,
  staffValueErrors,
  withProposals,
} from '../../base/staff-value/service.ts';
import { UserId, userErrors } from '../../base/users/schemas.ts';
import { shortUsers, sightOf } from '../../base/users/service.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { type Money, moneyOf, mostOfGrant, setUpOf, termsHash, usdOf } from './approval.ts';
import { promoErrors } from './errors.ts';
import { getGrantable, getPromo, grantEach, type Outcome } from './grant.ts';
import type { PromoDeps, PromoServices } from './queries.ts';
import { isOnePerPerson, isOnePerPlace, sourceKeyOf } from './rules.ts';
import { PromoPath, Reason } from './schemas.ts';

const AdminGrant = z
  .strictObject({
    userIds: z.array(UserId).min(1).max(500),
    reason: Reason,
    amount: Amount.optional(),
    currencyId: CurrencyId.optional(),
  })
  .refine(({ amount, currencyId }) => amount !== undefined || currencyId === undefined, {
    path: ['amount'],
    message: 'is required with currencyId',
  });

const Username = z.string().nullable().meta({ description: 'Null if the player does not exist.' });
const AdminGranted = z.object({
  granted: z.number().int(),
  players: z
    .array(z.object({ userId: z.number().int(), username: Username }))
    .meta({ description: 'The players who received the grant.' }),
  skipped: z.array(z.object({ userId: z.number().int(), username: Username, rule: z.string() })),
});
/** The result that is stored for a repeated request. Results of earlier versions lack `userIds`. */
type Result = {
  granted: number;
  userIds?: readonly number[];
  skipped: readonly { userId: number; rule: string }[];
};

/** The maximum number of players that one transaction locks. The bets of these players wait until the transaction ends. */
const GROUP_SIZE = 20;

/**
 * Grants a promotion to each player once per request, in small transactions, in the order of the user ids. An interrupted request continues
 * when it is repeated with the same key.
 */
export const grantPromotion = operation({
  method: 'POST',
  path: '/admin/promo/{id}/grant',
  tag: 'Promo Admin',
  access: { permission: 'promo.pay' },
  gate: 'staff',
  stepUp: true,
  createsValue: 'pays',
  idempotent: true,
  params: PromoPath,
  summary: 'Grant a promotion to players',
  description:
    'Without `amount`, each player receives the reward of the promotion. `currencyId` is the currency of `amount`. Ineligible ' +
    'players are skipped and listed with the condition that they do not meet or with the error code. `players` lists the others. ' +
    'If the value of the request, in total or for one player, reaches WITHDRAWALS.adjustmentApprovalUsd, a second person has to send the same request within ' +
    '24 hours.',
  body: AdminGrant,
  response: AdminGranted,
  errors: [
    commonErrors.AMOUNT_OUT_OF_RANGE,
    commonErrors.CURRENCY_NOT_FOUND,
    promoErrors.PROMO_NOT_FOUND,
    promoErrors.PROMO_NOT_ACTIVE,
    promoErrors.PROMO_EXHAUSTED,
    promoErrors.PROMO_TERMS_CHANGED,
    currencyErrors.RATE_STALE,
    staffValueErrors.APPROVAL_NEEDED,
    staffValueErrors.STAFF_VALUE_LIMIT,
  ],
  handler: async (deps: PromoDeps, { by, params: { id }, body, idempotencyKey: key }) => {
    const request = { userId: by.user.id, key, operation: 'promo.grant', input: { id, ...body } };
    const stored = await findStored<Result>(deps.db, request);
    if (stored) return withNames(deps.db, by, stored.value);
    const result = await withProposals(deps.db, by, async () => {
      const outcome = await grantAll(deps, by, { id, body, key }).catch((error: unknown) =>
        refusalFrom(error),
      );
      return runIdempotently(deps.db, request, async () => {
        if (outcome instanceof AppError) throw outcome;
        return outcome;
      });
    });
    return withNames(deps.db, by, result);
  },
});

/** Adds the names of the players. They are not stored with the key, because they can change. */
async function withNames(
  db: Db,
  by: StaffCall,
  { granted, userIds = [], skipped }: Result,
): Promise<z.input<typeof AdminGranted>> {
  const people = await shortUsers(db, [...userIds, ...skipped.map(({ userId }) => userId)], sightOf(by.user));
  const named = (userId: number) => ({ userId, username: people.get(userId)?.username ?? null });
  return {
    granted,
    players: userIds.map(named),
    skipped: skipped.map(({ userId, rule }) => ({ ...named(userId), rule })),
  };
}

/** Returns the refusal, which is stored with the key. Other errors are thrown again and not stored. */
function refusalFrom(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

type Order = { id: string; body: z.output<typeof AdminGrant>; key: string | undefined };

async function grantAll(deps: PromoDeps, by: StaffCall, { id, body, key }: Order): Promise<Result> {
  const promo = await getPromo(deps.db, id);
  const { reason } = body;
  const given = moneyOf(deps, promo, body);
  const size = isOnePerPlace(promo.conditions) || isOnePerPerson(promo) ? 1 : GROUP_SIZE;
  const userIds = [...new Set(body.userIds)].sort((a, b) => a - b);
  const request = key === undefined ? randomUUID() : `${by.user.id}:${key}`;
  const { leave, terms, existing } = await transaction(deps.db, async (tx) => {
    const { value, ...approved } = await requestValueOf(tx, deps, by, {
      promoId: promo.id,
      userIds,
      given,
      reason,
    });
    return { leave: await assertValue(tx, deps, by, value), ...approved };
  });
  const outcomes = new Map<number, Outcome>();
  // An account that was created after the approval is not included in the approved value, so it receives nothing.
  for (const userId of userIds.filter((each) => !existing.includes(each)))
    outcomes.set(userId, { refusal: userErrors.USER_NOT_FOUND() });
  for (let from = 0; from < existing.length; from += size) {
    const group = existing.slice(from, from + size);
    const order = { promoId: promo.id, userIds: group, request, given, reason, leave, terms };
    const isFirst = from === 0;
    const { currencyId } = given ?? { currencyId: promo.currency_id };
    const granting = grantGroup(deps, by, order).catch((error: unknown) =>
      refuseOutOfRange(error, { currencyId }),
    );
    const granted = await granting.catch((error: unknown) => {
      // Earlier groups have already been committed, so only this group is skipped.
      if (isFirst || !(error instanceof AppError)) throw error;
      return group.map((userId): [number, Outcome] => [userId, { refusal: error }]);
    });
    for (const [userId, outcome] of granted) outcomes.set(userId, outcome);
  }
  return summaryOf(outcomes);
}

type Group = {
  promoId: bigint;
  userIds: readonly number[];
  request: string;
  given: Money | undefined;
  reason: string;
  leave: Leave;
  /** The terms from which the approved value was computed. */
  terms: string;
};

/** Grants the promotion to a group of players in one transaction. */
const grantGroup = (
  deps: PromoDeps,
  by: StaffCall,
  { promoId, userIds, request, given, reason, leave, terms }: Group,
) =>
  transaction(deps.db, async (tx): Promise<Map<number, Outcome>> => {
    await lockPlayers(tx, [by.user.id, ...userIds]);
    await freshActor(tx, by);
    goOn(tx, by, leave);
    const promo = await getGrantable(tx, promoId);
    if (termsHash(promo) !== terms) throw promoErrors.PROMO_TERMS_CHANGED();
    const refused = await refuseConnected(tx, by, userIds);
    const orders = userIds
      .filter((userId) => !refused.has(userId))
      .map((userId) => ({
        userId,
        source: 'ADMIN' as const,
        sourceKey: sourceKeyOf(promo.id, userId, request),
        given,
        grantedBy: by.user.id,
      }));
    const outcomes = new Map([...refused, ...(await grantEach(tx, deps, promo, orders))]);
    const grants = [...outcomes].flatMap(([userId, outcome]) =>
      'grantId' in outcome && outcome.isNew ? [{ userId, grantId: String(outcome.grantId) }] : [],
    );
    const each = given?.amount ?? promo.amount;
    const amount = each !== null && {
      amount: formatUnits(each),
      currencyId: given?.currencyId ?? promo.currency_id,
    };
    if (grants.length > 0)
      await recordAudit(tx, by, {
        after: { promoId: String(promoId), ...amount, grants, ...pairOf(leave) },
        reason,
      });
    return outcomes;
  });

/** Records a refusal for the staff member's own account and for connected accounts. */
async function refuseConnected(
  tx: Tx,
  by: StaffCall,
  userIds: readonly number[],
): Promise<Map<number, Outcome>> {
  const refusals = new Map<number, Outcome>();
  for (const userId of userIds) {
    if (userId === by.user.id) refusals.set(userId, { refusal: commonErrors.OWN_ACCOUNT() });
    else if (await areConnected(tx, by.user.id, userId))
      refusals.set(userId, { refusal: accessErrors.ACCOUNT_CONNECTED() });
  }
  return refusals;
}

function summaryOf(outcomes: ReadonlyMap<number, Outcome>): Result {
  const refused = [...outcomes].flatMap(([userId, outcome]) =>
    'refusal' in outcome ? [{ userId, refusal: outcome.refusal }] : [],
  );
  const { code } = promoErrors.PROMO_EXHAUSTED;
  const userIds = [...outcomes].flatMap(([userId, outcome]) => ('grantId' in outcome ? [userId] : []));
  const granted = userIds.length;
  if (granted === 0 && refused.some(({ refusal }) => refusal.code === code))
    throw promoErrors.PROMO_EXHAUSTED();
  const skipped = refused.map(({ userId, refusal }) => ({ userId, rule: ruleOf(refusal) }));
  return { granted, userIds, skipped };
}

/** Returns the name of the condition that failed, or the error code if the error does not name a condition. */
const ruleOf = ({ code, details }: AppError): string => {
  const rule = code === promoErrors.PROMO_NOT_ELIGIBLE.code ? details?.rule : undefined;
  return typeof rule === 'string' ? rule : code;
};

type Request = {
  promoId: bigint;
  userIds: readonly number[];
  given: Money | undefined;
  reason: string;
};

/**
 * Returns the value of the whole request, including players who may be skipped, with the terms and players for which it was computed. A
 * second approver approves the same players, terms and amount. Throws 404 PROMO_NOT_FOUND, 409 PROMO_NOT_ACTIVE or RATE_STALE.
 */
async function requestValueOf(
  tx: Tx,
  { currencies }: PromoServices,
  by: StaffCall,
  { promoId, userIds, given, reason }: Request,
): Promise<{ value: StaffValue; terms: string; existing: readonly number[] }> {
  await freshActor(tx, by);
  const promo = await getGrantable(tx, promoId);
  const terms = termsHash(promo);
  // A stale rate is reported here, because the grant would fail even with a second approver.
  if (given || promo.amount !== null) currencies.freshRate(given?.currencyId ?? promo.currency_id);
  const each = given ? usdOf(currencies, given) : mostOfGrant(currencies, promo);
  const rows = await tx
    .selectFrom('players')
    .select('user_id')
    .where('user_id', 'in', userIds)
    .orderBy('user_id')
    .execute();
  const existing = rows.map(({ user_id }) => user_id);
  const value: StaffValue = {
    operation: 'promo.grant',
    input: {
      promoId: String(promo.id),
      terms,
      players: userIds.length,
      playersHash: createHash('sha256').update(userIds.join()).digest('hex').slice(0, 16),
      amount: given ? formatUnits(given.amount) : null,
      currencyId: given?.currencyId ?? null,
    },
    usdAmount: each === null ? null : each * BigInt(existing.length),
    recipients: existing.map((userId) => ({ userId, usdAmount: each })),
    reason,
    ...setUpOf(promo),
    isBudgeted: promo.open_usd === null && given === undefined && each !== null,
  };
  return { value, terms, existing };
}

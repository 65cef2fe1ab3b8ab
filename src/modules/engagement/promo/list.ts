import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { estimatedPage, Id, text } from '../../../http/schemas.ts';
import { consistentRead, type DbOrTx } from '../../../platform/database/db.ts';
import { inSnapshot } from '../../../platform/database/snapshot.ts';
import { listErrors } from '../../../platform/errors.ts';
import { type Conditions, conditionsOf, every } from '../../../platform/list/conditions.ts';
import { REACH } from '../../../platform/list/page.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { UserId } from '../../base/users/schemas.ts';
import { holds, sightOf } from '../../base/users/service.ts';
import { GrantStatus } from '../../money/bonus/grants/schemas.ts';
import { startApprovalOf } from './approval.ts';
import { promoErrors } from './errors.ts';
import { getPromo, idOf } from './grant.ts';
import { countMatching, listPage, type Matching, matchingGrants, readGrants, readRows } from './lists.ts';
import type { PromoDeps, PromoRow } from './queries.ts';
import type { PromoType as Type } from './rules.ts';
import {
  PromoAdmin,
  PromoGrant,
  PromoGrantAdmin,
  PromoPath,
  PromoStatus,
  PromoType,
  sorting,
} from './schemas.ts';
import { showPromos } from './shown.ts';
import { toGrant, toGrantsAdmin } from './view.ts';

const Query = z.strictObject({
  status: PromoStatus.optional(),
  type: PromoType.optional(),
  search: text(50).min(1).optional(),
  sortBy: z.enum(['createdAt', 'updatedAt', 'startAt', 'endAt', 'name']).default('createdAt'),
  ...sorting,
});

const shared = { method: 'GET', tag: 'Promo Admin', access: { permission: 'promo.read' } } as const;

export const listPromos = operation({
  ...shared,
  path: '/admin/promo',
  summary: 'List promotions',
  description: '`search` matches parts of names, complete ids and complete codes.',
  query: Query,
  response: estimatedPage(PromoAdmin),
  handler: (deps: PromoDeps, { by, query: { status, type, search, ...query } }) => {
    const { reads } = deps;
    const matching = matchingPromos({ status, type, search });
    return listPage(reads, matching, query, async (order) => {
      const sort = { by: ORDERS[order.sortBy], tie: sql`id`, order };
      const rows = await readRows<PromoRow>(reads, matching, sort);
      return showPromos(reads, deps, rows, sightOf(by.user));
    });
  },
});

export const getPromotion = operation({
  ...shared,
  path: '/admin/promo/{id}',
  summary: 'Get a promotion with its results',
  params: PromoPath,
  response: PromoAdmin,
  errors: [promoErrors.PROMO_NOT_FOUND],
  handler: async (deps: PromoDeps, { by, params: { id } }) => {
    const promo = await getPromo(deps.db, id);
    const [shown] = await showPromos(deps.db, deps, [promo], sightOf(by.user));
    const startApproval = holds(by.user, 'promo.pay')
      ? await consistentRead(deps.db, (tx) => startApprovalOf(tx, deps, by.user, promo))
      : undefined;
    // The results add up every grant of the promotion, so they are read from the replica.
    const stats = await consistentRead(deps.reads, (tx) => readStats(tx, deps, promo));
    return { ...shown!, stats, startApproval };
  },
});

type Filter = {
  status: PromoRow['status'] | undefined;
  type: Type | undefined;
  search: string | undefined;
};

const CONDITIONS: Conditions<Filter> = {
  status: (status) => sql`status = ${status}`,
  type: (type) => sql`type = ${type}`,
  search: (text) => sql`(strpos(lower(name), ${text}) > 0 or id::text = ${text}
    or id in (select promo_id from promo_codes where key = ${text}))`,
};

const matchingPromos = ({ search, ...filter }: Filter): Matching => ({
  table: sql`promos`,
  where: every(conditionsOf(CONDITIONS, { ...filter, search: search?.trim().toLowerCase() })),
});

const ORDERS = {
  createdAt: sql`created_at`,
  updatedAt: sql`updated_at`,
  startAt: sql`start_at`,
  endAt: sql`end_at`,
  name: sql`lower(name)`,
} as const;

/** Returns the figures of a promotion. Cash grants are included in the converted amount. */
async function readStats(db: DbOrTx, { currencies }: PromoDeps, { id, kind, grants, granted_usd }: PromoRow) {
  const results = await readResults(db, id);
  const sumUsd = (amountOf: (sums: Results) => Units) =>
    results.reduce((sum, sums) => sum + currencies.toUsd(sums.currencyId, amountOf(sums)), 0n);
  const paidUsd = kind === 'CASH' ? granted_usd : 0n;
  return {
    grants,
    granted: await readGranted(db, id),
    activeLiabilityUsd: formatUnits(sumUsd(({ held }) => held)),
    convertedUsd: formatUnits(paidUsd + sumUsd(({ converted }) => converted)),
    forfeitedUsd: formatUnits(sumUsd(({ forfeited }) => forfeited)),
  };
}

/** Returns the total amount and number of a promotion's grants by currency. */
async function readGranted(db: DbOrTx, promoId: bigint) {
  const { rows } = await sql<{ currencyId: string; amount: string; grants: number }>`
    select currency_id as "currencyId", sum(granted_amount)::text as amount, count(*)::int as grants
    from promo_grants where promo_id = ${promoId} group by currency_id order by currency_id`.execute(db);
  return rows.map(({ amount, ...row }) => ({ ...row, amount: formatUnits(BigInt(amount)) }));
}

type Results = { currencyId: string; held: Units; converted: Units; forfeited: Units };

/**
 * Returns the bonus money of a promotion by currency: the amounts that players still have, that were converted to cash, and that were
 * forfeited.
 */
async function readResults(db: DbOrTx, promoId: bigint): Promise<Results[]> {
  const { rows } = await sql<Record<'held' | 'converted' | 'forfeited', string> & { currencyId: string }>`
    select currency_id as "currencyId", sum(held)::text as held, sum(converted)::text as converted, sum(forfeited)::text as forfeited
    from (
      select currency_id, bonus_balance as held, 0::int8 as converted, 0::int8 as forfeited from promo_grants
      where promo_id = ${promoId} and status = 'ACTIVE'
      union all
      select currency_id, 0, converted, forfeited from promo_grants
      where promo_id = ${promoId} and (converted > 0 or forfeited > 0)
    ) outcome group by currency_id`.execute(db);
  return rows.map(({ currencyId, held, converted, forfeited }) => ({
    currencyId,
    held: BigInt(held),
    converted: BigInt(converted),
    forfeited: BigInt(forfeited),
  }));
}

export const listOwnGrants = operation({
  method: 'GET',
  path: '/promo/my',
  tag: 'Promo',
  access: 'auth',
  isHistory: true,
  summary: 'List your grants and their wagering progress',
  query: z.strictObject({
    status: GrantStatus.optional(),
    sortBy: z.enum(['createdAt', 'expiresAt']).default('createdAt'),
    ...sorting,
  }),
  response: estimatedPage(PromoGrant),
  handler: ({ db, promo }: PromoDeps, { user: { id: userId }, query: { status, ...query } }) => {
    const matching = matchingGrants({ userId, status });
    return listPage(db, matching, query, async (order) =>
      (await readGrants(db, matching, order)).map((row) => toGrant(row, promo.slugsOf)),
    );
  },
});

export const listGrants = operation({
  method: 'GET',
  path: '/admin/promo/grants',
  tag: 'Promo Admin',
  access: { permission: 'promo.read' },
  summary: 'List grants of all players',
  description: 'A list of more than 10,000 grants can be sorted only by creation time.',
  query: z.strictObject({
    userId: UserId.optional(),
    promoId: Id.optional(),
    status: GrantStatus.optional(),
    sortBy: z.enum(['createdAt', 'expiresAt', 'grantedAmount']).default('createdAt'),
    ...sorting,
  }),
  response: estimatedPage(PromoGrantAdmin),
  errors: [listErrors.SORT_TOO_LONG],
  handler: async (deps: PromoDeps, { by, query: { userId, promoId, status, ...query } }) => {
    const { reads } = deps;
    const id = promoId === undefined ? undefined : (idOf(promoId) ?? 0n);
    const matching = matchingGrants({ userId, promoId: id, status });
    const isTooLong = async () => (await countMatching(reads, matching, REACH + 1)) > REACH;
    if (query.sortBy !== 'createdAt' && !inSnapshot() && (await isTooLong()))
      throw listErrors.SORT_TOO_LONG({ most: REACH });
    return listPage(reads, matching, query, async (order) =>
      toGrantsAdmin(deps, reads, await readGrants(reads, matching, order), sightOf(by.user)),
    );
  },
});

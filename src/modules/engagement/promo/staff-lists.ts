import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Page, pageOf } from '../../../http/schemas.ts';
import type { Db } from '../../../platform/db.ts';
import { listErrors } from '../../../platform/errors.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { type Sight, shortUsers, sightOf } from '../../base/users/service.ts';
import type { ShownPromo } from './administer.ts';
import type { PromoDeps } from './deps.ts';
import { promoErrors } from './errors.ts';
import { idOf } from './grant.ts';
import {
  codesLike,
  countUpTo,
  findPromo,
  type GrantRow,
  grantsLike,
  listCodes,
  listGrants,
  listPromos,
  type Matching,
  type PromoRow,
  promosLike,
  readOutcome,
} from './queries.ts';
import type { GrantQuery, PromoCodePage, PromoCodeQuery, PromoGrantAdmin, PromoQuery } from './schemas.ts';
import { toCodeRow, toGrantAdmin, toPromoAdmin } from './show.ts';

type ShownCode = z.input<typeof PromoCodePage>['data'][number];
type ShownGrant = z.input<typeof PromoGrantAdmin>;

/** Totals and pages end here: what a list costs does not grow with the years. */
const COUNTED = 10_000;

/** What staff sees of promotions, codes and grants. */
export function createStaffLists(deps: PromoDeps) {
  const { db, reads } = deps;
  return {
    async list(by: StaffCall, { status, type, search, ...query }: z.output<typeof PromoQuery>) {
      const matching = promosLike({ status, type, search });
      return listed(reads, matching, query, async (order): Promise<ShownPromo[]> => {
        const rows = await listPromos(reads, matching, order);
        const creators = rows.map((row) => row.created_by);
        const people = await shortUsers(reads, creators, sightOf(by.user));
        return rows.map((row) => toPromoAdmin(row, people));
      });
    },

    /** With what became of it. Throws 404 PROMO_NOT_FOUND. */
    async get(by: StaffCall, id: string): Promise<ShownPromo> {
      const promo = await getPromo(db, id);
      const people = await shortUsers(db, [promo.created_by], sightOf(by.user));
      return { ...toPromoAdmin(promo, people), stats: await statsOf(deps, promo) };
    },

    /** Throws 404 PROMO_NOT_FOUND. */
    async codes(id: string, { used, search, ...query }: z.output<typeof PromoCodeQuery>) {
      const { id: promoId } = await getPromo(db, id);
      const matching = codesLike({ promoId, used, search });
      return listed(
        db,
        matching,
        query,
        async (order): Promise<ShownCode[]> => (await listCodes(db, matching, order)).map(toCodeRow),
      );
    },

    /** Throws 400 SORT_TOO_LONG for more than 10,000 matches in another order than that of time. */
    async grants(by: StaffCall, { userId, promoId, status, ...query }: z.output<typeof GrantQuery>) {
      const known = promoId === undefined ? undefined : (idOf(promoId) ?? 0n);
      const matching = grantsLike({ userId, promoId: known, status });
      if (query.sortBy !== 'createdAt' && (await countUpTo(reads, matching, COUNTED + 1)) > COUNTED)
        throw listErrors.SORT_TOO_LONG({ most: COUNTED });
      return listed(reads, matching, query, async (order) =>
        toGrantsAdmin(deps, reads, await listGrants(reads, matching, order), sightOf(by.user)),
      );
    },
  };
}

export async function toGrantsAdmin(
  { slugsOf }: PromoDeps,
  db: Db | Parameters<typeof shortUsers>[0],
  rows: readonly GrantRow[],
  sight: Sight,
): Promise<ShownGrant[]> {
  const ids = rows.flatMap((row) => [row.user_id, row.granted_by]);
  const people = await shortUsers(db, ids, sight);
  return rows.map((row) => toGrantAdmin(row, slugsOf, people));
}

async function getPromo(db: Db, id: string): Promise<PromoRow> {
  const known = idOf(id);
  const promo = known === undefined ? undefined : await findPromo(db, known);
  if (!promo) throw promoErrors.PROMO_NOT_FOUND();
  return promo;
}

type Sorting<By> = { page: number; take: number; sortBy: By; sortOrder: 'asc' | 'desc' };
type Ordered<By> = Sorting<By> & { limit: number; offset: number };

async function listed<T, By>(
  db: Db,
  matching: Matching,
  query: Sorting<By>,
  read: (order: Ordered<By>) => Promise<T[]>,
): Promise<Page<T>> {
  const total = await countUpTo(db, matching, COUNTED);
  return pageOf(query, total, (offset) =>
    read({ ...query, offset, limit: Math.min(query.take, total - offset) }),
  );
}

/** Cash is converted as it is granted. */
async function statsOf({ db, currencies }: PromoDeps, { id, kind, grants, granted_usd }: PromoRow) {
  const outcome = await readOutcome(db, id);
  const usd = (of: (sums: (typeof outcome)[number]) => Units) =>
    outcome.reduce((sum, sums) => sum + currencies.toUsd(sums.currencyId, of(sums)), 0n);
  const paid = kind === 'CASH' ? granted_usd : 0n;
  return {
    grants,
    activeLiabilityUsd: formatUnits(usd(({ held }) => held)),
    convertedUsd: formatUnits(paid + usd(({ converted }) => converted)),
    forfeitedUsd: formatUnits(usd(({ forfeited }) => forfeited)),
  };
}

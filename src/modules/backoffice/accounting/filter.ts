import type { z } from 'zod';
import type { Db } from '../../../platform/database/db.ts';
import { amountOf, dateOf, without } from '../../../platform/list/conditions.ts';
import type { Marks } from '../../../platform/list/marks.ts';
import type * as list from '../../../platform/list/table.ts';
import type { Rate } from '../../../platform/money.ts';
import { findUserId } from '../../base/users/service.ts';
import type { Bets } from '../../games/bets/service.ts';
import type { Bounds, MovementFilter } from '../../money/ledger/movements.ts';
import type { UserAccount } from '../../money/ledger/rules.ts';
import { FREQUENT_KINDS, kindsPosted, namespacesPosted, type Source } from '../../money/ledger/sources.ts';
import { boundsOf, keyOf, kindsOf, typeOf } from './rules.ts';
import type { TransactionFilter } from './schemas.ts';

type Filter = z.output<typeof TransactionFilter>;
type Deps = { db: Db; bets: Pick<Bets, 'ownerOf'>; marks: Marks };

export type Wanted = list.Wanted<Source, MovementFilter>;

/**
 * Returns the source with the fewest postings, and the conditions that the query must still check. Returns undefined if nothing can match.
 * Throws 400 AMOUNT_OUT_OF_RANGE for an amount with too many decimals or digits.
 */
export async function readFilter(
  parts: Deps,
  where: Filter,
  rates: ReadonlyMap<string, Rate>,
): Promise<Wanted | undefined> {
  const { db, marks } = parts;
  const bounds = readBounds(where, rates);
  const posting = readId(where.id);
  const userId = await findUserId(db, where);
  const kinds = where.type && (await readKinds(db, where.type));
  if (bounds?.size === 0 || posting === null || userId === null) return undefined;
  if (posting && where.direction && posting.isIn !== (where.direction === 'IN')) return undefined;
  const filter: MovementFilter = {
    userId,
    kinds,
    bounds,
    isIn: posting?.isIn ?? (where.direction && where.direction === 'IN'),
    account: where.wallet?.toLowerCase() as UserAccount | undefined,
    currencyId: where.currencyId,
    postingId: where.referenceId === undefined ? undefined : posting?.id,
    actorId: where.actorId,
    namespace: where.referenceId === undefined ? where.referenceType : undefined,
  };
  const source: Source | undefined =
    where.referenceId !== undefined
      ? await readReference(parts, where.referenceId, where.referenceType)
      : posting
        ? { of: 'posting', postingId: posting.id }
        : await sourceOf(db, filter);
  if (!source) return undefined;
  const range = await marks.rangeOf(dateOf(where.startDate), dateOf(where.endDate));
  return { source, filter: without(filter, GUARANTEED[source.of] ?? []), range };
}

/** For each source, the filter conditions that all of its postings meet. */
const GUARANTEED: Readonly<Partial<Record<Source['of'], readonly (keyof MovementFilter)[]>>> = {
  user: ['userId'],
  kinds: ['userId', 'kinds'],
  namespace: ['namespace'],
  actor: ['actorId'],
};

/** Returns the source to read. If the filter excludes the frequent postings of bets, the source does not contain them. */
async function sourceOf(
  db: Db,
  { userId, kinds, account, actorId, namespace }: MovementFilter,
): Promise<Source> {
  const isRareKind = kinds?.every((kind) => !FREQUENT_KINDS.includes(kind)) ?? false;
  const isRareNamespace = namespace !== undefined && namespace !== 'bet';
  const isRare =
    isRareKind || isRareNamespace || account === 'vault' || account === 'hold' || actorId !== undefined;
  if (userId !== undefined)
    return isRare ? { of: 'kinds', userId, kinds: kinds ?? (await kindsPosted(db)) } : { of: 'user', userId };
  if (actorId !== undefined) return { of: 'actor', actorId };
  if (isRareNamespace) return { of: 'namespace', namespace };
  if (kinds && isRareKind) return { of: 'kinds', kinds, userId };
  return { of: isRare ? 'rare' : 'all' };
}

/** Parses the id of a movement, which consists of the posting id and the side. Returns null for a malformed id. */
function readId(id: string | undefined): { id: bigint; isIn: boolean } | null | undefined {
  if (id === undefined) return undefined;
  const [, digits, side] = /^([1-9]\d{0,17})-(IN|OUT)$/.exec(id) ?? [];
  return digits ? { id: BigInt(digits), isIn: side === 'IN' } : null;
}

/** Returns the kinds that belong to a type. The default type includes posted kinds for which no type is declared. */
async function readKinds(db: Db, type: NonNullable<Filter['type']>): Promise<string[]> {
  const declared = kindsOf(type);
  if (type !== typeOf('')) return declared;
  const posted = await kindsPosted(db);
  return [...new Set([...declared, ...posted.filter((kind) => typeOf(kind) === type)])];
}

/** Returns the amount bounds by currency. The result is empty if no amount can match. */
function readBounds(
  { minUsdAmount, maxUsdAmount }: Filter,
  rates: ReadonlyMap<string, Rate>,
): Map<string, Bounds> | undefined {
  if (minUsdAmount === undefined && maxUsdAmount === undefined) return undefined;
  const [min, max] = [amountOf(minUsdAmount), amountOf(maxUsdAmount)];
  return new Map(
    [...rates].flatMap(([id, rate]) => {
      const bounds = boundsOf(rate, { min, max });
      return bounds ? [[id, bounds] as const] : [];
    }),
  );
}

/** Returns the entries that reference an id, of one type or of any type. */
async function readReference(parts: Deps, id: string, type?: string): Promise<Source | undefined> {
  const types = type === undefined ? ['bet', ...(await namespacesPosted(parts.db))] : [type];
  const keys = types.flatMap((name) => keyOf(name, id) ?? []);
  const betId = types.includes('bet') && /^[1-9]\d{0,17}$/.test(id) ? BigInt(id) : undefined;
  const owner = betId && (await parts.bets.ownerOf(betId));
  const bet = betId && owner ? { id: betId, ...owner } : undefined;
  return keys.length > 0 || bet ? { of: 'keys', keys, bet } : undefined;
}

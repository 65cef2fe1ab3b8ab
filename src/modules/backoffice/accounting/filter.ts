import type { z } from 'zod';
import type { Db } from '../../../platform/db.ts';
import { amountOf, dateOf, givenIn, without } from '../../../platform/list/conditions.ts';
import type { Marks } from '../../../platform/list/marks.ts';
import type * as page from '../../../platform/list/page.ts';
import type { Rate } from '../../../platform/money.ts';
import { findUserId } from '../../base/users/service.ts';
import type { Bets } from '../../games/bets/service.ts';
import type { UserAccount } from '../../money/ledger/accounts.ts';
import type { Bounds, MovementFilter } from '../../money/ledger/movements.ts';
import { FREQUENT_KINDS, kindsPosted, namespacesPosted, type Source } from '../../money/ledger/sources.ts';
import { boundsOf, keyOf, kindsOf, typeOf } from './rules.ts';
import type { TransactionFilter } from './schemas.ts';

type Filter = z.output<typeof TransactionFilter>;
type Deps = { db: Db; bets: Pick<Bets, 'ownerOf'>; marks: Marks };

export type Wanted = page.Wanted<Source, MovementFilter>;

/** Nothing is left to look for but the whole of a list whose places are known. */
export function isPlain({ source, range, filter }: Wanted): boolean {
  if (range.start || range.end) return false;
  const isKnown = source.of === 'all' || source.of === 'user';
  return isKnown && givenIn(filter).length === 0;
}

/**
 * What a filter asks for; undefined where nothing can match. The source is the one with the fewest postings. Throws 400
 * AMOUNT_OUT_OF_RANGE for more decimals or digits than an amount has.
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

/** What is true of every posting of a source. */
const GUARANTEED: Readonly<Partial<Record<Source['of'], readonly (keyof MovementFilter)[]>>> = {
  user: ['userId'],
  kinds: ['userId', 'kinds'],
  namespace: ['namespace'],
  actor: ['actorId'],
};

/** Movements of these accounts, of these kinds and of these namespaces are none that bets make. */
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

/** A movement's id is its posting and its side; null for a text that is none. */
function readId(id: string | undefined): { id: bigint; isIn: boolean } | null | undefined {
  if (id === undefined) return undefined;
  const [, digits, side] = /^([1-9]\d{0,17})-(IN|OUT)$/.exec(id) ?? [];
  return digits ? { id: BigInt(digits), isIn: side === 'IN' } : null;
}

/** Kinds of a type, with those that have none where the type is what they are shown as. */
async function readKinds(db: Db, type: NonNullable<Filter['type']>): Promise<string[]> {
  const named = kindsOf(type);
  if (type !== typeOf('')) return named;
  const posted = await kindsPosted(db);
  return [...new Set([...named, ...posted.filter((kind) => typeOf(kind) === type)])];
}

/** What amounts have to be, by currency; empty where none can match. */
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

/** The entries about one thing; without its type, about things of any type with this id. */
async function readReference(parts: Deps, id: string, type?: string): Promise<Source | undefined> {
  const types = type === undefined ? ['bet', ...(await namespacesPosted(parts.db))] : [type];
  const keys = types.flatMap((name) => keyOf(name, id) ?? []);
  const betId = types.includes('bet') && /^[1-9]\d{0,17}$/.test(id) ? BigInt(id) : undefined;
  const owner = betId && (await parts.bets.ownerOf(betId));
  const bet = betId && owner ? { id: betId, ...owner } : undefined;
  return keys.length > 0 || bet ? { of: 'keys', keys, bet } : undefined;
}

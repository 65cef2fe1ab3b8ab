import type { z } from 'zod';
import type { Db } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { parseUnits, type Rate, type Units } from '../../../platform/money.ts';
import { findUserByUsername } from '../../base/users/service.ts';
import type { Bets } from '../../games/bets/service.ts';
import type { UserAccount } from '../../money/ledger/accounts.ts';
import { EVERYBODY } from '../../money/ledger/marked-list.ts';
import type { Marks, Range } from '../../money/ledger/marks.ts';
import type { Bounds, MovementFilter } from '../../money/ledger/movements.ts';
import { FREQUENT_KINDS, kindsPosted, namespacesPosted, type Source } from '../../money/ledger/sources.ts';
import { boundsOf, keyOf, kindsOf, typeOf } from './rules.ts';
import type { TransactionFilter } from './schemas.ts';

type Filter = z.output<typeof TransactionFilter>;
type Deps = { db: Db; bets: Pick<Bets, 'ownerOf'>; marks: Marks };

/** Where to look, and what to look for. */
export type Wanted = { source: Source; range: Range; filter: MovementFilter };

const WHOLE: Range = { from: 0n, below: undefined };

/** Nothing is left to look for but the whole of a list whose places are known. */
export function isPlain({ source, range, filter }: Wanted): boolean {
  if (range.start || range.end) return false;
  const isKnown = source.of === 'all' || source.of === 'user';
  return isKnown && Object.values(filter).every((value) => value === undefined);
}

/**
 * What a filter asks for; undefined where nothing can match. The source is the one with the fewest lines. Throws 400
 * AMOUNT_OUT_OF_RANGE for more decimals or digits than an amount has.
 */
export async function readFilter(
  parts: Deps,
  where: Filter,
  rates: ReadonlyMap<string, Rate>,
): Promise<Wanted | undefined> {
  const { db, marks } = parts;
  const bounds = readBounds(where, rates);
  const line = readId(where.id);
  const userId = await readUser(db, where);
  const kinds = where.type && (await readKinds(db, where.type));
  if (bounds?.size === 0 || line === null || userId === null) return undefined;
  if (line && where.direction && line.isIn !== (where.direction === 'IN')) return undefined;
  const [start, end] = [dateOf(where.startDate), dateOf(where.endDate)];
  const filter: MovementFilter = {
    userId,
    kinds,
    bounds,
    isIn: line?.isIn ?? (where.direction && where.direction === 'IN'),
    account: where.wallet?.toLowerCase() as UserAccount | undefined,
    currencyId: where.currencyId,
    lineId: where.referenceId === undefined ? undefined : line?.id,
    actorId: where.actorId,
    namespace: where.referenceId === undefined ? where.referenceType : undefined,
  };
  const source: Source | undefined =
    where.referenceId !== undefined
      ? await readReference(parts, where.referenceId, where.referenceType)
      : line
        ? { of: 'line', lineId: line.id }
        : await sourceOf(db, filter);
  if (!source) return undefined;
  const wanted = { source, filter: without(filter, source), range: { ...WHOLE, start, end } };
  if (!start && !end) return wanted;
  // What was written lately has no mark yet.
  await marks.total(EVERYBODY);
  return { ...wanted, range: await marks.between(start, end) };
}

/** What is true of a source need not be asked of each of its lines. */
function without(filter: MovementFilter, { of }: Source): MovementFilter {
  const { userId, kinds, namespace, actorId, ...others } = filter;
  return {
    ...others,
    ...(of === 'user' || of === 'kinds' ? {} : { userId }),
    ...(of === 'kinds' ? {} : { kinds }),
    ...(of === 'namespace' ? {} : { namespace }),
    ...(of === 'actor' ? {} : { actorId }),
  };
}

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

const dateOf = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text);

/** A movement's id is its line and its side; null for a text that is none. */
function readId(id: string | undefined): { id: bigint; isIn: boolean } | null | undefined {
  if (id === undefined) return undefined;
  const [, digits, side] = /^([1-9]\d{0,17})-(IN|OUT)$/.exec(id) ?? [];
  return digits ? { id: BigInt(digits), isIn: side === 'IN' } : null;
}

/** The user who is meant; null where there is none. */
async function readUser(db: Db, { userId, username }: Filter): Promise<number | null | undefined> {
  if (username === undefined) return userId;
  const user = await findUserByUsername(db, username);
  return user && (userId === undefined || userId === user.id) ? user.id : null;
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
  const [min, max] = [usdOf(minUsdAmount), usdOf(maxUsdAmount)];
  return new Map(
    [...rates].flatMap(([id, rate]) => {
      const bounds = boundsOf(rate, { min, max });
      return bounds ? [[id, bounds] as const] : [];
    }),
  );
}

function usdOf(text: string | undefined): Units | undefined {
  const amount = text === undefined ? undefined : parseUnits(text);
  if (text !== undefined && amount === undefined) throw commonErrors.AMOUNT_OUT_OF_RANGE({ decimals: 8 });
  return amount;
}

/** The entries about one thing; without its type, about things of any type with this id. */
async function readReference(parts: Deps, id: string, type?: string): Promise<Source | undefined> {
  const types = type === undefined ? ['bet', ...(await namespacesPosted(parts.db))] : [type];
  const keys = types.flatMap((name) => keyOf(name, id) ?? []);
  const betId = types.includes('bet') && /^[1-9]\d{0,17}$/.test(id) ? BigInt(id) : undefined;
  const lines = betId && (await parts.bets.ownerOf(betId));
  const bet = betId && lines ? { id: betId, ...lines } : undefined;
  return keys.length > 0 || bet ? { of: 'keys', keys, bet } : undefined;
}

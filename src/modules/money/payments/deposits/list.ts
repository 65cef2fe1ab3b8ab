import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import {
  CurrencyId,
  countedPage,
  type EstimatedPage,
  estimatedPage,
  Id,
  PageNumber,
  SortOrder,
  Time,
  take,
} from '../../../../http/schemas.ts';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { dateOf, inTime } from '../../../../platform/list/conditions.ts';
import { UserId } from '../../../base/users/schemas.ts';
import { sightOf } from '../../../base/users/service.ts';
import { paymentErrors } from '../errors.ts';
import { isUuid, type ShownStatus, statusesShownAs } from './rules.ts';
import { Deposit, DepositStatus, PlayerDeposit } from './schemas.ts';
import type { DepositDeps } from './service.ts';
import {
  asListed,
  COIN_COLUMNS,
  findListedDeposit,
  type ListedDeposit,
  type ListedRow,
  SKIN_COLUMNS,
  SKIN_STATUS,
  SKIN_USD,
  SKINS,
  toDeposits,
  toPlayerDeposit,
} from './view.ts';

const sorting = {
  sortBy: z.enum(['createdAt', 'usdAmount']).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  status: DepositStatus.optional(),
  page: PageNumber,
};

export const listOwnDeposits = operation({
  method: 'GET',
  path: '/payments/deposit',
  tag: 'Payments',
  access: 'auth',
  isHistory: true,
  summary: 'List your deposits',
  query: z.strictObject({ ...sorting, currencyId: CurrencyId.optional(), take: take(20) }),
  response: estimatedPage(PlayerDeposit),
  handler: ({ db }: DepositDeps, { user: { id: userId }, query: { status, currencyId, ...query } }) =>
    pageOfDeposits(db, { userId, status, currencyId }, query, (rows) => rows.map(toPlayerDeposit)),
});

export const listDeposits = operation({
  method: 'GET',
  path: '/admin/payments/deposit',
  tag: 'Admin Payments',
  access: { permission: 'deposit.read' },
  summary: 'List deposits',
  description:
    'Only the first 10,000 rows are counted and can be read. `startDate` and `endDate` are times of `createdAt`, both included.',
  query: z.strictObject({
    ...sorting,
    userId: UserId.optional(),
    startDate: Time.optional(),
    endDate: Time.optional(),
    take: take(100),
  }),
  response: estimatedPage(Deposit),
  handler: ({ db }: DepositDeps, { by, query: { status, userId, startDate, endDate, ...query } }) => {
    const filter = { userId, status, start: dateOf(startDate), end: dateOf(endDate) };
    return pageOfDeposits(db, filter, query, (rows) => toDeposits(db, rows, sightOf(by.user)));
  },
});

type DepositFilter = {
  userId?: number | undefined;
  status?: ShownStatus | undefined;
  currencyId?: string | undefined;
  /** Only deposits that were created between `start` and `end`, both included. */
  start?: Date | undefined;
  end?: Date | undefined;
};
type DepositOrder = { sortBy: 'createdAt' | 'usdAmount'; sortOrder: 'asc' | 'desc' };

async function pageOfDeposits<T>(
  db: DbOrTx,
  filter: DepositFilter,
  query: DepositOrder & { page: number; take: number },
  toView: (rows: ListedDeposit[]) => T[] | Promise<T[]>,
): Promise<EstimatedPage<T>> {
  return countedPage(
    query,
    (most) => countDeposits(db, filter, most),
    async (slice) => toView(await readDeposits(db, filter, { ...query, ...slice })),
  );
}

const where = (conditions: readonly (RawBuilder<unknown> | false)[]) => {
  const given = conditions.filter((condition) => condition !== false);
  return given.length === 0 ? sql`` : sql`where ${sql.join(given, sql` and `)}`;
};
const coins = ({ userId, status, currencyId, ...period }: DepositFilter) =>
  where([
    userId !== undefined && sql`user_id = ${userId}`,
    status !== undefined && sql`status = any(${statusesShownAs(status)}::text[])`,
    currencyId !== undefined && sql`currency_id = ${currencyId}`,
    ...inTime(period),
  ]);
const skins = ({ userId, status, currencyId, ...period }: DepositFilter) =>
  where([
    userId !== undefined && sql`s.user_id = ${userId}`,
    status !== undefined && sql`${SKIN_STATUS} = ${status}`,
    currencyId !== undefined && sql`s.currency_id = ${currencyId}`,
    ...inTime(period, sql`s.created_at`),
  ]);

/** Returns the number of coin and skin deposits, or `most` if there are more. */
async function countDeposits(db: DbOrTx, filter: DepositFilter, most: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`select least(${most}::int,
    (select count(*)::int from (select from deposits ${coins(filter)} limit ${most}) coins)
    + (select count(*)::int from (select from skin_deposits s ${skins(filter)} limit ${most}) skins)) as total`.execute(
    db,
  );
  return rows[0]!.total;
}

/** Returns a page of coin and skin deposits. Both lists are read through their own index, only as far as the page requires. */
async function readDeposits(
  db: DbOrTx,
  filter: DepositFilter,
  { sortBy, sortOrder, limit, offset }: DepositOrder & { limit: number; offset: number },
): Promise<ListedDeposit[]> {
  const direction = sql.raw(sortOrder === 'asc' ? 'asc' : 'desc');
  const column = sql.raw(sortBy === 'usdAmount' ? 'usd_amount' : 'created_at');
  const skinColumn = sortBy === 'usdAmount' ? SKIN_USD : sql`s.created_at`;
  const reach = offset + limit;
  const { rows } = await sql<ListedRow>`select * from (
      (select ${COIN_COLUMNS} from deposits ${coins(filter)} order by ${column} ${direction}, id ${direction} limit ${reach})
      union all
      (select ${SKIN_COLUMNS} from ${SKINS} ${skins(filter)} order by ${skinColumn} ${direction}, s.id ${direction} limit ${reach})
    ) listed order by ${column} ${direction}, id ${direction} limit ${limit} offset ${offset}`.execute(db);
  return rows.map(asListed);
}

export const getDeposit = operation({
  method: 'GET',
  path: '/admin/payments/deposit/{id}',
  tag: 'Admin Payments',
  access: { permission: 'deposit.read' },
  summary: 'Get a deposit',
  params: z.object({ id: Id }),
  response: Deposit,
  errors: [paymentErrors.DEPOSIT_NOT_FOUND],
  handler: async ({ db }: DepositDeps, { by, params: { id } }) => {
    const row = isUuid(id) ? await findListedDeposit(db, id) : undefined;
    if (!row) throw paymentErrors.DEPOSIT_NOT_FOUND({ id });
    return (await toDeposits(db, [row], sightOf(by.user)))[0]!;
  },
});

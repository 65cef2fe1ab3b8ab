import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import {
  CurrencyId,
  Decimal,
  estimated,
  estimatedPage,
  object,
  PageNumber,
  SortOrder,
  Timestamp,
  take,
} from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { countryOfIp } from '../../../platform/countries/geo.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import type { Tips } from '../../../platform/database/tables.ts';
import { listErrors } from '../../../platform/errors.ts';
import { readList } from '../../../platform/list/list.ts';
import type { OrderedList } from '../../../platform/list/ordered.ts';
import { inOrderOf } from '../../../platform/list/page.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { periodEnd } from '../../../platform/periods.ts';
import { ShortPublicUser } from '../../base/users/schemas.ts';
import { getUser, toShortPublicUser, type UserRow, usersById } from '../../base/users/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { balancesOf } from '../../money/ledger/balances.ts';
import { openClaimsOf } from '../../money/ledger/claims.ts';
import { ledgerErrors } from '../../money/ledger/errors.ts';
import { areTipsOn, daysOf, minTipUsd, readToday, type UserTipDeps, userTipErrors } from './eligibility.ts';
import { DIRECTIONS, leftOf, type Purse, purseBlocker } from './rules.ts';

const Direction = z.enum(DIRECTIONS);

const Query = z.strictObject({
  direction: Direction.optional(),
  sortBy: z.enum(['createdAt', 'usdAmount']).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(20),
});

const UserTipRow = object('UserTipRow', {
  id: z.string(),
  direction: Direction,
  user: ShortPublicUser.meta({ description: 'The other player.' }),
  currencyId: CurrencyId,
  amount: Decimal,
  usdAmount: Decimal.meta({ description: 'Converted at the exchange rate at the time of the tip.' }),
  message: z.string().nullable(),
  isPublic: z.boolean(),
  createdAt: Timestamp,
});

type TipRow = Selectable<Tips>;

export const listTips = operation({
  method: 'GET',
  path: '/user-tips',
  tag: 'User tips',
  access: 'auth',
  isHistory: true,
  summary: 'List your tips, sent and received',
  description: 'Only the first 10,000 tips can be read, in any sort order. `total` is exact up to 1,000.',
  query: Query,
  response: estimatedPage(UserTipRow),
  errors: [listErrors.PAGE_TOO_DEEP],
  handler: async ({ db }: UserTipDeps, { user: { id: userId }, query }) => {
    const { rows: ids, ...found } = await readList(db, tipsOf(userId, query), query);
    const tips = await readTips(db, ids);
    const otherIds = tips.map((tip) => otherOf(tip, userId));
    const others = await usersById(db, otherIds);
    const rows = tips.map((tip) => toRow(tip, userId, others.get(otherOf(tip, userId))!));
    return estimated(rows, query, found);
  },
});

/** The tips that a player has sent or received, as input for the list engine. */
export const tipsOf = (
  userId: number,
  { direction, sortBy }: Pick<z.output<typeof Query>, 'direction' | 'sortBy'>,
): OrderedList => ({
  table: 'tip_sides',
  id: 'id',
  key: sortBy === 'createdAt' ? 'created_at' : 'usd_amount',
  bounds: [
    sql`tip_sides.user_id = ${userId}`,
    ...(direction === undefined ? [] : [sql`tip_sides.direction = ${direction}`]),
  ],
  conditions: [],
});

/** Returns tips in the order of the ids. */
async function readTips(db: Db, ids: readonly number[]): Promise<TipRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('tips').selectAll().where('id', 'in', ids).execute();
  return inOrderOf(ids, rows, (row) => row.id);
}

const otherOf = ({ sender_id, recipient_id }: TipRow, userId: number) =>
  sender_id === userId ? recipient_id : sender_id;

const toRow = (tip: TipRow, userId: number, other: UserRow): z.input<typeof UserTipRow> => ({
  id: String(tip.id),
  direction: tip.sender_id === userId ? 'SENT' : 'RECEIVED',
  user: toShortPublicUser(other, userId),
  currencyId: tip.currency_id,
  amount: formatUnits(tip.amount),
  usdAmount: formatUnits(tip.usd_amount),
  message: tip.message,
  isPublic: tip.is_public,
  createdAt: iso(tip.created_at),
});

const UserTipLimits = object('UserTipLimits', {
  enabled: z.boolean(),
  minUsd: Decimal,
  sentTodayUsd: Decimal,
  sentLimitUsd: Decimal,
  receivedTodayUsd: Decimal,
  receivedLimitUsd: Decimal,
  resetsAt: Timestamp,
  blockers: z.array(z.string()).meta({
    description:
      'Error codes that `POST /user-tips` would return now for every recipient and currency. If empty, the player can send tips.',
  }),
});

export const getTipLimits = operation({
  method: 'GET',
  path: '/user-tips/limits',
  tag: 'User tips',
  access: 'auth',
  summary: "Get today's tip limits",
  description:
    'Returns daily limits, the amounts used today, and the reasons why the player cannot send a tip.',
  response: UserTipLimits,
  handler: (deps: UserTipDeps, { user: { id: userId }, ip }) =>
    transaction(deps.db, async (tx) => {
      const action = { action: 'transfer', userId, country: countryOfIp(ip) } as const;
      const refusals = await deps.gate.refusals(tx, action);
      const user = await getUser(tx, userId);
      const enabled = await areTipsOn(tx, deps, { userId, ip });
      const minUsd = minTipUsd(deps);
      const { sent, received } = daysOf(deps, user, (await readToday(tx, [userId])).get(userId)!);
      const turnoverUsd = await deps.rollover.remaining(tx, userId);
      const owes = (await openClaimsOf(tx, userId)).size > 0;
      const purse = purseBlocker(await pursesOf(tx, deps, userId, minUsd), minUsd);
      const blockers = [
        ...refusals.map(({ code }) => code),
        ...(enabled ? [] : [userTipErrors.TIPS_DISABLED.code]),
        ...(user.email_verified ? [] : [userTipErrors.EMAIL_NOT_VERIFIED.code]),
        ...(turnoverUsd > 0n || purse === 'ROLLOVER_OPEN' ? [gateErrors.ROLLOVER_OPEN.code] : []),
        ...(owes ? [ledgerErrors.CLAIMS_OPEN.code] : []),
        ...(leftOf(sent) < minUsd ? [userTipErrors.TIP_LIMIT_REACHED.code] : []),
        ...(purse === 'INSUFFICIENT_BALANCE' ? [purse] : []),
      ];
      return {
        enabled,
        minUsd: formatUnits(minUsd),
        sentTodayUsd: formatUnits(sent.usedUsd),
        sentLimitUsd: formatUnits(sent.limitUsd),
        receivedTodayUsd: formatUnits(received.usedUsd),
        receivedLimitUsd: formatUnits(received.limitUsd),
        resetsAt: iso(periodEnd('DAY', await transactionTime(tx))),
        blockers,
      };
    }),
});

/** Returns a player's balances. Checks for active grants only in currencies with a sufficient balance for a tip. */
async function pursesOf(
  tx: Tx,
  { currencies, grants }: UserTipDeps,
  userId: number,
  minUsd: Units,
): Promise<Purse[]> {
  const purses: Purse[] = [];
  for (const { currencyId, cash } of await balancesOf(tx, userId)) {
    if (!currencies.find(currencyId)) continue;
    const cashUsd = currencies.toUsd(currencyId, cash);
    const hasGrant = cashUsd >= minUsd && (await grants.openIn(tx, userId, currencyId)) !== undefined;
    purses.push({ cashUsd, hasGrant });
  }
  return purses;
}

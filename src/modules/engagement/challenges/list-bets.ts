import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import {
  CurrencyId,
  Decimal,
  object,
  PageNumber,
  page,
  pageOf,
  SortOrder,
  Timestamp,
  take,
} from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { formatUnits } from '../../../platform/money.ts';
import { ShortPrivateUser, UserId } from '../../base/users/schemas.ts';
import { shortUsers, sightOf } from '../../base/users/service.ts';
import { type ChallengeDeps, candidatesOf, challengeErrors, findChallenge } from './queries.ts';
import { BetId, ChallengePath, Multiplier, multiplierOf } from './view.ts';

const ChallengeBetRow = object('ChallengeBetRow', {
  betId: z.string(),
  userId: z.number().int(),
  user: ShortPrivateUser,
  currencyId: CurrencyId,
  amount: Decimal,
  payout: Decimal,
  usdAmount: Decimal,
  usdPayout: Decimal,
  multiplier: Multiplier,
  settledAt: Timestamp,
});

const ORDERS = {
  settledAt: 'k.settled_at',
  usdAmount: 'k.usd_amount',
  multiplier: 'k.multiplier_e4',
} as const;

export const listChallengeBets = operation({
  method: 'GET',
  path: '/admin/challenge/{id}/bets',
  tag: 'Admin Challenge',
  access: { permission: 'challenge.read' },
  summary: 'List the bets that can win a challenge',
  description: 'Returns about the first 1,000 bets, by default in the order in which they were settled.',
  params: ChallengePath,
  query: z.strictObject({
    sortBy: z.enum(['settledAt', 'usdAmount', 'multiplier']).default('settledAt'),
    sortOrder: SortOrder.default('asc'),
    userId: UserId.optional(),
    betId: BetId.optional(),
    page: PageNumber,
    take: take(100),
  }),
  response: page(ChallengeBetRow),
  errors: [challengeErrors.CHALLENGE_NOT_FOUND],
  handler: async ({ db }: ChallengeDeps, { by, params, query }) => {
    if (!(await findChallenge(db, params.id))) throw challengeErrors.CHALLENGE_NOT_FOUND();
    const matching = candidatesOf(db, params.id)
      .$if(query.userId !== undefined, (q) => q.where('k.user_id', '=', query.userId!))
      .$if(query.betId !== undefined, (q) => q.where('k.bet_id', '=', BigInt(query.betId!)));
    const { total } = await matching.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
    return pageOf(query, total, async (offset) => {
      const rows = await matching
        .selectAll('k')
        .orderBy(ORDERS[query.sortBy], query.sortOrder)
        .orderBy('k.bet_id', query.sortOrder)
        .limit(query.take)
        .offset(offset)
        .execute();
      const userIds = rows.map((row) => row.user_id);
      const users = await shortUsers(db, userIds, sightOf(by.user));
      return rows.map((row) => ({
        betId: String(row.bet_id),
        userId: row.user_id,
        user: users.get(row.user_id)!,
        currencyId: row.currency_id,
        amount: formatUnits(row.amount),
        payout: formatUnits(row.payout),
        usdAmount: formatUnits(row.usd_amount),
        usdPayout: formatUnits(row.usd_payout),
        multiplier: multiplierOf(row.multiplier_e4),
        settledAt: iso(row.settled_at),
      }));
    });
  },
});

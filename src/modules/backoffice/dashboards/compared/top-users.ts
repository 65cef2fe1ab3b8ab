import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { Decimal, object } from '../../../../http/schemas.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { ShortPrivateUser } from '../../../base/users/schemas.ts';
import { shortUsers, sightOf } from '../../../base/users/service.ts';
import type { DashboardDeps } from '../deps.ts';
import { sumDeposits, sumPlay } from '../packed/count.ts';
import { withPrevious } from '../periods/rules.ts';
import { type Compared, comparedFrom, readCompared } from '../request.ts';
import { createRanking, type Placed } from '../rules.ts';
import { compared, comparison, count, RankingQuery } from '../schemas.ts';

const DashboardTopUserRow = object('DashboardTopUserRow', {
  userId: count,
  user: ShortPrivateUser,
  usdAmount: Decimal,
});
const ranking = z.array(DashboardTopUserRow);
const DashboardTopUsers = object('DashboardTopUsers', {
  wagered: ranking,
  won: ranking.meta({ description: 'Payouts minus stakes of players with a net win.' }),
  lost: ranking.meta({ description: 'Stakes minus payouts of players with a net loss.' }),
  deposited: ranking,
});
const TopUsers = compared(DashboardTopUsers);

export const getTopUsers = operation({
  ...comparison,
  path: '/admin/dashboard/top-users',
  summary: 'Compare the top players with the previous period',
  query: RankingQuery,
  response: TopUsers,
  handler: async (deps: DashboardDeps, { query, by }) => {
    const request = { ...comparedFrom(deps, query), take: query.take };
    // Callers share the ids. Names are added for each caller, who may not see full addresses.
    const { current, previous } = await readCompared(deps, 'top-users', query, (tx) =>
      readTopUsers(tx, request),
    );
    const ids = [current, previous].flatMap((rankings) =>
      Object.values(rankings)
        .flat()
        .map(({ userId }) => userId),
    );
    const users = await shortUsers(deps.reads, ids, sightOf(by.user));
    return { current: withNames(current, users), previous: withNames(previous, users) };
  },
});

type Rankings = Record<'wagered' | 'won' | 'lost' | 'deposited', Placed[]>;

async function readTopUsers(
  tx: Tx,
  { period, currencyId, take }: Compared & { take: number },
): Promise<{ current: Rankings; previous: Rankings }> {
  const steps = withPrevious(period);
  // PostgreSQL reads one while the other is summed.
  const [played, deposited] = await Promise.all([sumPlay(tx, steps), sumDeposits(tx, steps, currencyId)]);
  const rankingsOf = (step: number): Rankings => {
    const ranking = () => createRanking(take);
    const [wagered, won, lost, paidIn] = [ranking(), ranking(), ranking(), ranking()];
    played[step]!.forEach((userId, staked, paid) => {
      wagered.see(userId, staked);
      won.see(userId, paid - staked);
      lost.see(userId, staked - paid);
    });
    deposited[step]!.forEach((userId, amount) => {
      paidIn.see(userId, amount);
    });
    return { wagered: wagered.first, won: won.first, lost: lost.first, deposited: paidIn.first };
  };
  return { previous: rankingsOf(0), current: rankingsOf(1) };
}

function withNames(rankings: Rankings, users: Awaited<ReturnType<typeof shortUsers>>) {
  const rows = (name: keyof Rankings) =>
    rankings[name].map(({ userId, usdAmount }) => ({
      userId,
      user: users.get(userId)!,
      usdAmount: formatUnits(usdAmount),
    }));
  return {
    wagered: rows('wagered'),
    won: rows('won'),
    lost: rows('lost'),
    deposited: rows('deposited'),
  };
}

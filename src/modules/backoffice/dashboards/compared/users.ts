import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { Decimal, object } from '../../../../http/schemas.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { ShortPrivateUser } from '../../../base/users/schemas.ts';
import { shortUsers, sightOf } from '../../../base/users/service.ts';
import { DAY_MS, dateOf, nameOf, type Steps, startOf, withPrevious, type Zone } from '../periods/rules.ts';
import { countActiveAndReturned, sumDeposits, sumPlay } from '../players/count.ts';
import { readFirstDeposits, readRegistrations } from '../queries.ts';
import { type Compared, comparedFrom, comparedSteps, type DashboardDeps, readCompared } from '../request.ts';
import { createRanking, type Placed, ratioOf } from '../rules.ts';
import { compared, comparison, count, DashboardQuery, RankingQuery } from '../schemas.ts';

const rate = z.number().nullable();
const DashboardCohort = object('DashboardCohort', {
  date: z.string().meta({ example: '2026-11-21' }),
  registrations: count,
  ftd: count.meta({ description: 'First deposits made on that day.' }),
  retentionD1: rate,
  retentionD7: rate,
  retentionD30: rate,
});
const DashboardUsers = object('DashboardUsers', {
  registrations: count,
  ftd: count,
  activeUsers: count,
  cohorts: z.array(DashboardCohort),
});
const Users = compared(DashboardUsers);

export const getUsers = operation({
  ...comparison,
  path: '/admin/dashboard/users',
  summary: 'Compare sign-ups and retention with the previous period',
  query: DashboardQuery,
  response: Users,
  handler: (deps: DashboardDeps, { query }) => {
    const request = comparedFrom(deps, query);
    return readCompared(deps, 'users', query, (tx) => readUsers(tx, deps, request));
  },
});

const AFTER = [1, 7, 30] as const;

/** Reads sign-ups by day in the time zone of the request, and the share of players who returned. */
async function readUsers(
  tx: Tx,
  { databaseClock }: Pick<DashboardDeps, 'databaseClock'>,
  asked: Compared,
): Promise<z.input<typeof Users>> {
  const { period, zone, currencyId } = asked;
  const { steps, own } = comparedSteps(asked, 'DAY');
  const days = daysThrough(steps, zone);
  const registered = await readRegistrations(tx, steps);
  const first = await readFirstDeposits(tx, steps, currencyId);
  const played = withPrevious(period);
  const { active, returned } = await countActiveAndReturned(tx, {
    played,
    signedUp: steps,
    days,
    after: AFTER,
  });
  const dates = steps.starts.map((at) => dateOf(at, zone));
  /** Returns the share of a step's sign-ups who returned `AFTER[place]` days later. Returns null while that day is not over. */
  const shareOf = (step: number, place: number): number | null => {
    const later = (AFTER[place]! + 1) * DAY_MS;
    const isOver = startOf(dates[step]! + later, zone, steps.starts[step]! + later) <= databaseClock.now();
    return isOver ? ratioOf(returned[place]![step]!, registered[step]!) : null;
  };

  const usersOf = (from: number, end: number, players: bigint) => {
    const sum = (all: readonly bigint[]) => Number(all.slice(from, end).reduce((a, b) => a + b, 0n));
    const cohorts = dates.slice(from, end).map((date, i) => {
      const step = from + i;
      return {
        date: nameOf(date),
        registrations: Number(registered[step]),
        ftd: Number(first[step]),
        retentionD1: shareOf(step, 0),
        retentionD7: shareOf(step, 1),
        retentionD30: shareOf(step, 2),
      };
    });
    return { registrations: sum(registered), ftd: sum(first), activeUsers: Number(players), cohorts };
  };
  return {
    previous: usersOf(0, own, active[0]!),
    current: usersOf(own, steps.starts.length, active[1]!),
  };
}

/** Returns the days on which players who signed up in these steps may have signed up or returned. */
function daysThrough(steps: Steps, zone: Zone): Steps {
  const first = dateOf(steps.starts[0]!, zone);
  const end = dateOf(steps.until - 1, zone) + (Math.max(...AFTER) + 1) * DAY_MS;
  const starts = [startOf(first, zone)];
  for (let date = first + DAY_MS; date <= end; date += DAY_MS)
    starts.push(startOf(date, zone, starts.at(-1)! + DAY_MS));
  return { starts: starts.slice(0, -1), until: starts.at(-1)! };
}

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
    // The cached result contains only ids, so that different callers can share it. Names are added for each caller, because some callers
    // may not see full email addresses.
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
  // The queries overlap: PostgreSQL runs one query while the rows of the other are summed.
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

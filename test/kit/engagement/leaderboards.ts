import { type RawBuilder, sql } from 'kysely';
import { expect, vi } from 'vitest';
import { checks } from '../../../src/modules/engagement/leaderboards/checks.ts';
import { betOnDice, type Player, startApp, type TestApp } from '../app.ts';
import { newRealPlayer } from '../games/bet-rows.ts';
import { countBets } from '../games/bets.ts';
import { letOneAdjust } from '../money/adjustments.ts';
import { liftLimits } from './rewards.ts';

/** Starts the main API with a superadmin. Returns helpers for leaderboards. */
export async function startLeaderboards(options: Parameters<typeof startApp>[0] = {}) {
  const app = await startApp(options);
  await liftLimits(app);
  await letOneAdjust(app);
  const boss = await app.as('superadmin');
  return leaderboardsOf(app, boss);
}

const PRIZES = [
  { place: 1, usdAmount: '100' },
  { place: 2, usdAmount: '50' },
  { place: 3, usdAmount: '25' },
];

const DAY_MS = 86_400_000;

/** Returns the request for a leaderboard, which starts now by default. */
const newLeaderboard = (fields: object = {}) => ({
  name: 'A race',
  description: 'The player who wagers most wins.',
  endDate: new Date(Date.now() + DAY_MS).toISOString(),
  currencyId: 'USDT',
  prizes: PRIZES,
  ...fields,
});

export function leaderboardsOf(app: TestApp, boss: Player) {
  const special = async (fields: object = {}): Promise<string> => {
    const { status, body } = await boss.call('POST', '/admin/leaderboards', { body: newLeaderboard(fields) });
    expect([status, body.code]).toEqual([201, undefined]);
    return body.id;
  };
  const bet = async (player: Player, betAmount: string): Promise<string> => {
    const { status, body } = await betOnDice(player, { betAmount });
    expect([status, body.code]).toEqual([201, undefined]);
    return body.betId;
  };
  const rollBack = async (betId: string) => {
    const { status } = await boss.call('POST', `/admin/bets/${betId}/rollback`, {
      body: { reason: 'a test' },
    });
    expect(status).toBe(201);
  };
  const count = () => countScores(app);
  const advance = (leaderboardId: string) =>
    app.services.leaderboards.tasks.leaderboard({ leaderboardId: Number(leaderboardId) });
  const statusOf = async (leaderboardId: string): Promise<string> =>
    (await app.call('GET', `/leaderboards/${leaderboardId}`)).body.status;
  return {
    ...app,
    app,
    boss,
    special,
    bet,
    rollBack,
    count,
    advance,
    statusOf,
    player: () => newRealPlayer(app, { usdt: 10_000 }),
    players: async (n: number): Promise<Player[]> => {
      const players: Player[] = [];
      while (players.length < n) players.push(await newRealPlayer(app, { usdt: 10_000 }));
      return players;
    },
    /** Returns the standings as staff see them: rank, player and score. */
    standings: async (leaderboardId: string) =>
      (await boss.call('GET', `/admin/leaderboards/${leaderboardId}/users`)).body.data.map((row: any) => [
        row.place,
        row.userId,
        row.score,
      ]),
    /** Cancels all leaderboards that other tests have left open. */
    cancelAll: () =>
      sql`update leaderboards set status = 'CANCELLED' where status in ('SCHEDULED', 'ACTIVE', 'FINALIZING')`.execute(
        app.db,
      ),
    letEnd: (leaderboardId: string) => letEnd(app, leaderboardId),
    /** Ends the leaderboard. Returns its status once the ranks are frozen. */
    async end(leaderboardId: string): Promise<string> {
      await count();
      await letEnd(app, leaderboardId);
      return vi.waitUntil(
        async () => {
          await advance(leaderboardId);
          const { status } = (await boss.call('GET', `/admin/leaderboards/${leaderboardId}`)).body;
          return status === 'ACTIVE' || status === 'FINALIZING' ? undefined : status;
        },
        { timeout: 20_000, interval: 20 },
      );
    },
    /** Returns the data of the leaderboard's `leaderboard.updated` events. */
    announced: (leaderboardId: string) =>
      eventsOf(app, 'leaderboard.updated', sql`data ->> 'leaderboardId' = ${leaderboardId}`),
    /** Suppresses announcements for the rest of the test. */
    holdNews: (leaderboardId: string) => setAnnounced(app, leaderboardId, sql`interval '1 hour'`),
    /** Simulates that five seconds have passed, and runs the announcement task. */
    async passNews(leaderboardId: string): Promise<void> {
      await setAnnounced(app, leaderboardId, sql`interval '-5001 ms'`);
      await app.services.leaderboards.tasks['leaderboard-news']({ leaderboardId: Number(leaderboardId) });
    },
    /** Returns the number of alerts about changes after a prize was paid. */
    alerts: async (leaderboardId: string) =>
      (await eventsOf(app, 'admin.alert', sql`data ->> 'id' = ${leaderboardId}`)).filter(
        ({ kind }) => kind === 'LEADERBOARD_CHANGED',
      ).length,
    /** Returns the latest audit log entry of a path. */
    async audited(path: string) {
      const { rows } = await sql<{ before: any; after: any; reason: string | null }>`
        select before, after, reason from admin_audit where path = ${path} and after is not null order by id desc limit 1`.execute(
        app.db,
      );
      return rows[0]!;
    },
    /** Returns the names of the reconciliation checks that find problems. */
    async broken(): Promise<string[]> {
      const found: string[] = [];
      for (const [problem, query] of Object.entries({ ...checks.N8, ...checks.N10 }))
        if ((await sql.raw(query).execute(app.db)).rows.length > 0) found.push(problem);
      return found;
    },
    give: (by: Player, leaderboardId: string, { id: userId }: { id: number }, fields: object = {}) =>
      by.call('POST', '/admin/leaderboards/give-prize', {
        body: { leaderboardId, userId, currency: 'USDT', ...fields },
      }),
  };
}

const setAnnounced = ({ db }: TestApp, leaderboardId: string, fromNow: RawBuilder<unknown>) =>
  sql`update leaderboards set announced_at = clock_timestamp() + ${fromNow} where id = ${Number(leaderboardId)}`.execute(
    db,
  );

async function eventsOf({ db }: TestApp, name: string, which: RawBuilder<unknown>): Promise<any[]> {
  const { rows } = await sql<{ data: any }>`
    select data from events where name = ${name} and ${which} order by id`.execute(db);
  return rows.map(({ data }) => data);
}

/** Lets the leaderboards consumer process all settled bets. */
const countScores = (app: TestApp): Promise<boolean> =>
  countBets(app, 'leaderboards', app.services.leaderboards.consumer);

/**
 * Shifts a leaderboard and its bets into the past, so that it ended more than a minute ago. Cancels other open leaderboards, because they
 * would lose the bets that are shifted.
 */
async function letEnd({ db }: TestApp, leaderboardId: string): Promise<void> {
  const id = Number(leaderboardId);
  await sql`
    update leaderboards r set status = 'CANCELLED' where status in ('SCHEDULED', 'ACTIVE', 'FINALIZING') and id <> ${id}
      and exists (select from leaderboard_bets b join leaderboard_bets o using (bet_id) where b.leaderboard_id = ${id} and o.leaderboard_id = r.id)`.execute(
    db,
  );
  await sql`
    with passed as (select end_date + interval '61 seconds' - now() as time from leaderboards where id = ${id}),
    moved as (
      update leaderboards set start_date = start_date - time, end_date = end_date - time from passed where id = ${id})
    update bets set created_at = created_at - time, settled_at = settled_at - time from passed
    where id in (select bet_id from leaderboard_bets where leaderboard_id = ${id})`.execute(db);
}

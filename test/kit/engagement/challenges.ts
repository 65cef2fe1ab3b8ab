import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { checks } from '../../../src/modules/engagement/challenges/checks.ts';
import { DECIDE, decide, runDecision } from '../../../src/modules/engagement/challenges/decide.ts';
import { betOnDice, type Player, type StartOptions, startApp, type TestApp } from '../app.ts';
import { newRealPlayer } from '../games/bet-rows.ts';
import { countBets } from '../games/bets.ts';
import { letOneAdjust } from '../money/adjustments.ts';

/** A challenge won by any winning dice bet. */
export const EASY = {
  gameSlug: 'dice',
  minBetAmountUsd: '1',
  minBetMultiplier: 1,
  rewardCurrency: 'USDT',
  rewardAmount: '50',
  isHidden: false,
};

/** Lets the challenges consumer process all settled bets. */
export const consumeChallenges = (app: TestApp): Promise<boolean> =>
  countBets(app, 'challenges', app.services.challenges);

/** The caller and the idempotency key of a request, and additional fields of its body. */
type How = { by?: Player; key?: string } & Record<string, unknown>;

/** Starts a platform with a superadmin. Returns helpers for challenges. */
export async function startChallenges({
  keepsThresholds = false,
  ...options
}: StartOptions & { keepsThresholds?: boolean } = {}) {
  const app = await startApp(options);
  if (!keepsThresholds) await letOneAdjust(app);
  const boss = await app.as('superadmin');
  const consume = () => consumeChallenges(app);
  return {
    app,
    boss,
    consume,
    decide: (id: string) => decide(app.services, id),

    /** Creates a player who is not a test user and can therefore win. */
    player: (usdt = 100): Promise<Player> => newRealPlayer(app, { usdt }),

    async create(terms: Partial<Record<keyof typeof EASY, unknown>> = {}) {
      const made = await boss.call('PUT', '/admin/challenge', { body: { ...EASY, ...terms } });
      expect([made.status, made.body?.code]).toEqual([200, undefined]);
      return made.body;
    },
    change: (id: string, body: object, by = boss) => by.call('PATCH', `/admin/challenge/${id}`, { body }),
    read: async (id: string) => (await boss.call('GET', `/admin/challenge/${id}`)).body,
    bets: async (id: string, query = '') =>
      (await boss.call('GET', `/admin/challenge/${id}/bets${query}`)).body.data as any[],
    award: (id: string, betId: string, { by = boss, key = randomUUID(), ...body }: How = {}) =>
      by.call('POST', `/admin/challenge/${id}/award`, {
        body: { betId, sendNotification: false, ...body },
        headers: { 'Idempotency-Key': key },
      }),
    rollBack: (id: string, { by = boss, key = randomUUID(), ...body }: How = {}) =>
      by.call('POST', `/admin/challenge/${id}/rollback`, {
        body: {
          reason: 'it was a mistake',
          withdrawLessIfNotEnoughBalance: false,
          sendNotification: false,
          ...body,
        },
        headers: { 'Idempotency-Key': key },
      }),
    rollBackBet: (betId: string) =>
      boss.call('POST', `/admin/bets/${betId}/rollback`, { body: { reason: 'a mistake' } }),

    /** Places dice bets until one of them wins. Returns the id of that bet. */
    async win(player: Player, fields: object = {}): Promise<string> {
      for (;;) {
        const { status, body } = await betOnDice(player, { threshold: 10, ...fields });
        expect([status, body?.code]).toEqual([201, undefined]);
        if (body.didWin) return body.betId;
      }
    },

    /** Makes all candidates of a challenge old enough to win. */
    letSettle: (id: string) =>
      sql`update challenge_candidates set settled_at = settled_at - interval '3 seconds' where challenge_id = ${id}`.execute(
        app.db,
      ),

    /** Consumes all bets, makes the candidates old enough, and selects the winner. */
    async choose(id: string) {
      await consume();
      await this.letSettle(id);
      await decide(app.services, id);
    },

    /** Runs all queued tasks that decide challenges, even those that are not due yet. Returns the number of tasks. */
    async runQueue(): Promise<number> {
      const { rows } = await sql<{ payload: { challengeId: string } }>`
        with jobs as (select j.id, payload from graphile_worker._private_jobs j
          join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = ${DECIDE}),
        gone as (delete from graphile_worker._private_jobs where id in (select id from jobs))
        select payload from jobs`.execute(app.db);
      for (const { payload } of rows) await runDecision(app.services, payload);
      return rows.length;
    },

    /** Returns the data of all events with this name, oldest first. */
    async events(name: string): Promise<any[]> {
      const rows = await app.db
        .selectFrom('events')
        .select('data')
        .where('name', '=', name)
        .orderBy('id')
        .execute();
      return rows.map(({ data }) => data);
    },

    /** Returns the rows that the reconciliation checks of challenges find. */
    async findings() {
      const found: object[] = [];
      for (const [problem, query] of Object.entries(checks.N10))
        for (const row of (await sql.raw<object>(query).execute(app.db)).rows)
          found.push({ problem, ...row });
      return found;
    },

    stop: () => app.stop(),
  };
}

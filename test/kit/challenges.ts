import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import { DECIDE } from '../../src/modules/engagement/challenges/queue.ts';
import { CHALLENGE_CHECKS } from '../../src/modules/operations/reconcile/challenges.ts';
import { betOnDice, type Player, type StartOptions, startApp, type TestApp } from './app.ts';
import { newRealPlayer } from './bet-rows.ts';
import { cursorPosition } from './bets.ts';

/** What every bet on dice wins that wins at all. */
export const EASY = {
  gameSlug: 'dice',
  minBetAmountUsd: '1',
  minBetMultiplier: 1,
  rewardCurrency: 'USDT',
  rewardAmount: '50',
  isHidden: false,
};

/** Has the consumer of challenges consume all that has happened to bets. */
const consumeChallenges = (app: TestApp): Promise<boolean> =>
  vi.waitUntil(
    async () => {
      await app.services.challenges.catchUp();
      const { rows } = await sql<{ id: bigint }>`
        select greatest((select max(id) from bet_corrections),
          coalesce(max(greatest(reversal_id, coalesce(settlement_id, id))), 0)) as id from bets
        where status = 'SETTLED' or reversal_id is not null or is_corrected`.execute(app.db);
      return (await cursorPosition(app, 'challenges')) >= rows[0]!.id;
    },
    { timeout: 20_000, interval: 20 },
  );

/** By whom, under which key, and what else the body says. */
type How = { by?: Player; key?: string } & Record<string, unknown>;

/** A platform with a member of staff who does everything about challenges and bets. */
export async function startChallenges(options: StartOptions = {}) {
  const app = await startApp(options);
  const boss = await app.as('superadmin');
  const consume = () => consumeChallenges(app);
  const decide = (id: string) => app.services.challenges.decide(id);
  return {
    app,
    boss,
    consume,
    decide,

    /** Somebody who can win: no test user. */
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

    /** Bets on dice until one wins; answers its id. */
    async win(player: Player, fields: object = {}): Promise<string> {
      for (;;) {
        const { status, body } = await betOnDice(player, { threshold: 10, ...fields });
        expect([status, body?.code]).toEqual([201, undefined]);
        if (body.didWin) return body.betId;
      }
    },

    /** Every bet that can win is old enough to. */
    letSettle: (id: string) =>
      sql`update challenge_candidates set settled_at = settled_at - interval '3 seconds' where challenge_id = ${id}`.execute(
        app.db,
      ),

    /** Consumes all bets, lets time pass, and chooses. */
    async choose(id: string) {
      await consume();
      await this.letSettle(id);
      await decide(id);
    },

    /** Does what the queue has to do for challenges, whenever it is due; answers how many jobs that were. */
    async runQueue(): Promise<number> {
      const { rows } = await sql<{ payload: { challengeId: string } }>`
        with jobs as (select j.id, payload from graphile_worker._private_jobs j
          join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = ${DECIDE}),
        gone as (delete from graphile_worker._private_jobs where id in (select id from jobs))
        select payload from jobs`.execute(app.db);
      for (const { payload } of rows) await app.services.challenges.run(payload);
      return rows.length;
    },

    /** Events of a name, oldest first. */
    async events(name: string): Promise<any[]> {
      const rows = await app.db
        .selectFrom('events')
        .select('data')
        .where('name', '=', name)
        .orderBy('id')
        .execute();
      return rows.map(({ data }) => data);
    },

    /** Rows in which what is kept of challenges contradicts bets, awards or ledger. */
    async findings() {
      const found: object[] = [];
      for (const [problem, query] of Object.entries(CHALLENGE_CHECKS))
        for (const row of (await sql.raw<object>(query).execute(app.db)).rows)
          found.push({ problem, ...row });
      return found;
    },

    stop: () => app.stop(),
  };
}

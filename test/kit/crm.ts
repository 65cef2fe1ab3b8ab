import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Told } from '../../sandbox/crm-page.ts';
import { type CallOptions, type Player, type StartOptions, startApp, type TestApp } from './app.ts';
import { startOutside } from './outside.ts';
import { until } from './until.ts';

export type { Told } from '../../sandbox/crm-page.ts';

/** What the CRM calls with, unless a test says otherwise. */
export const CRM_KEY = 'sandbox-crm-key';

/** Calls as the CRM makes them. */
export const crmCall =
  (app: Pick<TestApp, 'call'>) =>
  (method: string, path: string, { headers, ...options }: CallOptions = {}) =>
    app.call(method, path, { ...options, headers: { 'x-api-key': CRM_KEY, ...headers } });

/** The headers of a trigger that has not been before. */
export const aTrigger = (fields: Record<string, string> = {}): Record<string, string> => ({
  'x-fasttrack-activityid': '12',
  'x-fasttrack-actionid': '34',
  'x-fasttrack-triggerhash': randomBytes(12).toString('hex'),
  ...fields,
});

/** A service that tells the sandbox's CRM what happens, driven step by step as a worker would. */
export async function startCrm(options: StartOptions = {}) {
  const outside = await startOutside();
  const app = await startApp({ ...options, env: { ...outside.env, ...options.env } });
  outside.setApi(app.url);
  const { crm, broker, relay } = app.services;
  const { queue, patterns, handle, maxAttempts } = crm.subscription;
  await broker.subscribe(queue, patterns, handle, { maxAttempts });
  const read = async <T>(path: string): Promise<T> => (await fetch(outside.url + path)).json() as Promise<T>;
  const told = (query: Record<string, string> = {}): Promise<Told[]> =>
    read(`/crm/events.json?${new URLSearchParams(query)}`);
  const countOf = async (what: ReturnType<typeof app.sql>): Promise<number> => {
    const { rows } = await app.sql<{ n: number }>`select count(*)::int as n from ${what}`.execute(app.db);
    return rows[0]!.n;
  };

  /** All events have become messages. */
  const collect = async (): Promise<void> => {
    await until(async () => {
      await relay.turn();
      return !(await relay.hasNews());
    });
    await until(async () => (await countOf(app.sql`broker_messages where queue = 'crm'`)) === 0);
  };
  /** Sends what is due, once. */
  const deliver = () => crm.delivery.turn();
  return {
    app,
    outside,
    told,
    collect,
    deliver,
    call: crmCall(app),
    behave: (mode: string) => outside.behave('crm', mode),
    /** Ids in the order in which they came, each as often as it came. */
    arrivals: (): Promise<string[]> => read('/crm/arrivals.json'),
    /** What waits for the CRM, of one player or of all. */
    waiting: (player?: Pick<Player, 'id'>): Promise<number> =>
      countOf(player ? app.sql`crm_messages where user_id = ${player.id}` : app.sql`crm_messages`),
    /** What waits for another try is due now. */
    hurry: () => app.sql`update crm_players set due_at = now() where due_at is not null`.execute(app.db),
    /** All that has happened has arrived. */
    async settle(): Promise<void> {
      await collect();
      await until(async () => {
        await deliver();
        return !(await crm.delivery.isDue());
      });
    },
    /** What one player's events say, in the order in which they arrived, without what all have. */
    async saidOf({ id }: Pick<Player, 'id'>, type?: string): Promise<Record<string, any>[]> {
      const all = await told({ user_id: String(id), ...(type === undefined ? {} : { type }) });
      return all.map(({ body }) => {
        const { user_id, timestamp, origin, ...said } = body;
        expect([user_id, origin]).toEqual([String(id), new URL(app.config.SITE_URL).host]);
        expect(new Date(String(timestamp)).toISOString()).toBe(timestamp);
        return said;
      });
    },
    /** Types alone, in order. */
    async typesOf({ id }: Pick<Player, 'id'>): Promise<string[]> {
      return (await told({ user_id: String(id) })).map(({ type }) => type);
    },
    async stop() {
      await app.stop();
      await outside.close();
    },
  };
}

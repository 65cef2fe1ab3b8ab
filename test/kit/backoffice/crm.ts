import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Told } from '../../../sandbox/crm-page.ts';
import { type CallOptions, type Player, type StartOptions, startApp, type TestApp } from '../app.ts';
import { startOutside } from '../http/outside.ts';
import { until } from '../until.ts';

export type { Told } from '../../../sandbox/crm-page.ts';

/** The CRM's API key that is used unless a test sets another one. */
export const CRM_KEY = 'sandbox-crm-key';

/** Calls the API as the CRM does. */
export const crmCall =
  (app: Pick<TestApp, 'call'>) =>
  (method: string, path: string, { headers, ...options }: CallOptions = {}) =>
    app.call(method, path, { ...options, headers: { 'x-api-key': CRM_KEY, ...headers } });

/** Returns headers of a new trigger. */
export const aTrigger = (fields: Record<string, string> = {}): Record<string, string> => ({
  'x-fasttrack-activityid': '12',
  'x-fasttrack-actionid': '34',
  'x-fasttrack-triggerhash': randomBytes(12).toString('hex'),
  ...fields,
});

/** Starts a service that reports events to the sandbox's CRM. There is no worker; tests perform each step of its work themselves. */
export async function startCrm(options: StartOptions = {}) {
  const outside = await startOutside();
  const app = await startApp({ ...options, env: { ...outside.env, ...options.env } });
  outside.setApi(app.url);
  const { crm } = app.services;
  const read = async <T>(path: string): Promise<T> => (await fetch(outside.url + path)).json() as Promise<T>;
  const told = (query: Record<string, string> = {}): Promise<Told[]> =>
    read(`/crm/events.json?${new URLSearchParams(query)}`);
  const countOf = async (what: ReturnType<typeof app.sql>): Promise<number> => {
    const { rows } = await app.sql<{ n: number }>`select count(*)::int as n from ${what}`.execute(app.db);
    return rows[0]!.n;
  };

  /** Converts all events into CRM messages. */
  const collect = (): Promise<void> =>
    until(async () => {
      await crm.events.createMessages();
      return !(await crm.events.hasNews());
    });
  /** Sends all due messages once. */
  const deliver = () => crm.delivery.run();
  return {
    app,
    outside,
    told,
    collect,
    deliver,
    call: crmCall(app),
    behave: (mode: string) => outside.behave('crm', mode),
    /** Message ids in order of arrival, with duplicates. */
    arrivals: (): Promise<string[]> => read('/crm/arrivals.json'),
    /** Returns the number of messages that wait for the CRM, for one player or for all. */
    waiting: (player?: Pick<Player, 'id'>): Promise<number> =>
      countOf(player ? app.sql`crm_messages where user_id = ${player.id}` : app.sql`crm_messages`),
    /** Makes all scheduled retries due now. */
    hurry: () => app.sql`update crm_players set due_at = now() where due_at is not null`.execute(app.db),
    /** Waits until the CRM has received every event. */
    async settle(): Promise<void> {
      await collect();
      await until(async () => {
        await deliver();
        return !(await crm.delivery.isDue());
      });
    },
    /** Returns a player's messages in order of arrival, without the fields that all messages share. */
    async saidOf({ id }: Pick<Player, 'id'>, type?: string): Promise<Record<string, any>[]> {
      const all = await told({ user_id: String(id), ...(type === undefined ? {} : { type }) });
      return all.map(({ body }) => {
        const { user_id, timestamp, origin, ...said } = body;
        expect([user_id, origin]).toEqual([String(id), new URL(app.config.SITE_URL).host]);
        expect(new Date(String(timestamp)).toISOString()).toBe(timestamp);
        return said;
      });
    },
    /** Returns only the types of a player's messages, in order of arrival. */
    async typesOf({ id }: Pick<Player, 'id'>): Promise<string[]> {
      return (await told({ user_id: String(id) })).map(({ type }) => type);
    },
    async stop() {
      await app.stop();
      await outside.close();
    },
  };
}

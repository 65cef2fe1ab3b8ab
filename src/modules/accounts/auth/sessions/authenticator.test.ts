import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { cutOff } from '../../../../../test/kit/processes/outage.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { announceUserChange } from '../../../base/users/service.ts';

const app = fixture(startApp);
afterEach(() => mend());

const peek = ({ token }: Player) => app.services.sessions.authenticator.peek(token);
const statusOf = async ({ token }: Player) => (await app.call('GET', '/user/me', { token })).status;
const health = async () => (await app.call('GET', '/health')).status;
/** Bans a user without notifying the processes, so that cached sessions stay valid. */
const banQuietly = ({ id }: Player) =>
  app.db.updateTable('users').set({ banned_at: new Date() }).where('id', '=', id).execute();

const waitsForUsers = async () => {
  const { rows } = await app.sql`select 1 from pg_stat_activity
    where datname = ${app.database.name} and wait_event_type = 'Lock' and query like '%sessions%'`.execute(
    app.db,
  );
  return rows.length > 0;
};
const endPulse = () =>
  app.sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${app.database.name} and application_name like '% clock'`.execute(app.db);

let restore = async () => {};
/** Ends the connection that listens for notifications and prevents a new one. The connections of the pool are not affected. */
async function cut(): Promise<void> {
  restore = await cutOff(app.database, '% clock');
  await vi.waitFor(async () => expect(await health()).toBe(503), { timeout: 2000, interval: 10 });
}
async function mend(): Promise<void> {
  await restore();
  restore = async () => {};
  await vi.waitFor(async () => expect(await health()).toBe(200), { timeout: 4000, interval: 20 });
}

describe("a process's token cache", () => {
  test('caches a token after the first lookup', async () => {
    const player = await app.newPlayer();
    expect(peek(player)).toMatchObject({ id: player.id, isStaff: false, isSuperAdmin: false });
    await banQuietly(player);
    expect(await statusOf(player)).toBe(200);
  });

  test('removes only the changed user from the cache after a notification', async () => {
    const [banned, other] = [await app.newPlayer(), await app.newPlayer()];
    await banQuietly(banned);
    await transaction(app.db, (tx) => announceUserChange(tx, banned.id));
    await vi.waitFor(() => expect(peek(banned)).toBeUndefined(), { timeout: 5000, interval: 5 });
    expect(await statusOf(banned)).toBe(401);
    expect(peek(other)).toMatchObject({ id: other.id });
  });

  test('drops a token when it expires', async () => {
    const { token, id } = await app.newPlayer();
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    const { authenticator } = app.services.sessions;
    const clock = vi.spyOn(app.services.databaseClock, 'now');
    try {
      expect(authenticator.peek(token)?.id).toBe(id);
      clock.mockReturnValue(exp * 1000 - 1);
      expect(authenticator.peek(token)?.id).toBe(id);
      clock.mockReturnValue(exp * 1000);
      expect(authenticator.peek(token)).toBeUndefined();
      expect((await app.call('GET', '/user/me', { token })).status).toBe(401);
    } finally {
      clock.mockRestore();
    }
  });

  test('does not cache a user that was read before a change notification arrived', async () => {
    const [player, witness] = [await app.newPlayer(), await app.newPlayer()];
    await transaction(app.db, (tx) => announceUserChange(tx, player.id));
    await vi.waitFor(() => expect(peek(player)).toBeUndefined(), { timeout: 5000, interval: 5 });
    let read: Promise<number> | undefined;
    await app.db.transaction().execute(async (lock) => {
      await app.sql`lock table users in access exclusive mode`.execute(lock);
      read = statusOf(player);
      await vi.waitFor(async () => expect(await waitsForUsers()).toBe(true), { timeout: 5000, interval: 5 });
      await transaction(app.db, (tx) => announceUserChange(tx, witness.id));
      await vi.waitFor(() => expect(peek(witness)).toBeUndefined(), { timeout: 5000, interval: 5 });
    });
    expect(await read).toBe(200);
    expect(peek(player)).toBeUndefined();
    expect(await statusOf(player)).toBe(200);
    expect(peek(player)).toBeDefined();
  });
});

describe('while the listening connection is down', () => {
  test('caches nothing and ignores existing entries, so that bans apply immediately', async () => {
    const [banned, other] = [await app.newPlayer(), await app.newPlayer()];
    await cut();
    for (const player of [banned, other]) {
      expect(peek(player)).toBeUndefined();
      expect(await statusOf(player)).toBe(200);
      expect(peek(player)).toBeUndefined();
    }
    await banQuietly(banned);
    expect(await statusOf(banned)).toBe(401);
    expect(await statusOf(other)).toBe(200);
  });

  test('does not use outdated entries after the connection is restored', async () => {
    const [banned, left, other] = [await app.newPlayer(), await app.newPlayer(), await app.newPlayer()];
    await cut();
    await transaction(app.db, async (tx) => {
      await tx.updateTable('users').set({ banned_at: new Date() }).where('id', '=', banned.id).execute();
      await announceUserChange(tx, banned.id);
    });
    expect((await left.call('DELETE', '/session/log-out/current')).status).toBe(200);
    await mend();
    expect(await statusOf(banned)).toBe(401);
    expect(await statusOf(left)).toBe(401);
    expect(await statusOf(other)).toBe(200);
    expect(peek(other)).toMatchObject({ id: other.id });
  });

  test('misses no change when the connection is repeatedly lost and restored', async () => {
    for (let round = 0; round < 3; round++) {
      const [quiet, announced] = [await app.newPlayer(), await app.newPlayer()];
      await endPulse();
      await vi.waitFor(() => expect(peek(quiet)).toBeUndefined(), { timeout: 5000, interval: 2 });
      await banQuietly(quiet);
      await mend();
      expect(await statusOf(quiet)).toBe(401);
      expect(await statusOf(announced)).toBe(200);
      expect(peek(announced)).toBeDefined();
      await announced.call('DELETE', '/session/log-out/current');
      await vi.waitFor(() => expect(peek(announced)).toBeUndefined(), { timeout: 5000, interval: 5 });
    }
  });
});

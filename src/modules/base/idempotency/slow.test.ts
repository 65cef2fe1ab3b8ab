import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DICE, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { listPostings } from '../../../../test/kit/money/statement.ts';
import { type FaultProxy, startFaultProxy } from '../../../../test/kit/processes/fault-proxy.ts';
import { transaction } from '../../../platform/database/db.ts';
import { lockPlayers } from '../players/service.ts';

const OPERATIONS = [
  { path: '/accounting/to-vault', kind: 'vault.to', body: { currencyId: 'USDT', amount: '1.25' } },
  { path: '/casino/games/house/dice/bet', kind: 'bet.stake', body: { ...DICE, betAmount: '2.5' } },
];
const SHORT = { DATABASE_STATEMENT_TIMEOUT_MS: '600', BET_DEADLINE_MS: '600' };

let slow: TestApp;
let proxy: FaultProxy;
let isArmed = false;
let isHeld = false;
/** The process `slow` connects to the database of `app` through a proxy. */
const app = fixture(startApp);
beforeAll(async () => {
  const at = new URLSearchParams(app.database.url.split('?')[1]);
  proxy = await startFaultProxy({
    target: { path: `${at.get('host')}/.s.PGSQL.${at.get('port')}` },
    watch(chunk, direction) {
      // Allows the commit to reach the database, but delays its confirmation.
      if (direction === 'request') isHeld ||= isArmed && chunk.includes('commit');
      return direction === 'request' || !isHeld;
    },
  });
  const databaseUrl = `postgres://croupier@127.0.0.1:${proxy.port}/${app.database.name}`;
  slow = await startApp({ database: app.database, databaseUrl, env: SHORT });
});
afterAll(async () => {
  isHeld = false;
  await slow.stop();
  await proxy.stop();
});

const effects = async ({ id }: Player, kind: string) =>
  (await listPostings(app.services.db, { userId: id, account: 'cash', take: 100 })).filter(
    (row) => row.kind === kind,
  ).length;

describe.each(OPERATIONS)('$path when the database is slow', ({ path, kind, body }) => {
  const ask = (process: TestApp, { token }: Player, key: string) =>
    process.call('POST', path, { token, body, headers: { 'idempotency-key': key } });

  test("returns 503 and changes nothing while the player's row is locked, and applies the retry once", async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const key = randomUUID();
    const answer = await transaction(app.services.db, async (tx) => {
      await lockPlayers(tx, [player.id]);
      return ask(slow, player, key);
    });
    expect([answer.status, Number(answer.headers.get('retry-after'))]).toEqual([503, expect.any(Number)]);
    expect(await effects(player, kind)).toBe(0);
    for (let i = 0; i < 2; i++) expect((await ask(slow, player, key)).status).toBe(201);
    expect(await effects(player, kind)).toBe(1);
  });

  test('returns 503 when the commit is not confirmed, and returns the stored response on retry', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    expect((await ask(slow, player, randomUUID())).status).toBe(201);
    const key = randomUUID();
    isArmed = true;
    const answer = ask(slow, player, key);
    expect((await answer).status).toBe(503);
    isArmed = isHeld = false;
    const [retry, again] = [await ask(app, player, key), await ask(app, player, key)];
    expect([retry.status, again.text]).toEqual([201, retry.text]);
    expect(await effects(player, kind)).toBe(2);
  });
});

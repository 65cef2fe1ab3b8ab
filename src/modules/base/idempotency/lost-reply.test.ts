import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { DICE, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { listPostings } from '../../../../test/kit/money/statement.ts';
import { startFaultProxy } from '../../../../test/kit/processes/fault-proxy.ts';

const OPERATIONS = [
  { path: '/accounting/to-vault', kind: 'vault.to', body: { currencyId: 'USDT', amount: '1.25' } },
  { path: '/accounting/from-vault', kind: 'vault.from', body: { currencyId: 'USDT', amount: '0.75' } },
  { path: '/casino/games/house/dice/bet', kind: 'bet.stake', body: { ...DICE, betAmount: '2.5' } },
];
const KEYS_EACH = 34;

const app = fixture(startApp);
const second = fixture(() => startApp({ database: app.database }));

/** Creates a player with cash and a vault balance. */
async function newPlayer(): Promise<Player> {
  const player = await app.newPlayer({ usdt: 1000 });
  const body = { currencyId: 'USDT', amount: '500' };
  expect((await player.call('POST', '/accounting/to-vault', { body })).status).toBe(201);
  return player;
}

/** Counts the effects that an operation has had on the player since the ledger position `since`. */
async function effects({ id }: Player, kind: string, since: bigint): Promise<number> {
  const rows = await listPostings(app.services.db, { userId: id, account: 'cash', take: 1000 });
  return rows.filter((row) => row.kind === kind && row.id > since).length;
}

test('returns the stored response on retry when the response is lost after the commit', async () => {
  const proxy = await startFaultProxy({
    target: { host: '127.0.0.1', port: Number(new URL(app.url).port) },
  });
  proxy.mode('drop-reply');
  const send = async (path: string, body: object, { token, key }: { token: string; key: string }) =>
    fetch(`http://127.0.0.1:${proxy.port}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
    }).then(
      ({ status }) => status,
      () => 'lost',
    );
  await Promise.all(
    OPERATIONS.map(async ({ path, kind, body }) => {
      const player = await newPlayer();
      const [{ id: since } = { id: 0n }] = await listPostings(app.services.db, {
        userId: player.id,
        take: 1,
      });
      const keys = Array.from({ length: KEYS_EACH }, () => randomUUID());
      const lost = await Promise.all(keys.map((key) => send(path, body, { token: player.token, key })));
      expect(lost).toEqual(keys.map(() => 'lost'));
      const landed = () => effects(player, kind, since);
      await expect.poll(landed).toBe(KEYS_EACH);
      for (const key of keys) {
        const { status, body: stored } = await app.db
          .selectFrom('idempotency_keys')
          .select(['status', 'body'])
          .where('key', '=', key)
          .executeTakeFirstOrThrow();
        const headers = { 'idempotency-key': key };
        const [retry, again] = [
          await second.call('POST', path, { token: player.token, body, headers }),
          await player.call('POST', path, { body, headers }),
        ];
        expect([status, retry.status, again.text]).toEqual([200, 201, retry.text]);
        expect(retry.body).toEqual(JSON.parse(stored));
      }
      expect(await landed()).toBe(KEYS_EACH);
    }),
  );
  await proxy.stop();
});

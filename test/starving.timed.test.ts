import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDb } from './crash/check.ts';
import { call, keepAlive, type Reply } from './crash/client.ts';
import { createPlayers, type LoadPlayer } from './crash/load.ts';
import { endOf, type PartProcess, partEnv, send, startPartProcess } from './crash/processes.ts';
import { createTestDatabase } from './kit/database.ts';
import { fixture } from './kit/fixture.ts';
import { ORDER } from './kit/money/withdrawals.ts';

const OTHERS = 8;
const BURST = 200;
/** Number of bursts of each kind. Each burst is followed by a pause of the same duration. */
const ROUNDS = 6;

const folder = mkdtempSync(join(tmpdir(), 'croupier-starving-'));
const agent = keepAlive();
let part: PartProcess;
const database = fixture(createTestDatabase);
beforeAll(async () => {
  const env = { ALLOW_UNSAFE_DATABASE: 'true', DATABASE_POOL_SIZE: '16' };
  part = await startPartProcess('api', { env: partEnv(database.url, env), logFile: join(folder, 'api.log') });
  await withDb(database.url, (db) =>
    db.updateTable('currency_networks').set({ min_withdraw: 0n }).where('id', '=', 'tron').execute(),
  );
});
afterAll(async () => {
  agent.destroy();
  send(part.pid, 'SIGTERM');
  await endOf(part);

  rmSync(folder, { recursive: true, force: true });
});

let keys = 0;
type Call = (player: LoadPlayer) => Promise<Reply>;
const post =
  (path: string, body: object): Call =>
  ({ token }) =>
    call('POST', part.url + path, {
      agent,
      token,
      body,
      headers: { 'idempotency-key': `starving-${++keys}` },
    });
const toVault = post('/accounting/to-vault', { currencyId: 'USDT', amount: '0.01' });
const fromVault = post('/accounting/from-vault', { currencyId: 'USDT', amount: '0.01' });
const withdraw = post('/payments/withdraw', ORDER);
const read: Call = ({ token }) => call('GET', `${part.url}/accounting/balances`, { agent, token });
/** Concurrent calls by one player, for each kind of burst. */
const BURSTS: Record<string, readonly Call[]> = {
  'vault moves': [toVault],
  withdrawals: [withdraw],
  mixed: [toVault, withdraw, read, fromVault],
};

test("neither delays nor rejects other players' requests during a burst from one player", async () => {
  const players = await createPlayers(part.url, Array(OTHERS + 1).fill(100_000));
  const [attacker, ...others] = players as [LoadPlayer, ...LoadPlayer[]];
  for (const player of players) await toVault(player);
  const statuses = new Map<string, number>();
  const note = (of: string, { status, body }: Reply) => {
    const said = `${of} ${status} ${body?.code ?? ''}`;
    statuses.set(said, (statuses.get(said) ?? 0) + 1);
  };
  /** Returns the response times of the other players while `isOn` returns true. */
  const measure = (isOn: () => boolean, times: number[]) =>
    Promise.all(
      others.map(async (player) => {
        for (let i = 0; isOn(); i++) {
          const began = performance.now();
          note('others', await [toVault, read, fromVault][i % 3]!(player));
          times.push(performance.now() - began);
        }
      }),
    );
  const quiet: number[] = [];
  const disturbed: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    for (const calls of Object.values(BURSTS)) {
      let isOn = true;
      const measuring = measure(() => isOn, disturbed);
      const began = performance.now();
      const answers = await Promise.all(
        Array.from({ length: BURST }, (_, i) => calls[i % calls.length]!(attacker)),
      );
      isOn = false;
      await measuring;
      for (const answer of answers) note('attacker', answer);
      const until = 2 * performance.now() - began;
      await measure(() => performance.now() < until, quiet);
    }
  const p99 = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
  expect([...statuses.keys()].filter((said) => / 5\d\d /.test(said))).toEqual([]);
  expect([...statuses.keys()].filter((said) => said.startsWith('others') && !/ 20[01] $/.test(said))).toEqual(
    [],
  );
  expect(statuses.get('attacker 429 TOO_MANY_AT_ONCE')).toBeGreaterThan(0);
  expect(quiet.length).toBeGreaterThan(500);
  expect(p99(disturbed) / p99(quiet)).toBeLessThanOrEqual(3);
}, 240_000);

import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { problemsOf } from '../../scripts/migrations.ts';
import { call } from '../crash/client.ts';
import { type Attempt, createPlayers, type LoadPlayer, startLoad } from '../crash/load.ts';
import { until } from '../kit/until.ts';
import { createClients } from './clients.ts';
import { EXPAND, makeNextVersion, NEXT, type NextVersion } from './next-version.ts';
import {
  expectNothingLost,
  type Platform,
  startPlatform,
  tellOnFailure,
  together,
  underLoad,
} from './platform.ts';

const CLIENTS = 6;
/** At any time, some requests are in progress. Restarted processes get enough of the processor to start soon. */
const PAUSE_MS = 40;
const PART = new URL('../../src/bin/part.ts', import.meta.url).pathname;

let platform: Platform;
let next: NextVersion;
let players: LoadPlayer[];
tellOnFailure(() => platform);

beforeAll(() => {
  next = makeNextVersion();
});
afterAll(() => next?.remove());

/** Starts this version, the old one of the upgrade. Each attempt at the test begins with a new database, because the test migrates it. */
async function startOldVersion(): Promise<void> {
  const parts = ['api', 'api', 'realtime', 'worker'] as const;
  platform = await startPlatform({ parts, settings: { SHUTDOWN_DRAIN_MS: '600' } });
  onTestFinished(() => platform.stop());
  players = await createPlayers(platform.cluster.balanced('api'), Array(2 * CLIENTS).fill(100_000));
}

/** Returns the versions of all serving processes by name. */
async function versions(): Promise<Record<string, string>> {
  const { names, urlOf } = platform.cluster;
  const asked = names.map(async (name) => {
    const { body } = await call('GET', `${urlOf(name)}/version`);
    return [name, body.version] as const;
  });
  return Object.fromEntries(await Promise.all(asked));
}

test('upgrades process by process under load, with a migration, without a failed request or a lost bet', async () => {
  await startOldVersion();
  const { cluster, random, onDb } = platform;
  const [hot, own] = [players.slice(0, CLIENTS), players.slice(CLIENTS)];
  const load = startLoad({
    targets: () => [cluster.balanced('api')],
    players: hot,
    clients: 4,
    hot: 1,
    random,
    name: 'up',
    pauseMs: PAUSE_MS,
  });
  const clients = createClients(() => cluster.balanced('api'), { keepAlive: false });
  let isOver = false;
  const play = async ({ token }: LoadPlayer) => {
    const bet = { currencyId: 'USDT', betAmount: '1', threshold: 50, above: true };
    const move = { currencyId: 'USDT', amount: '1' };
    while (!isOver) {
      await clients.ask('POST', '/casino/games/house/dice/bet', { token, body: bet }, 201);
      await clients.ask('POST', '/accounting/to-vault', { token, body: move }, 201);
      await clients.ask('GET', '/accounting/balances', { token }, 200);
      await clients.ask('POST', '/accounting/from-vault', { token, body: move }, 201);
      await clients.ask('GET', '/user/me', { token }, 200);
      await sleep(PAUSE_MS);
    }
  };
  /** Waits until clients have sent enough requests to test the current state of the upgrade. */
  const liveOn = async () => {
    const before = clients.seen.asked;
    await until(() => clients.seen.asked > before + 60, 60_000);
  };
  const replace = async (name: string, file: string) => {
    expect(await cluster.stop(name)).toBe(0);
    await cluster.start(name, file);
    await until(async () => (await call('GET', `${cluster.urlOf(name)}/health/ready`)).status === 200);
    await until(() => cluster.serving('api').length === 2);
  };
  /** Returns the number of vault transfers that each version stored. */
  const moves = async () => {
    const { rows } = await onDb((db) =>
      sql<{
        by: string;
        n: number;
      }>`select moved_by as by, count(*)::int as n from vault_moves group by 1`.execute(db),
    );
    return Object.fromEntries(rows.map(({ by, n }) => [by, n]));
  };

  const upgrade = async () => {
    try {
      await liveOn();
      expect(await next.migrate(cluster.databaseUrl())).toBe(`applied ${next.migration}\n`);
      await liveOn();
      expect(new Set(Object.values(await versions()))).toEqual(new Set([next.version]));
      // A process of the old version that exits is restarted.
      await replace('api-1', PART);
      expect(await moves()).toEqual({ 'the trigger': expect.any(Number) });
      for (const name of ['worker', 'realtime', 'api-1']) await replace(name, next.part);
      expect(await versions()).toMatchObject({ 'api-1': NEXT, 'api-2': next.version, worker: NEXT });
      const side = await moves();
      await until(async () => {
        const now = await moves();
        return now[NEXT]! > (side[NEXT] ?? 0) && now['the trigger']! > side['the trigger']!;
      });
      await replace('api-2', next.part);
      expect(new Set(Object.values(await versions()))).toEqual(new Set([NEXT]));
      await liveOn();
      // The processes are downgraded to the old version again, but the schema keeps the new migration.
      await replace('api-1', PART);
      await liveOn();
    } finally {
      isOver = true;
      await cluster.heal();
    }
  };

  const history: Attempt[] = [];
  await underLoad(load, history, () => together(upgrade(), ...own.map(play))).finally(clients.close);
  const { asked, retried, failed } = clients.seen;
  console.log(
    `${asked} requests beside ${history.length} bets, ${retried} repeated; vault moves ${JSON.stringify(await moves())}`,
  );
  expect(failed).toEqual([]);
  await onDb(async (db) => {
    const { rows } = await sql`select e.id from ledger_entries e full join vault_moves m on m.entry_id = e.id
      where (e.id is null) or (m.entry_id is null and e.kind like 'vault.%' and e.id > (select min(entry_id) from vault_moves))`.execute(
      db,
    );
    expect(rows).toEqual([]);
    const { rows: sums } = await sql<{
      same: boolean;
    }>`select (select sum(vault_moves) from players) = count(*) as same
      from vault_moves`.execute(db);
    expect(sums).toEqual([{ same: true }]);
  });
  await expectNothingLost(platform, history, players);
}, 300_000);

test('uses a migration that the migration check accepts', () => {
  expect(problemsOf(`${next.migration}.sql`, EXPAND)).toEqual([]);
});

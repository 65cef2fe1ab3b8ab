import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { betOnDice, startApp } from './kit/app.ts';
import { createTestDatabase } from './kit/database.ts';
import { fixture } from './kit/fixture.ts';
import { startFaultProxy } from './kit/processes/fault-proxy.ts';

const database = fixture(createTestDatabase);

/** Text in the last statement before the areas start (platform/database/schema/prepare.ts). */
const PREPARED = 'i.indisunique';
/** Text that identifies the first statement of each start-up step. */
const FIRST = {
  health: 'graphile_worker.migrations',
  durability: 'full_page_writes',
  rates: 'into "exchange_rates"',
  settings: 'from "site_config"',
  countries: 'from "countries"',
};

test('starts even if the first statement of each step gets no response', async () => {
  const url = new URL(database.url.replace('@/', '@localhost/'));
  const path = join(url.searchParams.get('host')!, `.s.PGSQL.${url.searchParams.get('port')}`);
  let isPrepared = false;
  const lost: string[] = [];
  const proxy = await startFaultProxy({
    target: { path },
    watch(chunk, direction) {
      if (direction === 'reply') return true;
      if (chunk.includes(PREPARED)) isPrepared = true;
      const found = Object.entries(FIRST).find(
        ([name, text]) => !lost.includes(name) && chunk.includes(text),
      );
      if (!isPrepared || !found) return true;
      lost.push(found[0]);
      return false;
    },
  });
  onTestFinished(proxy.stop);
  const app = await startApp({
    database,
    databaseUrl: `postgres://croupier@127.0.0.1:${proxy.port}/${database.name}`,
    env: { DATABASE_STATEMENT_TIMEOUT_MS: '3000' },
  });
  onTestFinished(app.stop);
  expect(new Set(lost)).toEqual(new Set(Object.keys(FIRST)));
  const player = await app.newPlayer({ usdt: 5 });
  expect((await betOnDice(player, { betAmount: '1' })).status).toBe(201);
});

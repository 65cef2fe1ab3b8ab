import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { betOnDice, startApp, type TestApp } from '../../../../test/kit/app.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/croupier.ts', import.meta.url));

const run = ({ config, database }: TestApp) =>
  new Promise<{ code: unknown; output: string }>((resolve) => {
    const { JWT_SECRET, SEED_SECRET } = config;
    const env = { APP_ENV: 'test', DATABASE_URL: database.url, JWT_SECRET, SEED_SECRET };
    execFile(process.execPath, [PROGRAM, 'reconcile'], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });

test('croupier reconcile exits with 0 on consistent data of a running platform, and with 1 and the findings on inconsistent data', async () => {
  const app = await startApp({ reconcileOnStop: false });
  const player = await app.newPlayer({ usdt: 100 });
  for (let i = 0; i < 5; i++) expect((await betOnDice(player)).status).toBe(201);
  const sound = await run(app);
  const summary =
    /^no differences: \d+ postings, 1 entries, 1 wallets, 5 house bets, 0 provider bets, \d+ ms$/m;
  expect([sound.code, sound.output]).toEqual([0, expect.stringMatching(summary)]);
  expect(sound.output).not.toContain('BROKEN');
  const named = [...sound.output.matchAll(/^checking (N\d+): [a-z ,]+$/gm)].map((match) => match[1]);
  expect(new Set(named)).toEqual(new Set(Array.from({ length: 10 }, (_, i) => `N${i + 1}`)));

  await sql`update wallets set cash = cash + 1`.execute(app.db);
  await sql`update bets set outcome = '{}'`.execute(app.db);
  const broken = await run(app);
  expect(broken.code).toBe(1);
  const wallet = `BROKEN N2: a wallet is not the sum of its postings: {"user_id":${player.id},"currency_id":"USDT",`;
  expect(broken.output).toContain(wallet);
  expect(broken.output.match(/^BROKEN N4: .*"betId":"\d+","flaw":"outcome"\}$/gm)).toHaveLength(5);
  expect(broken.output).toMatch(/^6 findings: /m);
  await app.stop();
});

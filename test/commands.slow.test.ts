import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../src/platform/database/embedded/postgres.ts';
import { createTestDatabase } from './kit/database.ts';
import { fixture } from './kit/fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'croupier-commands-'));
chmodSync(folder, 0o755);
const database = fixture(createTestDatabase);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Ended = { code: unknown; output: string };

/** Runs `croupier` with only these settings. */
function run(name: string, args: string[], env: Record<string, string>): Promise<Ended> {
  const file = fileURLToPath(new URL('../src/bin/croupier.ts', import.meta.url));
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      [file, name, ...args],
      { env: { PATH: process.env.PATH, DATA_DIR: folder, APP_ENV: 'test', ...env } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    ),
  );
}

const appoint = (env: Record<string, string>) =>
  run('superadmin', ['--email', `${env.NAME}@test.example`, '--username', env.NAME!], env);
const isRunning = () => existsSync(join(folder, 'postgres/postmaster.pid'));

describe('the embedded database', () => {
  test('stops the embedded database when its tables do not exist yet', async () => {
    for (const program of ['audit', 'reconcile']) {
      const { code, output } = await run(program, [], {});
      expect([code, output]).toEqual([
        1,
        expect.stringMatching(/^failed: .*no tables.*npx croupier migrate/m),
      ]);
      expect(existsSync(join(folder, 'postgres/PG_VERSION'))).toBe(true);
      expect(isRunning(), program).toBe(false);
    }
  });

  test('stops the embedded database when the services refuse to start on it', async () => {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query('alter role croupier set synchronous_commit = off');
    await client.end();
    await postgres.stop();
    const { code, output } = await appoint({ NAME: 'somebody' });
    expect([code, output]).toEqual([1, expect.stringMatching(/^failed: .*synchronous_commit/m)]);
    expect(isRunning()).toBe(false);
  });
});

describe('croupier superadmin', () => {
  const secret = () => randomBytes(32).toString('hex');

  test("requires the services' secrets when it uses their database", async () => {
    const given = { NAME: 'somebody', DATABASE_URL: database.url, ALLOW_UNSAFE_DATABASE: 'true' };
    for (const [env, named] of [
      [{}, 'DATA_SECRET and SEED_SECRET'],
      [{ SEED_SECRET: secret(), DATA_SECRET: ' ' }, 'DATA_SECRET'],
      [{ DATA_SECRET: secret() }, 'SEED_SECRET'],
    ] as const) {
      const { code, output } = await appoint({ ...given, ...env });
      expect([code, output]).toEqual([2, expect.stringContaining(`Set ${named} together with DATABASE_URL`)]);
    }
  });

  test('generates a password when the given one is empty', async () => {
    const { code, output } = await appoint({
      NAME: 'first_one',
      DATABASE_URL: database.url,
      ALLOW_UNSAFE_DATABASE: 'true',
      SEED_SECRET: secret(),
      DATA_SECRET: secret(),
      SUPERADMIN_PASSWORD: '',
    });
    expect([code, output]).toEqual([0, expect.stringMatching(/^password: [\w-]{24} /m)]);
  });
});

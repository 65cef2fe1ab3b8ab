import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { chmod, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { proveCopy } from '../src/app/commands/rehearse.ts';
import { readBackupAge } from '../src/modules/operations/backups/module.ts';
import { restoreBackup } from '../src/platform/backup/restore.ts';
import type { Db } from '../src/platform/database/db.ts';
import { betOnDice, type Player, startApp, type TestApp } from './kit/app.ts';
import { meanwhile } from './kit/meanwhile.ts';
import { type Primary, startPrimary } from './kit/processes/replica.ts';
import { until } from './kit/until.ts';

const CROUPIER = new URL('../src/bin/croupier.ts', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'croupier-backup-'));
const archive = join(folder, 'archive');
let primary: Primary;
let app: TestApp;
let players: Player[];
/** Folder for the files of a test. */
let own: string;

beforeAll(async () => {
  await chmod(folder, 0o755);
  mkdirSync(archive);
  await chmod(archive, 0o777);
  primary = await startPrimary({
    archive_mode: 'on',
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f.tmp && mv ${archive}/%f.tmp ${archive}/%f`,
  });
  app = await startApp({ database: primary.database, env: { RATE_LIMIT_MONEY: '0' } });
  players = await Promise.all(Array.from({ length: 8 }, () => app.newPlayer({ usdt: 1_000_000 })));
});
beforeEach(() => {
  own = mkdtempSync(join(folder, 'test-'));
  chmodSync(own, 0o755);
});
afterAll(async () => {
  await app?.stop();
  await primary?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a program on the test database, as an operator starts it. */
async function run(name: string, args: string[] = [], more: Record<string, string> = {}): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    APP_ENV: 'test',
    ALLOW_UNSAFE_DATABASE: 'true',
    DATA_DIR: folder,
    DATABASE_URL: primary.url,
    SEED_SECRET: app.config.SEED_SECRET,
    ...more,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [CROUPIER, name, ...args], { env });
  return stdout;
}

/** Places bets continuously during `work`; returns the number of acknowledged bets. */
async function underLoad<T>(work: () => Promise<T>): Promise<{ result: T; bets: number }> {
  let bets = 0;
  const play = async (player: Player) => {
    expect((await betOnDice(player)).status).toBe(201);
    bets++;
  };
  const result = await meanwhile(
    work,
    players.map((player) => () => play(player)),
  );
  return { result, bets };
}

const now = async () =>
  (await app.sql<{ at: Date }>`select clock_timestamp() as at`.execute(app.db)).rows[0]!.at;
const countBets = async () =>
  Number((await app.sql<{ n: bigint }>`select count(*) as n from bets`.execute(app.db)).rows[0]!.n);

test('restores a complete base backup that was taken under load, as a rehearsal', async () => {
  await Promise.all(players.map((player) => betOnDice(player)));
  const before = await countBets();
  const { result, bets } = await underLoad(() => run('rehearse', ['--folder', own]));
  expect(result).toMatch(/backed up {4}\d+ files, \d+\.\d MB by files, log from \S+ to \S+, \d+\.\d s/);
  expect(result).toMatch(/migrations {3}all have run/);
  expect(result).toMatch(/reconcile {4}no differences/);
  expect(result).toMatch(/audit {8}the chain is valid/);
  const restored = Number(/restored to \S+, (\d+) bets, all checks passed/.exec(result)?.[1]);
  expect(bets).toBeGreaterThan(0);
  expect(restored).toBeGreaterThanOrEqual(before);
  expect(restored).toBeLessThanOrEqual(before + bets);
});

test('restores a backup and the log archive to exactly the given point in time', async () => {
  const [to, data] = [join(own, 'backup'), join(own, 'restored')];
  await underLoad(() => run('backup', ['--to', to]));
  await underLoad(() => sleep(500));
  const [moment, bets] = [await now(), await countBets()];
  await sleep(50);
  await underLoad(() => sleep(500));
  expect(await countBets()).toBeGreaterThan(bets);
  const { rows } = await app.sql<{ segment: string }>`
    select pg_walfile_name(pg_switch_wal()) as segment`.execute(app.db);
  await until(() => existsSync(join(archive, rows[0]!.segment)));
  const told = await run('restore', [
    '--from',
    to,
    '--to',
    data,
    '--archive',
    archive,
    '--until',
    moment.toISOString(),
  ]);
  expect(told).toContain(`up to ${moment.toISOString()}`);
  const lines: string[] = [];
  const parts = { data, database: 'croupier', seedSecret: app.config.SEED_SECRET };
  expect(await proveCopy({ ...parts, say: (line) => lines.push(line) }), lines.join('\n')).toMatchObject({
    isWhole: true,
  });
  expect(lines.at(-1)).toMatch(new RegExp(`, ${bets} bets, all checks passed$`));
});

test('recovers every bet that was acknowledged before a point in time under load, and no later bet', async () => {
  const to = join(own, 'backup');
  await run('backup', ['--to', to]);
  const acknowledged: { betId: string; sentAt: number; answeredAt: number }[] = [];
  const play = async (player: Player) => {
    const sentAt = Date.now();
    const { body } = await betOnDice(player);
    acknowledged.push({ betId: body.betId, sentAt, answeredAt: Date.now() });
  };
  const moment = await meanwhile(
    async () => {
      await sleep(700);
      const chosen = await now();
      await sleep(700);
      return chosen;
    },
    players.map((player) => () => play(player)),
  );
  const { rows } = await app.sql<{ segment: string }>`
    select pg_walfile_name(pg_switch_wal()) as segment`.execute(app.db);
  await until(() => existsSync(join(archive, rows[0]!.segment)));

  const arguments_ = ['--to', moment.toISOString(), '--backup', to, '--archive', archive, '--folder', own];
  const told = await run('rehearse', arguments_);
  expect(told).toMatch(/restored to \S+, \d+ bets, all checks passed/);

  const there = new Set<string>();
  const examine = async (db: Db) => {
    for (const { id } of await db.selectFrom('bets').select('id').execute()) there.add(String(id));
    return [];
  };
  const data = join(own, 'restored');
  await restoreBackup({ from: to, to: data, archive, until: moment, durable: false });
  const parts = { data, database: 'croupier', seedSecret: app.config.SEED_SECRET, say: () => {} };
  expect(await proveCopy({ ...parts, examine, asOf: moment })).toMatchObject({ isWhole: true });
  const at = moment.getTime();
  const [before, after] = [
    acknowledged.filter(({ answeredAt }) => answeredAt < at),
    acknowledged.filter(({ sentAt }) => sentAt > at),
  ];
  expect([before.length > 50, after.length > 50]).toEqual([true, true]);
  expect(before.filter(({ betId }) => !there.has(betId))).toEqual([]);
  expect(after.filter(({ betId }) => there.has(betId))).toEqual([]);

  //  A restore fails for a point in time before the backup or after the end of the archive.
  const later = ['--to', new Date(Date.now() + 60_000).toISOString(), ...arguments_.slice(2)];
  await expect(run('rehearse', later)).rejects.toMatchObject({
    stderr: expect.stringContaining('ends before'),
  });
  const earlier = ['--to', '2026-01-01T00:00:00Z', ...arguments_.slice(2)];
  await expect(run('rehearse', earlier)).rejects.toMatchObject({
    stderr: expect.stringContaining('use an earlier backup'),
  });
});

test('rejects a copy in which part of the log is missing', async () => {
  const [to, data] = [join(own, 'backup'), join(own, 'restored')];
  await underLoad(() => run('backup', ['--to', to]));
  const { until } = JSON.parse(await readFile(join(to, 'backup.json'), 'utf8')) as { until: string };
  expect(until).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/);
  rmSync(join(to, 'data/pg_wal'), { recursive: true });
  mkdirSync(join(to, 'data/pg_wal'));
  await run('restore', ['--from', to, '--to', data]);
  const parts = { data, database: 'croupier', seedSecret: app.config.SEED_SECRET, say: () => {} };
  await expect(proveCopy(parts)).rejects.toThrow(/could not locate required checkpoint record/);
});

test('opens an encrypted archive only with its key, rehearses a restore, and keeps only the newest archive', {
  timeout: 600_000,
}, async () => {
  const [into, key, other] = [join(own, 'backups'), join(own, 'key'), join(own, 'other')];
  const [, recipient = ''] = /recipient {4}(age1\w+)/.exec(await run('backup', ['--new-key', key])) ?? [];
  await run('backup', ['--new-key', other]);
  expect((await stat(key)).mode & 0o777).toBe(0o600);
  await expect(run('backup', ['--new-key', key])).rejects.toMatchObject({ code: 1 });
  mkdirSync(join(folder, 'files/avatars'), { recursive: true });
  await writeFile(join(folder, 'files/avatars/one.webp'), 'a picture');

  const options = ['--into', into, '--recipient', recipient, '--keep', '1'];
  // Simulates the unpacked and unencrypted backup that a killed run leaves behind.
  const left = join(into, '.backup-killed');
  mkdirSync(join(left, 'backup'), { recursive: true });
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  await utimes(left, yesterday, yesterday);
  await run('backup', options);
  const [oldest = ''] = await readdir(into);
  expect(oldest).toMatch(/^croupier-\d{8}T\d{6}Z\.tar\.zst\.age$/);
  const { result: told } = await underLoad(() => run('backup', options));
  expect(told).toMatch(/packed {7}\d+\.\d MB, compressed and encrypted/);
  expect(told).toContain(`deleted      ${oldest}`);
  const archives = await readdir(into);
  expect(archives).toHaveLength(1);
  const packed = join(into, archives[0]!);
  const plain = JSON.parse(await readFile(await unpack(packed, key), 'utf8')) as { bytes: number };
  expect((await stat(packed)).size).toBeLessThan(plain.bytes / 3);
  expect(await readFile(join(own, 'unpacked/files/avatars/one.webp'), 'utf8')).toBe('a picture');

  const rehearsed = await run('rehearse', ['--backup', packed, '--identity', key, '--folder', own]);
  expect(rehearsed).toMatch(/restored to \S+, \d+ bets, all checks passed/);
  for (const wrong of [[], ['--identity', other]])
    await expect(run('rehearse', ['--backup', packed, ...wrong, '--folder', own])).rejects.toMatchObject({
      stderr: expect.stringMatching(/encrypted|no identity matched/),
    });
  const damaged = join(own, 'damaged.tar.zst.age');
  await writeFile(damaged, (await readFile(packed)).subarray(0, -1000));
  await expect(
    run('backup', ['--unpack', damaged, '--to', join(own, 'x'), '--identity', key]),
  ).rejects.toMatchObject({ code: 1 });
  await expect(run('backup', ['--into', into, '--recipient', 'age1none'])).rejects.toMatchObject({
    stderr: expect.stringContaining('is not an age public key'),
  });
  expect(await readBackupAge(app.db)).toBeLessThan(300);
});

/** Returns the path of the unpacked backup.json. */
async function unpack(file: string, key: string): Promise<string> {
  const to = join(own, 'unpacked');
  await run('backup', ['--unpack', file, '--to', to, '--identity', key]);
  return join(to, 'backup.json');
}

/** The PostgreSQL version that Debian installs, which a cluster of deploy/ha uses. */
const OTHER_MAJOR = '/usr/lib/postgresql/15';
test.skipIf(!existsSync(OTHER_MAJOR) && !process.env.CI)(
  "rehearses a server of another major version with that version's programs",
  async () => {
    const old = await startPrimary({}, OTHER_MAJOR);
    const env = { RATE_LIMIT_MONEY: '0' };
    const service = await startApp({ database: old.database, env });
    try {
      const player = await service.newPlayer({ usdt: 100 });
      expect((await betOnDice(player)).status).toBe(201);
      const { SEED_SECRET } = service.config;
      const told = await run('rehearse', ['--folder', own], { DATABASE_URL: old.url, SEED_SECRET });
      expect(told).toMatch(/restored to \S+, 1 bets, all checks passed/);
      await expect(
        run('rehearse', ['--folder', own, '--postgres', own], { DATABASE_URL: old.url, SEED_SECRET }),
      ).rejects.toMatchObject({ code: 1 });
    } finally {
      await service.stop();
      await old.stop();
    }
  },
);

test('rejects target folders that are not empty', async () => {
  await expect(run('backup', ['--to', archive])).rejects.toMatchObject({ code: 1 });
  await expect(run('restore', ['--from', archive, '--to', join(own, 'x')])).rejects.toMatchObject({
    code: 1,
  });
  await expect(run('backup')).rejects.toMatchObject({ code: 2 });
});

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { restoreLinks } from './binaries.ts';
import { makePrivate } from './files.ts';
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './postgres.ts';

const folders: string[] = [];
const servers: EmbeddedPostgres[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const folder of folders.splice(0)) await fs.rm(folder, { recursive: true, force: true });
});

test('keeps its data when the server is stopped, killed or adopted', { timeout: 20_000 }, async () => {
  const dataDir = join(await makeFolder(), 'postgres');
  const first = await start({ dataDir });
  await query(first.url, 'create table note (text text)');
  await query(first.url, `insert into note values ('kept')`);
  await first.stop();
  await first.stop();

  const second = await start({ dataDir });
  expect(second.reused).toBe(false);
  const adopted = await start({ dataDir, database: 'other' });
  expect(adopted).toMatchObject({ reused: true, pid: second.pid });
  expect(await query(adopted.url, 'select current_database()')).toBe('other');
  expect(await query(adopted.urlFor('croupier'), 'select text from note')).toBe('kept');

  process.kill(second.pid, 'SIGKILL');
  const third = await start({ dataDir });
  expect(third.reused).toBe(false);
  expect(await query(third.url, 'select text from note')).toBe('kept');
  await third.stop();
  await expect(query(third.url, 'select 1')).rejects.toThrow();
  // An adopted server is stopped by its process id.
  const fourth = await start({ dataDir });
  const other = await start({ dataDir });
  await other.stop();
  await expect(query(fourth.url, 'select 1')).rejects.toThrow();
});

test('shares one server between two concurrent starts and cleans up an interrupted first start', async () => {
  const dataDir = join(await makeFolder(), 'below', 'postgres');
  const { pid } = spawnSync('true');
  const leftover = `${dataDir}.preparing-${pid}-abcdef`;
  await fs.mkdir(leftover, { recursive: true });
  await fs.writeFile(join(leftover, 'PG_VERSION'), '18\n');

  const both = await Promise.all([start({ dataDir }), start({ dataDir })]);
  expect(both[0].pid).toBe(both[1].pid);
  expect(both.map(({ reused }) => reused).sort()).toEqual([false, true]);
  expect(await fs.readdir(dirname(dataDir))).toEqual(['postgres']);
}, 240_000);

test('reports why the server does not start, and rejects a folder with other files', async () => {
  const dataDir = join(await makeFolder(), 'postgres');
  await expect(start({ dataDir, settings: { work_mem: 'much' } })).rejects.toThrow(
    /invalid value .*work_mem/,
  );
  const full = await makeFolder();
  await fs.writeFile(join(full, 'letter.txt'), 'dear');
  await expect(start({ dataDir: full })).rejects.toThrow(/absent or an empty folder/);
  expect(await fs.readdir(full)).toEqual(['letter.txt']);
}, 240_000);

test("creates a private folder without following symbolic links or using another user's folder", async () => {
  const folder = await makeFolder();
  const target = join(folder, 'target');
  await fs.mkdir(target);
  await fs.chmod(target, 0o755);
  const modeOf = async (path: string) => ((await fs.lstat(path)).mode & 0o777).toString(8);
  const link = join(folder, 'planted');
  await fs.symlink(target, link);
  await expect(makePrivate(link, undefined)).rejects.toThrow(/planted is a symbolic link/);
  await expect(makePrivate(link, { uid: 65_534, gid: 65_534 })).rejects.toThrow(/symbolic link/);
  expect(await modeOf(target)).toBe('755');
  const file = join(folder, 'file');
  await fs.writeFile(file, 'x', { mode: 0o644 });
  await fs.link(file, join(folder, 'second-name'));
  await expect(makePrivate(file, undefined)).rejects.toThrow(/is neither a folder nor a file/);
  expect(await modeOf(file)).toBe('644');
  if (process.getuid?.() === 0) {
    await fs.chown(target, 1234, 1234);
    await expect(makePrivate(target, { uid: 65_534, gid: 65_534 })).rejects.toThrow(/belongs to uid 1234/);
    expect((await fs.stat(target)).uid).toBe(1234);
  }
  const own = join(folder, 'own');
  await makePrivate(own, undefined);
  await makePrivate(own, undefined);
  expect(await modeOf(own)).toBe('700');
});

test('creates the library links that an installation without install scripts lacks', async () => {
  const folder = await makeFolder();
  await fs.mkdir(join(folder, 'native/lib'), { recursive: true });
  await fs.writeFile(join(folder, 'native/lib/libx.so.1.2'), 'x');
  const links = ['libx.so', 'libx.so.1'].map((name) => ({
    source: 'native/lib/libx.so.1.2',
    target: `native/lib/${name}`,
  }));
  await fs.writeFile(join(folder, 'native/pg-symlinks.json'), JSON.stringify(links));
  expect(await restoreLinks(folder)).toBe(true);
  expect(await restoreLinks(folder)).toBe(true);
  expect(await fs.readFile(join(folder, 'native/lib/libx.so.1'), 'utf8')).toBe('x');
  expect(existsSync(join(folder, 'native/lib/libx.so'))).toBe(true);
});

async function start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const settings = { shared_buffers: '16MB', max_wal_size: '128MB', ...options.settings };
  const server = await startEmbeddedPostgres({ durable: false, ...options, settings });
  servers.push(server);
  return server;
}

/** Creates a folder that the server's user may enter when the tests run as root. */
async function makeFolder(): Promise<string> {
  const folder = await fs.mkdtemp(join(tmpdir(), 'croupier-test-'));
  await fs.chmod(folder, 0o755);
  folders.push(folder);
  return folder;
}

async function query(connectionString: string, text: string): Promise<unknown> {
  const pool = new pg.Pool({ connectionString });
  // A pool may still be closing its connections when the server stops, although the pool has ended.
  pool.on('error', () => {});
  try {
    const { rows } = await pool.query<unknown[]>({ text, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await pool.end();
  }
}

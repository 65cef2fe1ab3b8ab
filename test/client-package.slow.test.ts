import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';

const ROOT = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'croupier-client-'));
/** PATH without npm's folders, so that tests use the Node installed on the machine, not the one that npm puts first. */
const PATH = process.env
  .PATH!.split(delimiter)
  .filter((path) => !path.includes('node_modules'))
  .join(delimiter);
const run = async (cwd: string, program: string, ...args: string[]) =>
  (await promisify(execFile)(program, args, { cwd, env: { PATH, HOME: process.env.HOME } })).stdout;
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

const api = fixture(startApp);
const node = fixture(() => startApp({ part: 'realtime', database: api.database }));
beforeAll(async () => {
  mkdirSync(join(folder, 'packed'));
  await run(join(ROOT, 'client'), 'npm', 'pack', '--silent', '--pack-destination', join(folder, 'packed'));
  const [file] = readdirSync(join(folder, 'packed'));
  write('package.json', '{ "private": true, "type": "module" }');
  await run(
    folder,
    'npm',
    'install',
    '--silent',
    '--no-audit',
    '--prefer-offline',
    join(folder, 'packed', file!),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAM = `
import { connect, Refusal } from '@croupier/client';
const { url, token } = JSON.parse(globalThis.process.argv[2]);
const client = connect({ url, token: () => token });
client.on('ready', ({ rooms }) => {
  console.log(JSON.stringify({ rooms, refusal: new Refusal({ code: 'A', message: 'b' }).code }));
  client.close();
});
`;
const access = async () => {
  const player = await api.newPlayer();
  const heard = { rooms: expect.arrayContaining([`user:${player.id}`, 'public']), refusal: 'A' };
  return { argument: JSON.stringify({ url: node.url, token: player.socketToken }), heard };
};

test('packs only the built files', () => {
  const installed = join(folder, 'node_modules/@croupier/client');
  expect(readdirSync(installed).sort()).toEqual(['README.md', 'dist', 'package.json']);
  expect(readdirSync(join(installed, 'dist')).sort()).toEqual([
    'api.d.ts',
    'api.js',
    'backoff.d.ts',
    'backoff.js',
    'call.d.ts',
    'call.js',
    'client.d.ts',
    'client.js',
    'events.d.ts',
    'events.js',
  ]);
});

test('connects from an otherwise empty folder on the installed Node', async () => {
  write('program.js', PROGRAM);
  expect(
    Number((await run(folder, 'node', '-p', 'process.versions.node')).split('.')[0]),
  ).toBeGreaterThanOrEqual(20);
  const { argument, heard } = await access();
  expect(JSON.parse(await run(folder, 'node', 'program.js', argument))).toEqual(heard);
});

test('creates a bundle for browsers that has no imports and can connect', async () => {
  write('page.js', PROGRAM);
  const bundle = await rolldown({ input: join(folder, 'page.js'), platform: 'browser', cwd: folder });
  const { output } = await bundle.write({ file: join(folder, 'bundle.mjs'), format: 'esm' });
  await bundle.close();
  expect(output).toHaveLength(1);
  expect(output[0].imports).toEqual([]);
  expect(readFileSync(join(folder, 'bundle.mjs'), 'utf8')).not.toMatch(/from ?["']node:|require\(["']/);
  // Node 24 provides the same WebSocket API as browsers, which the bundle uses.
  const { argument, heard } = await access();
  expect(JSON.parse(await run(folder, process.execPath, 'bundle.mjs', argument))).toEqual(heard);
});

test('provides types for the payload of every event', async () => {
  write(
    'consumer.ts',
    `import { connect, type Client, type SettledBet } from '@croupier/client';
const client: Client = connect({ url: 'http://127.0.0.1:3002', token: () => 'x', rooms: ['game:speed-roulette'] });
client.on('bet.settled', (bet: SettledBet, { seq }) => { const id: string = bet.betId; const at: number = seq; return void [id, at]; });
// @ts-expect-error there is no such event
client.on('bet.setled', () => {});
// @ts-expect-error a bet has its own name for this
client.on('bet.settled', (bet) => bet.id);
// @ts-expect-error nor is there such a room
void client.subscribe('kitchen');
`,
  );
  for (const [module, moduleResolution] of [
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'Bundler'],
  ]) {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'ES2022',
      lib: ['ES2022', 'DOM'],
      types: [],
      module,
      moduleResolution,
    };
    write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    expect(await run(folder, process.execPath, tsc, '-p', folder).catch((error) => error.stdout)).toBe('');
  }
});

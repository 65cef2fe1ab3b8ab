import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CROUPIER = join(ROOT, 'src/bin/croupier.ts');

/** Runs `croupier` with only these settings, in a folder without settings. */
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const settings = { PATH: process.env.PATH, DATA_DIR: join(tmpdir(), 'croupier-absent'), ...env };
    execFile(process.execPath, [CROUPIER, ...args], { env: settings }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

const FILES = globSync('src/bin/commands/*.ts', { cwd: ROOT }).map((file) => basename(file, '.ts'));
/** The words of every command. `config` has only subcommands. */
const COMMANDS = FILES.map((name) => (name === 'config' ? ['config', 'check'] : [name]));

/** Required arguments, without which a command reports that they are missing. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  brand: [
    'second',
    '--domain',
    'second.example',
    '--port',
    '3100',
    '--to',
    join(tmpdir(), 'croupier-absent'),
  ],
  erase: ['4711', '--reason', 'they asked for it'],
  restore: ['--from', 'backup', '--to', 'data'],
  superadmin: ['--email', 'boss@test.example', '--username', 'boss'],
};

test('lists every command with a summary of one line', async () => {
  const { code, stdout } = await run(['--help']);
  expect(code).toBe(0);
  const listed = [...stdout.matchAll(/^ {2}([a-z-]+)(?: \[command\])? {2,}\S.+$/gm)].map((line) => line[1]!);
  expect(new Set(listed)).toEqual(new Set([...FILES, 'help']));
});

test.each(COMMANDS.map((words) => [words.join(' '), words] as const))(
  'describes %s with a summary, options and an example, and rejects unknown options',
  async (name, words) => {
    const help = await run([...words, '--help']);
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toMatch(new RegExp(`^Usage: croupier ${name}.*\n\n[A-Z].+\n\n`));
    expect(help.stdout).toMatch(/^ {2}-h, --help +/m);
    expect(help.stdout).toMatch(new RegExp(`^Examples:\n(.*\n)*? .*npx croupier ${name}`, 'm'));
    const { code, stdout, stderr } = await run([...words, ...(REQUIRED[name] ?? []), '--nonsense']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: unknown option '--nonsense'\n\nUsage: croupier /);
    expect(stderr).toContain(`croupier ${name} --help`);
  },
);

test('rejects an unknown command and no command', async () => {
  const unknown = await run(['migrat']);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringMatching(/unknown command 'migrat'/)]);
  expect(await run([])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^Usage: croupier <command>/),
  });
  expect(await run(['config'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^Usage: croupier config/),
  });
});

test('config check prints changed settings without secrets, and fails if a start would fail', async () => {
  const secret = 'an-smtp-password';
  const env = {
    APP_ENV: 'local',
    PORT: '4000',
    SMTP_URL: `smtp://me:${secret}@mail.test`,
    KYC_API_URL: 'http://kyc.test/?key=a-kyc-key',
  };
  const good = await run(['config', 'check', '--json'], env);
  const { isUsable, changed, problems, warnings } = JSON.parse(good.stdout);
  expect([good.code, isUsable, problems]).toEqual([0, true, []]);
  expect(changed).toEqual(
    expect.arrayContaining([
      { name: 'PORT', value: '4000' },
      { name: 'SMTP_URL', value: 'set' },
      { name: 'KYC_API_URL', value: 'http://kyc.test/?…' },
    ]),
  );
  expect(warnings).toContain('MAIL_FROM still has its default');
  const bad = await run(['config', 'check'], {
    ...env,
    APP_ENV: 'production',
    PORT: 'many',
    KYC_API_URL: `http://me:${secret}@kyc.test`,
  });
  expect(bad).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^problem {2}PORT needs a whole number$/m),
  });
  expect(bad.stdout).toMatch(/^problem {2}MAIL_FROM still has its default$/m);
  expect(bad.stdout).not.toMatch(/^warning/m);
  expect(bad.stdout).toMatch(/^problem {2}KYC_API_URL .* without a username and password$/m);
  expect(good.stdout + bad.stdout).not.toMatch(/an-smtp-password|a-kyc-key/);
});

test('doctor exits with 1 and names the remedy if the database cannot be reached', async () => {
  const { code, stdout } = await run(['doctor'], {
    DATABASE_URL: 'postgres://me:a-password@127.0.0.1:9/casino',
    ...Object.fromEntries(['', 'BACKOFFICE_', 'REALTIME_', 'WORKER_'].map((name) => [`${name}PORT`, '0'])),
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^problem {2}database +.*127\.0\.0\.1:9 does not respond .*correct DATABASE_URL/m);
  expect(stdout).toMatch(/^ok {7}disk /m);
  expect(stdout).not.toContain('a-password');
});

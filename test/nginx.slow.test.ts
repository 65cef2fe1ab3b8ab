import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const FILE = new URL('../deploy/nginx/nginx.conf', import.meta.url);
const run = (program: string, ...args: string[]) => {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  return { status, said: error ? error.message : stderr };
};
const isThere = run('nginx', '-v').status === 0;

// In CI it is installed before: what is absent there fails.
test.skipIf(!isThere && !process.env.CI)('nginx takes the configuration of deploy/', () => {
  const folder = mkdtempSync(join(tmpdir(), 'croupier-nginx-'));
  try {
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
    const made = [
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ];
    const files = ['-subj', '/CN=casino.example', '-keyout', key, '-out', certificate];
    expect(run('openssl', 'req', ...made, ...files)).toMatchObject({ status: 0 });
    // The names are those of containers; nginx looks them up.
    const text = readFileSync(FILE, 'utf8')
      .replace(/^(\s*server )[\w-]+(:\d+)/gm, '$1127.0.0.1$2')
      .replace(/^(\s*ssl_certificate ).*;$/m, `$1${certificate};`)
      .replace(/^(\s*ssl_certificate_key ).*;$/m, `$1${key};`);
    expect(text).not.toMatch(/letsencrypt|api-1/);
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, text);
    const { status, said } = run('nginx', '-t', '-c', file, '-g', `pid ${folder}/nginx.pid;`, '-e', 'stderr');
    expect([status, said]).toEqual([0, expect.stringContaining('syntax is ok')]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

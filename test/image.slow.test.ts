import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTestDatabase } from './kit/database.ts';

const ROOT = resolve(import.meta.dirname, '..');

test('what the image copies is all that the application loads', async () => {
  const database = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'croupier-image-'));
  const copied = [
    // The last stage is the image.
    ...readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')
      .split(/^FROM .*$/m)
      .at(-1)!
      .matchAll(/^COPY (?!--from)(.*) \S+$/gm),
  ].flatMap(([, names]) => names!.split(' '));
  for (const name of copied) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const env = {
    PATH: process.env.PATH,
    APP_ENV: 'test',
    ALLOW_UNSAFE_DATABASE: 'true',
    DATA_DIR: folder,
    DATABASE_URL: database.url,
  };
  const node = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: folder, env });
  const [migrated] = await Promise.all([
    node('src/bin/migrate.ts'),
    node('--input-type=module', '-e', "await import('./src/part.ts')"),
  ]);
  expect(migrated.stdout).toBe('up to date already\n');
  rmSync(folder, { recursive: true });
  await database.drop();
});

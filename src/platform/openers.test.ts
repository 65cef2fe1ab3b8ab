import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '..');

/** Files that may create a client or a pool of the database driver, with the reason. */
const OPENERS: Readonly<Record<string, string>> = {
  'platform/backup/backup.ts': 'a program of its own, which opens one connection',
  'platform/database/embedded/server.ts':
    'reads addresses, and checks once whether others use the embedded server',
  'platform/database/db.ts': 'the pool of guarded clients',
  'platform/database/embedded/process.ts': 'starts the embedded server, before anything uses it',
  'platform/database/guard.ts': 'the guarded client, which waits for its turn at the breaker',
};

test('opens every connection of a running process through the breaker', () => {
  const openers = globSync('**/*.ts', { cwd: SRC })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => /\bnew (pg\.)?(Client|Pool)\(/.test(readFileSync(join(SRC, file), 'utf8')));
  expect(new Set(openers)).toEqual(new Set(Object.keys(OPENERS)));
});

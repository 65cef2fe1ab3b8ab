import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCommit } from './commit.ts';

const folder = mkdtempSync(join(tmpdir(), 'croupier-commit-'));
const repository = join(folder, 'repository');
const git = (place: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@test.example', ...args], {
    cwd: place,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
  }).trim();

beforeAll(() => {
  mkdirSync(repository);
  git(repository, 'init', '-q', '-b', 'trunk/main');
  git(repository, 'commit', '-q', '--allow-empty', '-m', 'one');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the commit of a checkout', () => {
  const expectHead = (place: string) => expect(readCommit(place)).toBe(git(place, 'rev-parse', 'HEAD'));

  test('reads the commit when a branch is checked out, with packed references and after new commits', () => {
    expectHead(repository);
    git(repository, 'pack-refs', '--all');
    expectHead(repository);
    git(repository, 'commit', '-q', '--allow-empty', '-m', 'two');
    expectHead(repository);
  });

  test('reads the commit in a worktree, with loose and packed references', () => {
    const worktree = join(folder, 'worktree');
    git(repository, 'worktree', 'add', '-q', '-b', 'side', worktree);
    git(worktree, 'commit', '-q', '--allow-empty', '-m', 'beside');
    expectHead(worktree);
    git(repository, 'pack-refs', '--all');
    expectHead(worktree);
  });

  test('reads the commit when no branch is checked out', () => {
    const clone = join(folder, 'clone');
    git(folder, 'clone', '-q', repository, clone);
    git(clone, 'checkout', '-q', '--detach');
    expectHead(clone);
  });
});

test('returns unknown when the checkout is missing or invalid', () => {
  const bare = join(folder, 'bare');
  mkdirSync(join(bare, '.git'), { recursive: true });
  for (const head of [undefined, '', 'ref: refs/heads/gone', 'ref: ../../../etc/passwd', 'root:x:0:0']) {
    if (head !== undefined) writeFileSync(join(bare, '.git/HEAD'), head);
    expect(readCommit(bare), String(head)).toBe('unknown');
  }
  writeFileSync(join(bare, '.git/packed-refs'), 'not a commit refs/heads/gone\n');
  writeFileSync(join(bare, '.git/HEAD'), 'ref: refs/heads/gone\n');
  expect(readCommit(bare)).toBe('unknown');
  expect(readCommit(join(folder, 'nowhere'))).toBe('unknown');
});

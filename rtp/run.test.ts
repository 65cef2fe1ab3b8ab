import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { readPlan } from './plan.ts';
import { createProgress } from './progress.ts';

const RUN = join(import.meta.dirname, 'run.ts');

function rtp(args: readonly string[], node: readonly string[] = []) {
  return new Promise<{ status: number; out: string; err: string }>((done) => {
    execFile(process.execPath, [...node, RUN, ...args], (error, out, err) =>
      done({ status: error ? Number(error.code) : 0, out, err }),
    );
  });
}

test('rtp/run.ts computes figures, simulates, writes the report and exits with 0 when everything agrees', {
  timeout: 240_000,
}, async () => {
  const out = join(mkdtempSync(join(tmpdir(), 'rtp-')), 'report.html');
  const args = ['--games', 'roulette,plinko', '--rounds', '5000', '--seed', 'a', '--out', out];
  const first = await rtp(args);
  expect(first.out).toContain('plinko         27 of 27 agree');
  expect(first.out).toContain('10,000 rounds, --seed a');
  expect(first.out.trimEnd()).toMatch(/everything agrees$/);
  expect(first.err).toContain('100 %');
  expect(first.status).toBe(0);
  expect(readFileSync(out, 'utf8')).toMatch(/^<!doctype html>/);
  // The same seed gives the same rounds, regardless of the threads that run them.
  const table = (text: string) =>
    text.split('\n').filter((line) => /^ {2}(roulette|plinko) +[A-Z].* %/.test(line));
  expect(table(first.out)).toHaveLength(10);
  expect(table((await rtp(args)).out)).toEqual(table(first.out));
});

test('prints a figure that differs from the published one and exits with 1', async () => {
  const published = pathToFileURL(join(import.meta.dirname, 'exact/published.ts'));
  const forge = `import { PUBLISHED } from ${JSON.stringify(published.href)}; PUBLISHED.plinko.LOW[9] = '98.984376';`;
  const { status, out } = await rtp(
    ['--games', 'plinko', '--exact-only'],
    ['--import', `data:text/javascript,${encodeURIComponent(forge)}`],
  );
  expect(out).toContain('LOW 9: published 98.984376, computed 98.984375');
  expect(out).toContain('1 disagree');
  expect(status).toBe(1);
});

test('parses options and exits with 2 for invalid ones', async () => {
  expect(readPlan([])).toMatchObject({ rounds: 1_000_000, out: undefined });
  expect(readPlan([])!.games).toHaveLength(10);
  expect(readPlan([])!.seed).toMatch(/^[0-9a-f]{64}$/);
  expect(readPlan([])!.seed).not.toBe(readPlan([])!.seed);
  expect(readPlan(['--rounds', '1e7'])!.rounds).toBe(10_000_000);
  expect(readPlan(['--rounds', '10_000'])!.rounds).toBe(10_000);
  expect(readPlan(['--exact-only'])!.rounds).toBe(0);
  expect(readPlan(['--games', 'keno, dice'])!.games).toEqual(['dice', 'keno']);
  expect(readPlan(['--help'])).toBeUndefined();
  for (const wrong of [['--games', 'poker'], ['--rounds', '10'], ['--rounds', 'many'], ['--fast']]) {
    expect(() => readPlan(wrong)).toThrow();
  }
  const { status, err } = await rtp(['--games', 'poker']);
  expect(err).toContain('unknown game: poker');
  expect(status).toBe(2);
});

test('shows progress as a bar on a terminal and as lines elsewhere', () => {
  const shown: string[] = [];
  const write = (text: string | Uint8Array) => shown.push(String(text)) > 0;
  const lines = createProgress(100, { isTTY: false, write });
  for (let i = 0; i < 20; i++) lines.advance(5);
  expect(shown).toEqual(Array.from({ length: 10 }, (_, i) => `  ${(i + 1) * 10} %\n`));
  shown.length = 0;
  const bar = createProgress(100, { isTTY: true, write });
  bar.advance(50);
  bar.advance(50);
  expect(shown.join('')).toContain('50 %');
  expect(shown.at(-2)).toContain(`${'█'.repeat(32)} 100 %`);
});

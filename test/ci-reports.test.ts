import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readReport } from '../scripts/ci/reports.ts';

const folder = mkdtempSync(join(tmpdir(), 'croupier-reports-'));
afterAll(() => rmSync(folder, { recursive: true }));

function written(report: object): string {
  const file = join(folder, 'report.json');
  writeFileSync(file, JSON.stringify(report));
  return file;
}

const vitestReport = (numPassedTests: number, numFailedTests: number, file: object): string =>
  written({
    numPassedTests,
    numFailedTests,
    testResults: [{ name: resolve('test/points.test.ts'), message: '', startTime: 5, endTime: 35, ...file }],
  });

const FAILURE = { duration: 20, errors: [{ message: '\u001b[31mno heading\u001b[39m' }] };
const SUCCESS = { duration: 10, errors: [] };

const spec = (title: string, status: string, ...results: object[]) => ({
  title,
  file: 'test/browser/lobby/games.spec.ts',
  tests: [{ status, results }],
});

test('counts browser tests and lists failures and tests that passed only when repeated', () => {
  const suites = [
    {
      specs: [spec('plays dice', 'expected', SUCCESS)],
      suites: [
        {
          specs: [spec('plays keno', 'flaky', FAILURE, SUCCESS), spec('plays limbo', 'unexpected', FAILURE)],
        },
      ],
    },
  ];
  const stats = { expected: 1, flaky: 1, unexpected: 1 };
  const report = readReport('playwright', written({ stats, suites, errors: [] }));
  expect(report).toEqual({
    passed: 2,
    failed: 1,
    failures: ['-- plays limbo (test/browser/lobby/games.spec.ts)\nno heading'],
    retried: ['-- plays keno (test/browser/lobby/games.spec.ts)\nno heading'],
    files: [{ ms: 60, name: 'test/browser/lobby/games.spec.ts' }],
  });
});

test('lists a browser test that failed without a message', () => {
  const suites = [{ specs: [spec('plays limbo', 'unexpected', SUCCESS)] }];
  const stats = { expected: 0, flaky: 0, unexpected: 1 };
  const { failed, failures } = readReport('playwright', written({ stats, suites, errors: [] }));
  expect({ failed, failures }).toEqual({
    failed: 1,
    failures: ['-- plays limbo (test/browser/lobby/games.spec.ts)\n'],
  });
});

test('lists no browser test that failed as expected', () => {
  const suites = [{ specs: [spec('plays limbo', 'expected', FAILURE)] }];
  const stats = { expected: 1, flaky: 0, unexpected: 0 };
  const { passed, failures, retried } = readReport('playwright', written({ stats, suites, errors: [] }));
  expect({ passed, failures, retried }).toEqual({ passed: 1, failures: [], retried: [] });
});

test('counts an error outside a browser test as a failure', () => {
  const stats = { expected: 1, flaky: 0, unexpected: 0 };
  const errors = [{ message: 'croupier reconcile: 1 problem' }];
  const { passed, failed, failures } = readReport('playwright', written({ stats, suites: [], errors }));
  expect({ passed, failed, failures }).toEqual({
    passed: 1,
    failed: 1,
    failures: ['-- outside a test\ncroupier reconcile: 1 problem'],
  });
});

test('counts a vitest file that cannot be loaded as a failure', () => {
  const file = { status: 'failed', message: "Cannot find package 'points'", assertionResults: [] };
  expect(readReport('vitest', vitestReport(0, 0, file))).toEqual({
    passed: 0,
    failed: 1,
    failures: [`-- ${resolve('test/points.test.ts')}\nCannot find package 'points'`],
    retried: [],
    files: [{ ms: 30, name: 'test/points.test.ts' }],
  });
});

test('lists a vitest test that passed only when repeated', () => {
  const assertionResults = [
    { status: 'passed', fullName: 'adds points', failureMessages: ['Error: no points'] },
    { status: 'passed', fullName: 'removes points', failureMessages: [] },
  ];
  const report = readReport('vitest', vitestReport(2, 0, { status: 'passed', assertionResults }));
  expect(report).toMatchObject({
    passed: 2,
    failed: 0,
    failures: [],
    retried: [`-- adds points (${resolve('test/points.test.ts')})\nError: no points`],
  });
});

test('lists a failed vitest test once, also without a message', () => {
  const assertionResults = [
    { status: 'failed', fullName: 'adds points', failureMessages: ['Error: no points'] },
    { status: 'failed', fullName: 'removes points', failureMessages: [] },
  ];
  const report = readReport('vitest', vitestReport(0, 2, { status: 'failed', assertionResults }));
  const path = resolve('test/points.test.ts');
  expect(report).toMatchObject({
    passed: 0,
    failed: 2,
    failures: [`-- adds points (${path})\nError: no points`, `-- removes points (${path})\n`],
    retried: [],
  });
});

test('returns an empty report when the runner has written none', () => {
  expect(readReport('vitest', join(folder, 'absent.json'))).toMatchObject({ passed: 0, failed: 0 });
});

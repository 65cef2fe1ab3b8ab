import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readReport } from '../scripts/ci/reports.ts';

const folder = mkdtempSync(join(tmpdir(), 'croupier-reports-'));
afterAll(() => rmSync(folder, { recursive: true }));

function written(report: object): string {
  const file = join(folder, 'report.json');
  writeFileSync(file, JSON.stringify(report));
  return file;
}

const FAILURE = { duration: 20, errors: [{ message: '\u001b[31mno heading\u001b[39m' }] };
const SUCCESS = { duration: 10, errors: [] };

const spec = (title: string, status: string, ...results: object[]) => ({
  title,
  file: 'test/browser/lobby/games.spec.ts',
  tests: [{ status, results }],
});

test('counts browser tests and lists those that failed or passed only when repeated', () => {
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

test('returns an empty report when the runner has written none', () => {
  expect(readReport('vitest', join(folder, 'absent.json'))).toMatchObject({ passed: 0, failed: 0 });
});

/** Reads the JSON reports of vitest and Playwright. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { JSONReport, JSONReportSpec, JSONReportSuite } from '@playwright/test/reporter';
import type { JsonTestResults } from 'vitest/node';

export type Runner = 'vitest' | 'playwright';

export type Report = {
  passed: number;
  failed: number;
  /** Failed tests and errors outside tests, each with its messages. */
  failures: string[];
  /** Tests that passed only when they were repeated, each with the errors of its first attempt. */
  retried: string[];
  files: { ms: number; name: string }[];
};

const MAX_CHARACTERS = 1500;

/** Returns the shell syntax that makes a command of the runner write its JSON report to a file. */
export const reporting = (runner: Runner, command: string, file: string): string =>
  runner === 'vitest'
    ? `${command} --reporter=default --reporter=json --outputFile.json='${file}'`
    : `PLAYWRIGHT_JSON_OUTPUT_FILE='${file}' ${command} --reporter=list,json`;

/** Reads a report. If the runner wrote none, the report is empty. */
export function readReport(runner: Runner, file: string): Report {
  let report: unknown;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 0, failures: [], retried: [], files: [] };
  }
  return runner === 'vitest' ? fromVitest(report as JsonTestResults) : fromPlaywright(report as JSONReport);
}

/** A file that could not be loaded counts as one failure. */
function fromVitest({ numPassedTests, numFailedTests, testResults }: JsonTestResults): Report {
  const broken = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const failures = broken.map((file) => `-- ${file.name}\n${file.message}`);
  const retried: string[] = [];
  for (const file of testResults)
    for (const { status, fullName, failureMessages } of file.assertionResults) {
      const messages = failureMessages ?? [];
      const text = problem(`${fullName} (${file.name})`, messages);
      if (status === 'failed') failures.push(text);
      // A test that passed on the first run has no messages.
      if (status === 'passed' && messages.length > 0) retried.push(text);
    }
  return {
    passed: numPassedTests,
    failed: numFailedTests + broken.length,
    failures,
    retried,
    files: testResults.map((file) => ({ ms: file.endTime - file.startTime, name: relative('.', file.name) })),
  };
}

/** An error outside a test means that a file could not be loaded, or that the books of a platform do not balance. */
function fromPlaywright({ stats, errors, suites }: JSONReport): Report {
  const failures = errors.map(({ message = '' }) => problem('outside a test', [message]));
  const retried: string[] = [];
  const durations = new Map<string, number>();
  for (const { file, title, tests } of specsOf(suites))
    for (const { status, results } of tests) {
      const ms = results.reduce((sum, { duration }) => sum + duration, 0);
      durations.set(file, (durations.get(file) ?? 0) + ms);
      const messages = results.flatMap((result) => result.errors.map(({ message = '' }) => message));
      const text = problem(`${title} (${file})`, messages);
      if (status === 'unexpected') failures.push(text);
      if (status === 'flaky') retried.push(text);
    }
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + errors.length,
    failures,
    retried,
    files: [...durations].map(([name, ms]) => ({ ms, name })),
  };
}

const specsOf = (suites: readonly JSONReportSuite[]): JSONReportSpec[] =>
  suites.flatMap((suite) => [...suite.specs, ...specsOf(suite.suites ?? [])]);

const problem = (title: string, messages: readonly string[]): string =>
  `-- ${title}\n${stripVTControlCharacters(messages.join('\n')).slice(0, MAX_CHARACTERS)}`;

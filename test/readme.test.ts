import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, differences, jsonIn, missingLines } from '../scripts/readme/blocks.ts';

const ROOT = resolve(import.meta.dirname, '..');
const read = (page: string) => readFileSync(resolve(ROOT, page), 'utf8');
const { scripts } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as { scripts: object };

test('lists exactly the scripts of package.json in the table of commands', () => {
  const [, table = ''] =
    /## Scripts for developers\n([\s\S]*?)\n## /.exec(read('docs/reference/commands.md')) ?? [];
  const rows = [...table.matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell]) => cell!);
  const told = rows.flatMap((cell) =>
    [...cell.matchAll(/`npm (?:run )?([\w:-]+)`/g)].map(([, name]) => name!),
  );
  expect(new Set(told)).toEqual(new Set(Object.keys(scripts)));
  expect(new Set(told).size).toBe(told.length);
});

test('uses the pronoun they for readers, players and staff', () => {
  const files = globSync(['*.md', 'docs/**/*.{md,json}', 'src/app/introductions/*.md', 'client/*.md'], {
    cwd: ROOT,
  });
  expect(files.length).toBeGreaterThan(10);
  for (const file of files)
    expect([file, read(file).match(/.{0,40}\b(he|his|him|himself)\b.{0,40}/i)?.[0]]).toEqual([
      file,
      undefined,
    ]);
});

test('runs most code blocks, gives a reason for each exception and writes no files', () => {
  const blocks = globSync(['README.md', 'docs/{tutorial,how-to}/*.md'], { cwd: ROOT }).flatMap((page) =>
    blocksOf(read(page)).map((block) => ({ ...block, page })),
  );
  const run = blocks.filter(({ notRun }) => notRun === undefined);
  expect(run.length).toBeGreaterThan(40);
  for (const { page, line, commands } of run)
    expect([page, line, commands]).toEqual([
      page,
      line,
      expect.not.stringMatching(/(^|[^2&=])> ?[\w./]|\btee\b/m),
    ]);
});

test('compares shown output with the commands above it, up to the next heading', () => {
  const page = [
    '```sh\none\n```\n\nsays\n\n```json\n{"a":1}\n```',
    '<!-- not run: it takes long -->\n```sh\ntwo\n```\n\n## Other\n\n```\ntext\n```',
    '<!-- may be refused: GONE, by chance -->\n```sh\nthree\n```\n\n```\n[ true, 1.5 ]\n```',
  ].join('\n\n');
  expect(blocksOf(page)).toMatchObject([
    { line: 1, commands: 'one', json: [{ a: 1 }], text: undefined, notRun: undefined },
    { commands: 'two', json: undefined, text: undefined, notRun: 'it takes long' },
    { commands: 'three', json: undefined, text: ['[ true, 1.5 ]'], mayBeRefused: 'GONE' },
  ]);
});

test('reports output whose format differs from the README, but ignores different values', () => {
  const shown = { id: '1', when: null, rows: [{ n: 1 }] };
  expect(differences(shown, { id: '2', when: null, rows: [{ n: 7 }, { n: 8 }] })).toEqual([]);
  expect(differences(shown, { id: 2, when: null, rows: [{ n: 7 }] })).toEqual([
    '.id is shown as string but is number',
  ]);
  expect(differences(shown, { id: '2', when: 'now', rows: [] })).toHaveLength(2);
  expect(differences(shown, { id: '2', rows: [{ n: 7, m: 7 }], more: 1 })).toHaveLength(3);
  const refusal = { statusCode: 403, code: 'A', message: '', requestId: '' };
  expect(differences(refusal, { ...refusal, message: 'b', requestId: 'c' })).toEqual([]);
  expect(differences(refusal, { ...refusal, code: 'B' })).toEqual(['A is shown, but B was returned']);
});

test('finds JSON in program output, and compares lines except for ports, durations and decimals', () => {
  expect(jsonIn('> npm\n{"a":"}{"}[{"b":"\\"]"}]\nnot {json}\n')).toEqual([{ a: '}{' }, [{ b: '"]' }]]);
  expect(
    missingLines(
      ['at http://127.0.0.1:3000', '[ true, 1.5 ]', '3 rows, 12 ms'],
      'at http://127.0.0.1:4100\n[ true, 99 ]\n 3 rows, 7 ms \n',
    ),
  ).toEqual([]);
  expect(missingLines(['3 rows, 12 ms'], '4 rows, 12 ms')).toEqual(['3 rows, 12 ms']);
  expect(missingLines(['[ true, 1.5 ]'], '[ false, 1.5 ]')).toEqual(['[ true, 1.5 ]']);
  expect(missingLines(['one', 'two'], 'two\none')).toEqual(['two']);
});

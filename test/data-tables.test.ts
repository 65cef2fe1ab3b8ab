import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { allJobs } from '../src/app/worker.ts';
import { LISTS } from '../src/modules/operations/partitions/rules.ts';
import { settings } from '../src/platform/config/sections.ts';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';

const app = fixture(startApp);
const page = readFileSync(new URL('../docs/reference/data.md', import.meta.url), 'utf8');

const sectionOf = (title: string) => {
  const [, text] = new RegExp(`^## ${title}\\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(page)!;
  return [...text!.matchAll(/^\| (?!Table|---)(.*) \|$/gm)].map(([, row]) => row!.split(' | '));
};
const namesIn = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
const SECTIONS = [
  'Deleted by a job',
  'Detached by months',
  'Deleted when they are used up',
  'Bounded',
  'One row for each player',
  'Sums',
  'Kept',
] as const;

test('lists every table of the schema once', async () => {
  const { rows } = await sql<{ name: string }>`
    select relname::text as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`.execute(
    app.db,
  );
  const named = SECTIONS.flatMap((title) => sectionOf(title).flatMap(([cell]) => namesIn(cell!)));
  expect(named.filter((name, i) => named.indexOf(name) !== i)).toEqual([]);
  expect(new Set(named)).toEqual(new Set(rows.map(({ name }) => name)));
});

test('lists the job that deletes rows for each table that has one, and no job for other tables', () => {
  const jobs = allJobs(app.services);
  const declared = jobs.flatMap(({ name, overdue = [] }) => overdue.map(({ table }) => `${table} ${name}`));
  const written = sectionOf('Deleted by a job').map(
    ([table, job]) => `${namesIn(table!)[0]} ${/`([\w.-]+)`/.exec(job!)![1]}`,
  );
  expect(new Set(written)).toEqual(new Set(declared.filter((line) => !line.startsWith('graphile_worker.'))));
  for (const { name, everyMs, overdue } of jobs)
    if (overdue) expect([name, everyMs]).toEqual([name, expect.toSatisfy((ms) => ms <= 3_600_000)]);
});

test('lists every partitioned table with its settings', () => {
  const rows = sectionOf('Detached by months');
  expect(new Set(rows.flatMap(([cell]) => namesIn(cell!)))).toEqual(new Set(LISTS));
  const months = rows.flatMap(([, cell]) => namesIn(cell!));
  for (const name of months) expect(Object.keys(settings)).toContain(name);
});

test('states a size limit or a reason for every table from which no rows are deleted', () => {
  const kept = sectionOf('Kept');
  expect(kept.length).toBeGreaterThan(10);
  for (const [tables, grows, why] of kept) {
    expect([tables, grows!.length > 5]).toEqual([tables, true]);
    expect([tables, why!.length > 60]).toEqual([tables, true]);
  }
  for (const title of ['Deleted when they are used up', 'Bounded', 'One row for each player', 'Sums'])
    for (const [tables, bound] of sectionOf(title))
      expect([tables, bound!.length >= 3]).toEqual([tables, true]);
});

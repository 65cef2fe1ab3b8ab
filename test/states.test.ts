import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SYSTEM_ACCOUNTS, USER_ACCOUNTS } from '../src/modules/money/ledger/rules.ts';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';

const app = fixture(startApp);
const page = await readFile(new URL('../docs/reference/states.md', import.meta.url), 'utf8');
/** Returns the rows of a Markdown table as a map from state to cells. */
const rows = new Map(
  page.split('\n').flatMap((line): [string, string[]][] => {
    const cells = line.split('|').map((cell) => cell.trim());
    const names = [...(cells[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    return cells.length === 7 ? names.map((name) => [name, cells.slice(2, 6)]) : [];
  }),
);

/** Tables whose status does not describe the location of money. */
const WITHOUT_MONEY: Readonly<Record<string, string>> = {
  kyc_tiers: 'documents',
  promos: 'terms of a promotion; its grants hold the money',
};

test('lists every state of every table with a status', async () => {
  const { rows: checks } = await sql<{ table: string; check: string }>`
    select c.relname as table, pg_get_constraintdef(k.oid) as check from pg_constraint k join pg_class c on c.oid = k.conrelid
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'status'
    where k.contype = 'c' and k.conkey = array[a.attnum] and not c.relispartition`.execute(app.db);
  const states = checks.flatMap(({ table, check }) =>
    [...check.matchAll(/'([A-Z_]+)'/g)].map(([, state]) => ({ table, name: `${table}.${state}` })),
  );
  expect(states.length).toBeGreaterThan(50);
  const missing = states.filter(({ table, name }) => !(table in WITHOUT_MONEY) && !rows.has(name));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test('lists every ledger account', () => {
  const accounts = [...Object.keys(USER_ACCOUNTS), ...Object.keys(SYSTEM_ACCOUNTS)];
  expect(accounts.filter((account) => !rows.has(`account ${account}`))).toEqual([]);
});

test('documents a reason, an end, a list and a test for every state, and refers only to existing operations and files', async () => {
  const paths = new Set<string>();
  for (const name of ['main', 'backoffice']) {
    const text = await readFile(new URL(`../docs/openapi/${name}.json`, import.meta.url), 'utf8');
    for (const [path, operations] of Object.entries<object>(JSON.parse(text).paths))
      for (const method of Object.keys(operations)) paths.add(`${method.toUpperCase()} ${path}`);
  }
  for (const [state, cells] of rows) {
    expect(
      cells.every((cell) => cell.length > 0),
      state,
    ).toBe(true);
    for (const [, operation] of cells.join(' ').matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`/g))
      expect(paths, state).toContain(operation);
    for (const [, file] of cells[3]!.matchAll(/`([^`]+\.test\.ts)`/g))
      await readFile(new URL(`../src/modules/${file}`, import.meta.url));
  }
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { neededBy, numberOf } from '../src/platform/database/schema/ahead.ts';
import { BASELINE } from '../src/platform/database/schema/baseline.ts';
import { actionsOf, statementsOf, wordsOf } from './sql-words.ts';

/** Large tables that grow with every bet. While a migration holds a lock, it must not read or rewrite a whole table that is listed here. */
const LARGE: ReadonlySet<string> = new Set(
  `account_hours admin_audit bet_corrections bet_rewards bets bonus_bets challenge_candidates chat_messages deposits events game_hours idempotency_keys
  leaderboard_bets leaderboard_scores ledger_entries ledger_lines money_hours notifications payment_credits play_hours players promo_grants
  provider_rounds provider_transactions rakeback_periods referral_days referrals rounds seed_pairs sessions used_refresh_tokens
  user_game_stats user_stats users wallets webhook_events withdrawals`.split(/\s+/),
);

/**
 * A problem with a change: the name that a marker must contain to allow the change, the reason why it is a problem, and the alternative.
 */
type Finding = { object: string; why: string; instead: string };
type Marker = { object: string; since?: number; reason: string };
/**
 * Objects that the same file creates: before the current statement (`made`), in any statement (`remade`), and functions that raise
 * exceptions (`refusing`). No other process uses objects that the file has just made.
 */
type Own = { made: Set<string>; remade: Set<string>; refusing: Set<string> };

/** Returns one line for each statement in a folder's migrations that would break processes of the previous version. */
export function unbearableMigrations(folder = 'migrations'): string[] {
  return sqlIn(readdirSync(folder)).flatMap((name) =>
    problemsOf(name, readFileSync(join(folder, name), 'utf8')),
  );
}

/** Returns the four digits with which the next migration begins. */
export const nextNumber = (files: readonly string[]): string =>
  String(numberOf(BASELINE) + sqlIn(files).length + 1).padStart(4, '0');

const sqlIn = (files: readonly string[]): string[] => files.filter((name) => name.endsWith('.sql')).sort();

/**
 * Returns problems with the names of the files in the folder. It must contain 0083-name.sql, 0084-name.sql and so on, without a gap, and
 * no other files except the README.
 */
export function misnumbered(files: readonly string[]): string[] {
  const wrong = files.filter((name) => name !== 'README.md' && !/^\d{4}-[a-z0-9-]+\.sql$/.test(name));
  const numbered = sqlIn(files).filter((name) => !wrong.includes(name));
  return [
    ...wrong.map((name) => `migrations/${name} is not called 0000-name.sql and would not run`),
    ...numbered
      .filter((name, i) => name.slice(0, 4) !== nextNumber(numbered.slice(0, i)))
      .slice(0, 1)
      .map((name) => `migrations/${name} is out of order: an earlier number is missing or duplicated`),
  ];
}

/** Returns the problems in one file. */
export function problemsOf(file: string, text: string): string[] {
  const { markers, broken } = markersOf(text);
  const used = new Set<Marker>();
  const problems = findingsOf(text).flatMap(({ object, why, instead }) => {
    const marker = markers.find((each) => each.object === object);
    if (!marker) return [`${object}: ${why}; ${instead}`];
    used.add(marker);
    return [];
  });
  const idle = markers.filter((marker) => !used.has(marker));
  return [
    ...broken,
    ...problems,
    ...idle.map(({ object }) => `the marker of ${object} allows nothing in this file: remove it`),
    ...namesOf(file, markers),
  ].map((problem) => `migrations/${file} ${problem}`);
}

/**
 * Checks that the file name contains the number of the migration on which it depends. The name is used because running versions do not read
 * the text of newer migrations.
 */
function namesOf(file: string, markers: readonly Marker[]): string[] {
  const own = numberOf(file);
  const since = Math.max(0, ...markers.map((marker) => marker.since ?? 0));
  const four = String(since).padStart(4, '0');
  if (since >= own) return [`contains "since ${four}", which is not an earlier migration`];
  const told = neededBy(file.replace(/\.sql$/, ''));
  if (since === told) return [];
  const bare = file.replace(/(-after-\d{4})?\.sql$/, '');
  const wanted = since === 0 ? `${bare}.sql` : `${bare}-after-${four}.sql`;
  return [`must be named ${wanted}: running versions read from the name whether they are compatible with it`];
}

const CONTRACT = /^--\s*contract\s+([\w.]+):\s*unused since (\d{4})\b[\s,;:(]*(.*)$/i;
const SAFE = /^--\s*safe\s+([\w.]+):\s*(\S.{14,})$/i;

/** Parses markers on separate lines: `-- contract users.nick: unused since 0066` and `-- safe bets_day_idx: why it is`. */
function markersOf(text: string): { markers: Marker[]; broken: string[] } {
  const markers: Marker[] = [];
  const broken: string[] = [];
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (!/^--\s*(contract|safe)\s+[\w.]+:/i.test(line)) continue;
    const contract = CONTRACT.exec(line);
    const safe = SAFE.exec(line);
    if (contract)
      markers.push({ object: contract[1]!.toLowerCase(), since: Number(contract[2]), reason: contract[3]! });
    else if (safe) markers.push({ object: safe[1]!.toLowerCase(), reason: safe[2]! });
    else
      broken.push(
        `has an incomplete marker: "${line}". Write "-- contract OBJECT: unused since NNNN" or "-- safe OBJECT: the reason in a few words"`,
      );
  }
  return { markers, broken };
}

function findingsOf(text: string): Finding[] {
  const statements = statementsOf(text);
  const own: Own = {
    made: new Set(),
    remade: new Set(statements.flatMap((each) => nameMade(wordsOf(each)) ?? [])),
    refusing: new Set(statements.filter((each) => /\braise\s+exception\b/i.test(each)).flatMap(functionMade)),
  };
  return statements.flatMap((statement) => {
    const found = changesIn(statement).flatMap((change) => findingOf(change, own) ?? []);
    const name = nameMade(wordsOf(statement));
    if (name !== undefined) own.made.add(name);
    return found;
  });
}

const KINDS =
  'table|view|materialized view|function|procedure|trigger|index|type|sequence|domain|policy|rule|schema';
const MADE = new RegExp(
  `^create (?:or replace )?(?:unlogged |temporary |temp |constraint |unique )*(?:${KINDS}) (?:concurrently )?(?:if not exists )?([\\w.]+)`,
);

/** Returns the name of the object that a statement creates. */
const nameMade = (words: string): string | undefined => MADE.exec(words)?.[1];

const functionMade = (statement: string): string[] =>
  /^create (?:or replace )?function ([\w.]+)/.exec(wordsOf(statement))?.slice(1, 2) ?? [];

/** Splits a statement into the changes that the rules judge: each action of an `alter table`, and each object that is dropped. */
function changesIn(statement: string): string[] {
  const words = wordsOf(statement);
  const table = /^alter table (?:if exists )?(?:only )?([\w.]+)/.exec(words)?.[1];
  if (table) return actionsOf(statement).map((action) => `alter table ${table} ${wordsOf(action)}`);
  const [, kind, list] =
    new RegExp(`^drop (${KINDS}) (?:concurrently )?(?:if exists )?(.+)$`).exec(words) ?? [];
  if (!list) return [words];
  const names = list.replace(/\(.*?\)/g, '').replace(/ on [\w.]+$| (cascade|restrict)$/g, '');
  return names.split(',').map((name) => `drop ${kind} ${name.trim()}`);
}

/** Returns the problem that a change causes for processes of the previous version or for statements that wait for its locks. */
function findingOf(change: string, own: Own): Finding | undefined {
  for (const [pattern, why, instead, applies = () => true] of RULES) {
    const names = pattern.exec(change)?.groups;
    if (!names) continue;
    const { table, name, part } = names;
    const object = part ? `${table}.${part}` : (name ?? table!);
    if (own.made.has(table ?? object) || !applies(names, own)) continue;
    const texts: Names = { ...names, object };
    const filled = (text: string) => text.replace(/\$(\w+)/g, (_, key: string) => texts[key] ?? '');
    return { object, why: filled(why), instead: filled(instead) };
  }
  return undefined;
}

type Names = Readonly<Record<string, string | undefined>>;
/**
 * A change that is a problem. The groups of its pattern are the affected `table` and its `part` (a column or constraint), or the `name` of
 * another object. The texts may contain `$object` and the groups.
 */
type Rule = [pattern: RegExp, why: string, instead: string, applies?: (names: Names, own: Own) => boolean];

const TABLE = '(?<table>[\\w.]+)';
const INDEX = `(?:(?<name>[\\w.]+) )?on (?:only )?${TABLE}`;
const statement = (text: string) => new RegExp(`^${text}`);
const action = (text: string) => new RegExp(`^alter table ${TABLE} ${text}`);
const addedColumn = (text: string) =>
  action(
    `add (?:column )?(?:if not exists )?(?!(?:constraint|check|unique|primary|foreign|exclude)\\b)(?<part>\\w+) ${text}`,
  );
const addedConstraint = (text: string) => action(`add (?:constraint (?<part>\\w+) )?${text}`);
const column = (text: string) => action(`alter (?:column )?(?!column\\b)(?<part>\\w+) ${text}`);
const isLarge = ({ table }: Names) => LARGE.has(table!);

const TWO_STEPS =
  'do it in two steps: first release a version that does not use it, then do this in a later migration with "-- contract $object: unused since NNNN"';
const NEW_COLUMN = 'write both, read the new one, drop this one in a later migration';
const EXISTING_INDEX =
  'write "create index if not exists", and describe in the release notes how to create it before the upgrade';

/** The first rule that applies to a change decides. */
const RULES: readonly Rule[] = [
  [
    statement(`drop (?<kind>${KINDS}) (?<name>.+)`),
    'a process of the previous version may still use this $kind',
    TWO_STEPS,
    ({ name }, { remade }) => !remade.has(name!),
  ],
  [
    statement(`create (?:unique )?index concurrently (?:if not exists )?${INDEX}`),
    'migrations run in a transaction, in which an index cannot be created concurrently',
    EXISTING_INDEX,
  ],
  [
    statement(`create (?:unique )?index (?!concurrently |if not exists )${INDEX}`),
    'creating it blocks writes to the large table $table',
    `${EXISTING_INDEX} ("create index concurrently"), or write "-- safe $object: why it can be created here"`,
    isLarge,
  ],
  [
    statement(`create unique index (?:if not exists )?${INDEX}`),
    'it may reject writes of the previous version to $table',
    `${TWO_STEPS}, where unused means that nothing writes rows that it rejects`,
  ],
  [
    statement(
      `create (?:constraint )?trigger (?<name>[\\w.]+) .*? on ${TABLE} .*execute (?:function|procedure) (?<called>[\\w.]+)`,
    ),
    'its function raises an exception, so it may reject writes of the previous version to $table',
    `write "-- safe $object: why that version never writes such rows", or ${TWO_STEPS}`,
    ({ called }, { refusing }) => refusing.has(called!),
  ],
  [
    statement(`(?:with .*)?\\b(?<verb>update|delete from|truncate(?: table)?) (?:only )?${TABLE}`),
    'its rows stay locked until the end of the migration, and $table is large',
    'fill it in batches with a job after the upgrade, or write "-- safe $object: why only few rows are affected"',
    (names) => isLarge(names) || names.verb!.startsWith('truncate'),
  ],
  [
    statement(`lock (?:table )?${TABLE}`),
    'all statements on it wait while the migration runs',
    'remove the lock, or write "-- safe $object: why no statement waits for long"',
  ],
  [
    statement(`(?:vacuum full|cluster|reindex(?: table| index)?|refresh materialized view) ${TABLE}`),
    'it is rewritten under a lock that blocks all statements on it',
    'run it concurrently outside the migrations',
  ],
  [
    statement(
      'alter (?:view|function|procedure|sequence|index|type|trigger|materialized view) (?:if exists )?(?<name>[\\w.]+).* (?:rename|set schema)\\b',
    ),
    'the previous version uses its old name',
    'create a new one in addition, and drop this one in a later migration',
  ],
  [
    statement(`revoke .* on (?:table )?${TABLE}`),
    'the previous version may still need that privilege',
    TWO_STEPS,
  ],
  [
    statement('(?<name>do)\\b'),
    'this check cannot analyse the statements of a block',
    'write separate statements, or write "-- safe do: what it does, and why it is compatible with the previous version"',
  ],
  [
    addedColumn('(?!.*\\b(?:default|generated)\\b).*\\bnot null\\b'),
    'the previous version inserts rows without it, which would be rejected: not null without a default',
    'give it a default, or allow null first and set not null in a later migration',
  ],
  [
    addedColumn(
      '.*(?:\\b(?:small|big)?serial\\d?\\b|\\bgenerated\\b|\\bdefault [^,]*\\b(?:random|clock_timestamp|gen_random_uuid|nextval|uuidv?\\d?)\\b)',
    ),
    'the table is rewritten under a lock that blocks all statements on it, because each row gets its own value',
    'add it without values, fill it with a job, and set the default separately',
  ],
  [
    addedColumn('.*\\b(?:unique|primary key)\\b'),
    'an index is created while all statements on the table wait',
    'add only the column, then create the index as for a large table',
  ],
  [
    addedColumn('.*\\b(?:check|references)\\b'),
    'all rows of $table, which is large, are read while all statements on it wait',
    'add only the column, then its check or reference as a constraint "not valid"',
    isLarge,
  ],
  [
    addedConstraint('(?:check|foreign key)\\b(?!.*\\bnot valid\\b)'),
    'all rows are read while all statements on the table wait, and writes of the previous version may be rejected',
    `write "not valid", validate it in a later migration, and write "-- safe $object: why every version meets it", or ${TWO_STEPS}`,
  ],
  [
    addedConstraint(
      '(?<kind>check|foreign key|unique|primary key|exclude|not null)\\b(?!.*\\busing index\\b)',
    ),
    'writes of the previous version may be rejected by a new $kind',
    `write "-- safe $object: why every version meets it", or ${TWO_STEPS}`,
  ],
  [
    column('(?:set data )?type\\b'),
    'another type rewrites the table and changes the values that the previous version reads',
    `add a column of that type, ${NEW_COLUMN}`,
  ],
  [
    column('set not null\\b'),
    'the previous version may write null, and all rows are read while all statements on the table wait',
    'first release a version that always writes it, then add "-- contract $object: unused since NNNN", where unused means that nothing writes null',
  ],
  [column('drop default\\b'), 'the previous version inserts rows without it', TWO_STEPS],
  [
    column('drop not null\\b'),
    'the previous version may read null, which it does not expect',
    'write "-- safe $object: why it can handle null", or write null only in a later version, with "-- contract $object: unused since NNNN"',
  ],
  [
    column('(?:add generated|drop identity|drop expression)\\b'),
    'the previous version still inserts rows in the old way',
    TWO_STEPS,
  ],
  [
    action('drop constraint (?:if exists )?(?<part>\\w+)'),
    '"on conflict" in the previous version may need it',
    TWO_STEPS,
    // Dropping a check constraint breaks no statement, because no `on conflict` clause can refer to it.
    ({ part }, { remade }) => !part!.endsWith('_check') && !remade.has(part!),
  ],
  [
    action('drop (?!constraint\\b)(?:column )?(?:if exists )?(?<part>\\w+)'),
    'the previous version may still read or write it',
    TWO_STEPS,
  ],
  [
    action('rename (?:column )?(?!to\\b|constraint\\b)(?<part>\\w+) to\\b'),
    'the previous version may still read or write it',
    `add a column of the new name, ${NEW_COLUMN}`,
  ],
  [
    action('(?:rename to|set schema)\\b'),
    'the previous version uses its old name',
    'create a new table, or in this migration a view with the old name and "-- safe"',
  ],
  [
    action(
      '(?:detach partition|disable trigger|disable rule|set (?:un)?logged|set tablespace|set access method)',
    ),
    'rows or rules disappear for the previous version, or the table is rewritten while all statements on it wait',
    'write "-- safe $object: why the previous version is compatible with it"',
  ],
];

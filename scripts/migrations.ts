import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { neededBy, numberOf } from '../src/platform/database/schema/ahead.ts';
import { BASELINE } from '../src/platform/database/schema/baseline.ts';
import { actionsOf, isWord, statementsOf, wordsOf } from './sql-words.ts';

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
/** Objects that the same file created before the current statement. No other process uses them yet. */
type Own = { made: Set<string>; remade: Set<string>; refusing: Set<string> };

const TWO_STEPS =
  'do it in two steps: first release a version that does not use it, then do this in a later migration with';

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
    const found = judge(statement, own);
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

/** Returns the problems that a statement causes for processes of the previous version or for statements that wait for its locks. */
function judge(statement: string, own: Own): Finding[] {
  const words = wordsOf(statement);
  const table = /^alter table (?:if exists )?(?:only )?([\w.]+)/.exec(words)?.[1];
  if (table !== undefined)
    return own.made.has(table)
      ? []
      : actionsOf(statement).flatMap((action) => judgeAction(action, table, own));
  const found =
    judgeDrop(words, own) ?? judgeIndex(words, own) ?? judgeTrigger(words, own) ?? judgeRows(words, own);
  return found ?? judgeOther(words, own);
}

function judgeDrop(words: string, own: Own): Finding[] | undefined {
  const dropped = new RegExp(`^drop (${KINDS}) (?:concurrently )?(?:if exists )?(.+)$`).exec(words);
  if (!dropped) return undefined;
  const names = dropped[2]!.replace(/\(.*?\)/g, '').replace(/ on [\w.]+$| (cascade|restrict)$/g, '');
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => !own.made.has(name) && !own.remade.has(name))
    .map((object) => ({
      object,
      why: `a process of the previous version may still use this ${dropped[1]}`,
      instead: `${TWO_STEPS} "-- contract ${object}: unused since NNNN"`,
    }));
}

function judgeIndex(words: string, own: Own): Finding[] | undefined {
  const made =
    /^create (unique )?index (concurrently )?(if not exists )?(?:([\w.]+) )?on (?:only )?([\w.]+)/.exec(
      words,
    );
  if (!made) return undefined;
  const [, unique, concurrently, isThere, name, table] = made;
  const object = name ?? `${table}_idx`;
  if (own.made.has(table!)) return [];
  const found: Finding[] = [];
  if (concurrently)
    found.push({
      object,
      why: 'migrations run in a transaction, in which an index cannot be created concurrently',
      instead:
        'write "create index if not exists", and describe in the release notes how to create it before the upgrade',
    });
  else if (LARGE.has(table!) && !isThere)
    found.push({
      object,
      why: `creating it blocks writes to the large table ${table}`,
      instead: `write "create index if not exists", and describe in the release notes how to create it before the upgrade ("create index concurrently"), or write "-- safe ${object}: why it can be created here"`,
    });
  if (unique)
    found.push({
      object,
      why: `it may reject writes of the previous version to ${table}`,
      instead: `${TWO_STEPS} "-- contract ${object}: unused since NNNN", where unused means that nothing writes rows that it rejects`,
    });
  return found.slice(0, 1);
}

function judgeTrigger(words: string, own: Own): Finding[] | undefined {
  const made = /^create (?:constraint )?trigger ([\w.]+) .*? on ([\w.]+)/.exec(words);
  if (!made) return undefined;
  const called = /execute (?:function|procedure) ([\w.]+)/.exec(words)?.[1] ?? '';
  if (own.made.has(made[2]!) || !own.refusing.has(called)) return [];
  return [
    {
      object: made[1]!,
      why: `its function raises an exception, so it may reject writes of the previous version to ${made[2]}`,
      instead: `write "-- safe ${made[1]}: why that version never writes such rows", or ${TWO_STEPS} "-- contract ${made[1]}: unused since NNNN"`,
    },
  ];
}

function judgeRows(words: string, own: Own): Finding[] | undefined {
  const changed = /^(?:with .*)?\b(update|delete from|truncate(?: table)?) (?:only )?([\w.]+)/.exec(words);
  if (!changed || !/^(with|update|delete|truncate)/.test(words)) return undefined;
  const [, verb, table] = changed;
  if (own.made.has(table!) || (!LARGE.has(table!) && !verb!.startsWith('truncate'))) return [];
  return [
    {
      object: table!,
      why: `its rows stay locked until the end of the migration, and ${table} is large`,
      instead: `fill it in batches with a job after the upgrade, or write "-- safe ${table}: why only few rows are affected"`,
    },
  ];
}

const OTHERS: readonly [RegExp, string, string][] = [
  [
    /^lock (?:table )?([\w.]+)/,
    'all statements on it wait while the migration runs',
    'remove the lock, or write "-- safe NAME: why no statement waits for long"',
  ],
  [
    /^(?:vacuum full|cluster|reindex(?: table| index)?|refresh materialized view) ([\w.]+)/,
    'it is rewritten under a lock that blocks all statements on it',
    'run it concurrently outside the migrations',
  ],
  [
    /^alter (?:view|function|procedure|sequence|index|type|trigger|materialized view) (?:if exists )?([\w.]+).* (?:rename|set schema)\b/,
    'the previous version uses its old name',
    'create a new one in addition, and drop this one in a later migration',
  ],
  [
    /^revoke .* on (?:table )?([\w.]+)/,
    'the previous version may still need that privilege',
    `${TWO_STEPS} "-- contract NAME: unused since NNNN"`,
  ],
];

function judgeOther(words: string, own: Own): Finding[] {
  if (isWord(words, 'do'))
    return [
      {
        object: 'do',
        why: 'this check cannot analyse the statements of a block',
        instead:
          'write separate statements, or write "-- safe do: what it does, and why it is compatible with the previous version"',
      },
    ];
  return OTHERS.flatMap(([pattern, why, instead]) => {
    const object = pattern.exec(words)?.[1];
    if (object === undefined || own.made.has(object)) return [];
    return [{ object, why, instead: instead.replaceAll('NAME', object) }];
  });
}

/** Returns the problems with one `alter table` action. */
function judgeAction(action: string, table: string, own: Own): Finding[] {
  const words = wordsOf(action);
  const added =
    /^add (?:column )?(?:if not exists )?(?!constraint\b|check\b|unique\b|primary\b|foreign\b|exclude\b)(\w+)/.exec(
      words,
    );
  if (added) return judgeColumn(words, table, `${table}.${added[1]}`);
  if (/^add\b/.test(words)) return judgeConstraint(words, table);
  const altered = /^alter (?:column )?(\w+) (.*)$/.exec(words);
  if (altered) return judgeAlteration(altered[2]!, `${table}.${altered[1]}`);
  return judgeRemoval(words, table, own);
}

function judgeColumn(words: string, table: string, object: string): Finding[] {
  const hasDefault = /\bdefault\b/.test(words);
  const found: Finding[] = [];
  if (/\bnot null\b/.test(words) && !hasDefault && !/\bgenerated\b/.test(words))
    found.push({
      object,
      why: 'the previous version inserts rows without it, which would be rejected: not null without a default',
      instead: 'give it a default, or allow null first and set not null in a later migration',
    });
  if (
    /\b(small|big)?serial\d?\b|\bgenerated\b|\bdefault [^,]*\b(random|clock_timestamp|gen_random_uuid|nextval|uuidv?\d?)\b/.test(
      words,
    )
  )
    found.push({
      object,
      why: 'the table is rewritten under a lock that blocks all statements on it, because each row gets its own value',
      instead: 'add it without values, fill it with a job, and set the default separately',
    });
  if (/\b(unique|primary key)\b/.test(words))
    found.push({
      object,
      why: 'an index is created while all statements on the table wait',
      instead: 'add only the column, then create the index as for a large table',
    });
  if (LARGE.has(table) && /\b(check|references)\b/.test(words))
    found.push({
      object,
      why: `all rows of ${table}, which is large, are read while all statements on it wait`,
      instead: 'add only the column, then its check or reference as a constraint "not valid"',
    });
  return found.slice(0, 1);
}

function judgeConstraint(words: string, table: string): Finding[] {
  const name = /^add constraint (\w+)/.exec(words)?.[1];
  const object = name === undefined ? table : `${table}.${name}`;
  const kind = /\b(check|foreign key|unique|primary key|exclude)\b/.exec(words)?.[1];
  if (/\busing index\b/.test(words)) return [];
  const isRead = /\b(check|foreign key)\b/.test(words) && !/\bnot valid\b/.test(words);
  return [
    {
      object,
      why: isRead
        ? 'all rows are read while all statements on the table wait, and writes of the previous version may be rejected'
        : `writes of the previous version may be rejected by a new ${kind ?? 'constraint'}`,
      instead: `${isRead ? 'write "not valid", validate it in a later migration, and ' : ''}write "-- safe ${object}: why every version meets it", or ${TWO_STEPS} "-- contract ${object}: unused since NNNN"`,
    },
  ];
}

const ALTERATIONS: readonly [RegExp, string, string][] = [
  [
    /^(set data )?type\b/,
    'another type rewrites the table and changes the values that the previous version reads',
    'add a column of that type, write both, read the new one, drop this one in a later migration',
  ],
  [
    /^set not null\b/,
    'the previous version may write null, and all rows are read while all statements on the table wait',
    'first release a version that always writes it, then add "-- contract OBJECT: unused since NNNN", where unused means that nothing writes null',
  ],
  [
    /^drop default\b/,
    'the previous version inserts rows without it',
    `${TWO_STEPS} "-- contract OBJECT: unused since NNNN"`,
  ],
  [
    /^drop not null\b/,
    'the previous version may read null, which it does not expect',
    'write "-- safe OBJECT: why it can handle null", or write null only in a later version, with "-- contract OBJECT: unused since NNNN"',
  ],
  [
    /^(add generated|drop identity|drop expression)\b/,
    'the previous version still inserts rows in the old way',
    `${TWO_STEPS} "-- contract OBJECT: unused since NNNN"`,
  ],
];

function judgeAlteration(what: string, object: string): Finding[] {
  return ALTERATIONS.filter(([pattern]) => pattern.test(what)).map(([, why, instead]) => ({
    object,
    why,
    instead: instead.replaceAll('OBJECT', object),
  }));
}

function judgeRemoval(words: string, table: string, own: Own): Finding[] {
  const constraint = /^drop constraint (?:if exists )?(\w+)/.exec(words)?.[1];
  if (constraint !== undefined) {
    // Dropping a check constraint breaks no statement. Dropping a unique key may break a statement whose `on conflict` clause refers to the
    // key.
    if (constraint.endsWith('_check') || own.remade.has(constraint)) return [];
    const object = `${table}.${constraint}`;
    return [
      {
        object,
        why: '"on conflict" in the previous version may need it',
        instead: `${TWO_STEPS} "-- contract ${object}: unused since NNNN"`,
      },
    ];
  }
  const column = /^drop (?:column )?(?:if exists )?(\w+)/.exec(words)?.[1];
  const renamed = /^rename (?:column )?(?!to\b|constraint\b)(\w+) to\b/.exec(words)?.[1];
  if (column ?? renamed) {
    const object = `${table}.${column ?? renamed}`;
    const why = 'the previous version may still read or write it';
    const instead = renamed
      ? 'add a column of the new name, write both, read the new one, drop this one in a later migration'
      : `${TWO_STEPS} "-- contract ${object}: unused since NNNN"`;
    return [{ object, why, instead }];
  }
  if (/^(rename to|set schema)\b/.test(words))
    return [
      {
        object: table,
        why: 'the previous version uses its old name',
        instead: 'create a new table, or in this migration a view with the old name and "-- safe"',
      },
    ];
  if (
    /^(detach partition|disable trigger|disable rule|set (un)?logged|set tablespace|set access method)/.test(
      words,
    )
  )
    return [
      {
        object: table,
        why: 'rows or rules disappear for the previous version, or the table is rewritten while all statements on it wait',
        instead: `write "-- safe ${table}: why the previous version is compatible with it"`,
      },
    ];
  return [];
}

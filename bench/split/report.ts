import type { Places } from './halves.ts';
import type { Crossing, Judged, Kind } from './judge.ts';

type Report = {
  judged: readonly Judged[];
  crossings: readonly Crossing[];
  places: Places;
  counts: Readonly<Record<string, number>>;
};

/** An explanation of each kind, in the order of the report. */
const KINDS: Readonly<Record<Kind, string>> = {
  player: 'of one player: one database is enough',
  catalogue: 'both return the same result',
  own: 'internal tables: each database has its own',
  unseen: 'found no rows: unknown',
  everywhere: 'writes data that both have',
  sums: 'sums over all players: each database has a part of them',
  joined: 'rows of both, one after the other',
  combined: 'must be combined from both',
  both: 'in a transaction that writes players of both',
};
const CROSSING: readonly Kind[] = ['everywhere', 'sums', 'joined', 'combined', 'both'];
const WIDEST = 96;

export function reportOf({ judged, crossings, places, counts }: Report): string {
  return [
    `traffic: ${Object.entries(counts)
      .map(([what, n]) => `${n} ${what}`)
      .join(', ')}`,
    '',
    '## Tables',
    ...tablesOf(places),
    '',
    '## All statements',
    ...table([
      ['kind', 'statements', 'of 100 calls', 'of 100 of api', 'of 100 of worker'],
      ...summaryOf(judged),
    ]),
    '',
    '## By module',
    ...table([['module', ...Object.keys(KINDS)], ...modulesOf(judged)]),
    '',
    '## Statements that cross',
    ...table([['kind', 'calls', 'of 100', 'process', 'module', 'statement'], ...crossingRows(judged)]),
    '',
    '## Transactions that write players of both',
    ...table([
      ['times', 'process', 'modules', 'tables'],
      ...crossings.map(({ count, parts, modules, tables }) => [String(count), parts, modules, tables]),
    ]),
  ].join('\n');
}

/** Lists all statements, so that individual ones can be looked up. */
export function everyStatement(judged: readonly Judged[]): string {
  return [
    '## Every statement',
    ...table(
      judged.map(({ kind, calls, parts, modules, text }) => [
        kind,
        String(calls),
        parts.join(),
        modules.join(),
        text,
      ]),
    ),
  ].join('\n');
}

function tablesOf(places: Places): string[] {
  const kinds = Map.groupBy(places, ([, { kind }]) =>
    kind === 'with' || kind === 'entry' ? 'player' : kind,
  );
  const guessed = [...places].filter(([, place]) => place.kind === 'catalogue' && place.isGuessed);
  const undecided = guessed.map(([name]) => `undecided, taken as catalogue (bench/split/places.ts): ${name}`);
  const lines = [...kinds].map(
    ([kind, tables]) => `${kind} (${tables.length}): ${tables.map(([name]) => name).join(' ')}`,
  );
  return [...lines, ...undecided];
}

/**
 * Summarises the calls by kind. If only a fraction of a statement's calls needs both halves, that fraction is assigned to the statement's
 * kind and the rest to `player`.
 */
function summaryOf(judged: readonly Judged[]): string[][] {
  const ofPart = (part: string) => judged.filter(({ parts }) => parts.length === 1 && parts[0] === part);
  const groups = [judged, ofPart('api'), ofPart('worker')].map((group) => ({
    group,
    all: Math.max(
      1,
      group.reduce((sum, { calls }) => sum + calls, 0),
    ),
  }));
  return (Object.keys(KINDS) as Kind[]).map((kind) => [
    `${kind}: ${KINDS[kind]}`,
    String(judged.filter((each) => each.kind === kind).length),
    ...groups.map(({ group, all }) => ((100 * callsOf(group, kind)) / all).toFixed(1)),
  ]);
}

function callsOf(judged: readonly Judged[], wanted: Kind): number {
  const parts = judged.map(({ kind, calls, share }) => {
    if (!CROSSING.includes(kind)) return kind === wanted ? calls : 0;
    return (kind === wanted ? calls * share : 0) + (wanted === 'player' ? calls * (1 - share) : 0);
  });
  return parts.reduce((sum, n) => sum + n, 0);
}

/** Counts each module's statements by kind. A statement that several modules send counts for each of them. */
function modulesOf(judged: readonly Judged[]): string[][] {
  const modules = [...new Set(judged.flatMap((each) => each.modules))].sort();
  return modules.map((module) => {
    const own = judged.filter((each) => each.modules.includes(module));
    return [
      module,
      ...Object.keys(KINDS).map((kind) => String(own.filter((each) => each.kind === kind).length || '')),
    ];
  });
}

function crossingRows(judged: readonly Judged[]): string[][] {
  return judged
    .filter(({ kind }) => CROSSING.includes(kind))
    .toSorted((a, b) => CROSSING.indexOf(b.kind) - CROSSING.indexOf(a.kind) || b.calls - a.calls)
    .map(({ kind, calls, share, parts, modules, text }) => [
      kind,
      String(calls),
      (100 * share).toFixed(0),
      parts.join(', '),
      modules.join(', '),
      text.slice(0, WIDEST),
    ]);
}

/** Pads every cell to the width of its column's widest cell. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );
}

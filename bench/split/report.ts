import type { Places } from './halves.ts';
import type { Crossing, Judged, Kind } from './judge.ts';

type Report = {
  judged: readonly Judged[];
  crossings: readonly Crossing[];
  places: Places;
  counts: Readonly<Record<string, number>>;
};

/** What a reader has to know of each, in the order in which it is told. */
const KINDS: Readonly<Record<Kind, string>> = {
  player: 'of one player: one database answers',
  catalogue: 'reads what both have',
  own: 'machinery of a database: each has its own',
  unseen: 'found nothing: not known',
  everywhere: 'writes what both have',
  sums: 'sums over all players: each database has a part',
  joined: 'rows of both, one after the other',
  combined: 'has to be put together from both',
  both: 'writes players of both in one transaction',
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
    ...table([['kind', 'statements', 'calls', 'of 100 calls'], ...summaryOf(judged)]),
    '',
    '## By module',
    ...table([['module', ...Object.keys(KINDS)], ...modulesOf(judged)]),
    '',
    '## Statements that cross',
    ...table([['kind', 'calls', 'process', 'module', 'statement'], ...crossingRows(judged)]),
    '',
    '## Transactions that write players of both',
    ...table([
      ['times', 'process', 'modules', 'tables'],
      ...crossings.map(({ count, parts, modules, tables }) => [String(count), parts, modules, tables]),
    ]),
  ].join('\n');
}

function tablesOf(places: Places): string[] {
  const kinds = Map.groupBy(places, ([, { kind }]) =>
    kind === 'with' || kind === 'entry' ? 'player' : kind,
  );
  return [...kinds].map(
    ([kind, tables]) => `${kind} (${tables.length}): ${tables.map(([name]) => name).join(' ')}`,
  );
}

function summaryOf(judged: readonly Judged[]): string[][] {
  const all = callsOf(judged);
  return Object.entries(KINDS).map(([kind, about]) => {
    const some = judged.filter((each) => each.kind === kind);
    const share = ((100 * callsOf(some)) / Math.max(1, all)).toFixed(1);
    return [`${kind}: ${about}`, String(some.length), String(callsOf(some)), share];
  });
}

const callsOf = (judged: readonly Judged[]): number => judged.reduce((sum, { calls }) => sum + calls, 0);

/** Statements of each module by kind; one that several share counts for each. */
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
    .map(({ kind, calls, parts, modules, text }) => [
      kind,
      String(calls),
      parts.join(', '),
      modules.join(', '),
      text.slice(0, WIDEST),
    ]);
}

/** Columns as wide as what is in them. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );
}

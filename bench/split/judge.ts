import { createHash } from 'node:crypto';
import type { Places, Write } from './halves.ts';
import type { Place } from './places.ts';
import type { Recorded } from './record.ts';
import { type Databases, type Need, replay, strongest } from './replay.ts';

/**
 * The kind of a statement. It depends on the databases that the statement would need if players were sharded.
 * - player: concerns one player, so it needs one database.
 * - catalogue: reads shared data.
 * - everywhere: writes shared data.
 * - own: concerns internal data of one database, such as its queue.
 * - joined, combined: needs the results of both halves (see `Need`).
 * - sums: reads or maintains totals over all players.
 * - both: writes rows of players in both halves.
 * - unseen: found no rows, so its kind is unknown.
 */
export type Kind =
  | 'player'
  | 'catalogue'
  | 'everywhere'
  | 'own'
  | 'joined'
  | 'combined'
  | 'sums'
  | 'both'
  | 'unseen';

export type Judged = {
  text: string;
  modules: string[];
  parts: string[];
  calls: number;
  tables: string[];
  kind: Kind;
  /** The fraction of the examined calls that need both halves. */
  share: number;
};

const WRITES =
  /^\s*(insert|update|delete|merge)\b|\b(insert into|update \S+ (as )?(\w+ )?set|delete from)\b/i;

/** Migrations and EXPLAIN statements, which are not part of the traffic. */
const NO_TRAFFIC = /\b(create|alter) table\b|^(--|explain\b)/i;

export const hashOf = (text: string): string => createHash('md5').update(text).digest('hex');

/** Returns the statement in a form that does not depend on the length of its parameter lists. */
export const shapeOf = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\((\$\d+(::\w+)?)(, ?\$\d+(::\w+)?)+\)/g, '($…)')
    .replace(/(\(\$…\))(, ?\(\$…\))+/g, '$1')
    .replace(/\$\d+/g, '$')
    .replace(/\b\d{6,}\b/g, '#');

type Context = { databases: Databases; places: Places; writes: ReadonlyMap<string, readonly Write[]> };

/** Classifies each statement once, from the samples of all callers. Texts with the same shape (`shapeOf`) are one statement. */
export async function judgeAll(recorded: readonly Recorded[], context: Context): Promise<Judged[]> {
  const shapes = Map.groupBy(recorded, ({ text }) => shapeOf(text));
  const judged: Judged[] = [];
  for (const [shape, same] of shapes) {
    const tables = tablesOf(shape, context.places);
    if (tables.length === 0 || NO_TRAFFIC.test(shape)) continue;
    judged.push({
      text: shape,
      tables,
      modules: distinct(same.map(({ module }) => module ?? '(shared)')),
      parts: distinct(same.map(({ part }) => part)),
      calls: same.reduce((sum, { calls }) => sum + calls, 0),
      ...(await judge(same, tables, context)),
    });
  }
  return judged.toSorted((a, b) => b.calls - a.calls);
}

/** Returns the tables that are mentioned in a text. */
function tablesOf(text: string, places: Places): string[] {
  const words = new Set(text.match(/\w+/g));
  return [...places.keys()].filter((table) => words.has(table));
}

type Verdict = Pick<Judged, 'kind' | 'share'>;

async function judge(
  same: readonly Recorded[],
  tables: readonly string[],
  context: Context,
): Promise<Verdict> {
  const places = tables.map((table) => context.places.get(table)!);
  if (places.every(({ kind }) => kind === 'own')) return { kind: 'own', share: 0 };
  if (same.some(({ text }) => WRITES.test(text))) {
    const writes = same.flatMap(({ text }) => context.writes.get(hashOf(text)) ?? []);
    return verdictOfWrites(writes, context.places) ?? verdictOfRead([], places, true);
  }
  const needs: Need[] = [];
  for (const { text, samples } of same)
    for (const values of samples) needs.push((await replay(context.databases, text, values)) ?? 'nothing');
  return verdictOfRead(needs, places, false);
}

/** Classifies a read, or a write without recorded rows. Such a write affected no rows, or wrote only totals and internal data. */
function verdictOfRead(needs: readonly Need[], places: readonly Place[], isWrite: boolean): Verdict {
  const told = needs.filter((need) => need !== 'nothing');
  const crossing = told.filter((need) => need === 'joined' || need === 'combined');
  const isOfPlayers = places.some(({ kind }) => kind === 'player' || kind === 'with' || kind === 'entry');
  const need = strongest(needs);
  if (places.some(({ kind }) => kind === 'sums') && !(need === 'one' && isOfPlayers))
    return { kind: 'sums', share: 1 };
  if (need === 'joined' || need === 'combined') return { kind: need, share: crossing.length / told.length };
  const ofOne = need === 'one' ? 'player' : 'catalogue';
  const unseen = isWrite ? 'own' : 'catalogue';
  return { kind: need === 'nothing' ? (isOfPlayers ? 'unseen' : unseen) : ofOne, share: 0 };
}

/** Classifies a statement by its transactions. A transaction needs both halves even if each of its statements concerns only one player. */
export function verdictOfWrites(writes: readonly Write[], places: Places): Verdict | undefined {
  if (writes.length === 0) return undefined;
  const all = [...Map.groupBy(writes, ({ xid }) => xid).values()];
  const share = all.filter(isOfBoth).length / all.length;
  if (share > 0) return { kind: 'both', share };
  const isShared = writes.some(({ name }) => places.get(name)?.kind === 'catalogue');
  return { kind: isShared ? 'everywhere' : 'player', share: Number(isShared) };
}

function isOfBoth(writes: readonly Write[]): boolean {
  const sides = new Set(writes.map(({ side }) => side));
  return sides.has(0) && sides.has(1);
}

/** Transactions that wrote rows of players in both halves, grouped by the modules that sent them. */
export type Crossing = { tables: string; modules: string; parts: string; count: number };

export function crossingsOf(writes: readonly Write[], recorded: readonly Recorded[]): Crossing[] {
  const byHash = Map.groupBy(recorded, ({ text }) => hashOf(text));
  const crossings = new Map<string, Crossing>();
  for (const each of Map.groupBy(writes, ({ xid }) => xid).values()) {
    if (!isOfBoth(each)) continue;
    const senders = each.flatMap(({ query }) => byHash.get(query) ?? []);
    const modules = distinct(senders.flatMap(({ module }) => module ?? [])).join(', ');
    const key = modules || distinct(each.map(({ name }) => name)).join(', ');
    const known = crossings.get(key) ?? { modules, tables: '', parts: '', count: 0 };
    known.count++;
    known.tables = distinct([...known.tables.split(', '), ...each.map(({ name }) => name)]).join(', ');
    known.parts = distinct([...known.parts.split(', '), ...senders.map(({ part }) => part)]).join(', ');
    crossings.set(key, known);
  }
  return [...crossings.values()].toSorted((a, b) => b.count - a.count);
}

const distinct = (names: readonly string[]): string[] =>
  [...new Set(names)].filter(Boolean).toSorted((a, b) => (a < b ? -1 : 1));

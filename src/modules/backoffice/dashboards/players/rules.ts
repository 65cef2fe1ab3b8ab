import type { Units } from '../../../../platform/money.ts';
import { HOUR_MS, type Steps } from '../periods/rules.ts';

/** Returns steps that begin at every start and end in both lists, up to the later end. */
export const partsOf = (these: Steps, those: Steps): Steps => {
  const starts = [...these.starts, these.until, ...those.starts, those.until].sort((a, b) => a - b);
  return { starts: [...new Set(starts)].slice(0, -1), until: starts.at(-1)! };
};

/**
 * Returns a function that maps an hour (in hours since 1970) to its step, or to -1 if the hour is in no step. The function uses a table,
 * because it is called for each of a million players.
 */
export function stepsByHour(steps: Steps): (hour: number) => number {
  const from = steps.starts[0]! / HOUR_MS;
  const all = new Int32Array(steps.until / HOUR_MS - from);
  for (const [step, start] of steps.starts.entries()) all.fill(step, start / HOUR_MS - from);
  return (hour) => all[hour - from] ?? -1;
}

/**
 * The number of low bits of a player id that determine its position in a page. Pages are allocated on the first write, because ids may be
 * large and sparse.
 */
const PAGE_BITS = 16;
const PAGE = 1 << PAGE_BITS;

/** Marks each player with one bit, so that a million players fit into the processor's cache. */
function createMarks() {
  const pages: (Uint8Array | undefined)[] = [];
  return {
    /** Marks players and returns how many of them were not marked before. */
    mark(userIds: readonly number[]): number {
      let count = 0;
      for (const userId of userIds) {
        pages[userId >>> PAGE_BITS] ??= new Uint8Array(PAGE / 8);
        const page = pages[userId >>> PAGE_BITS]!;
        const [place, bit] = [(userId & (PAGE - 1)) >>> 3, 1 << (userId & 7)];
        if ((page[place]! & bit) !== 0) continue;
        page[place]! |= bit;
        count++;
      }
      return count;
    },
    clear(): void {
      for (const page of pages) page?.fill(0);
    },
  };
}

/** Counts the distinct players in each list, and in all lists from the list `first` on. */
export function countDifferent(
  lists: readonly (readonly number[])[],
  first = 0,
): { each: number[]; together: number } {
  const marks = createMarks();
  const each = lists.map((list) => {
    marks.clear();
    return marks.mark(list);
  });
  marks.clear();
  return { each, together: lists.slice(first).reduce((sum, list) => sum + marks.mark(list), 0) };
}

/** The number of low bits of a player id that determine its position in a group. The sums of one group fit into the processor's cache. */
const GROUP_BITS = 13;
const GROUP = 1 << GROUP_BITS;

/**
 * Sums two amounts for each player. Both are in `amounts`, starting at byte `at`. Values are first stored and then summed group by group,
 * because the sums of a million players do not fit into the cache.
 */
export function createSums() {
  let [userIds, pairs] = [new Int32Array(1024), new BigInt64Array(2048)];
  let length = 0;
  const grow = () => {
    const [before, pairsBefore] = [userIds, pairs];
    [userIds, pairs] = [new Int32Array(2 * length), new BigInt64Array(4 * length)];
    userIds.set(before);
    pairs.set(pairsBefore);
  };
  return {
    add(userId: number, amounts: DataView, at: number): void {
      if (length === userIds.length) grow();
      userIds[length] = userId;
      pairs[2 * length] = amounts.getBigInt64(at);
      pairs[2 * length + 1] = amounts.getBigInt64(at + 8);
      length++;
    },
    /** Visits each player once, in no particular order. Throws a RangeError if a sum exceeds 64 bits. */
    forEach(visit: (userId: number, one: Units, two: Units) => void): void {
      const adder = createAdder();
      for (const places of groupsOf(userIds.subarray(0, length))) {
        adder.begin();
        for (const i of places) adder.add(userIds[i]!, pairs, 2 * i);
        adder.forEach(visit);
      }
    },
  };
}

/** Adds up the amounts of one group at a time. */
function createAdder() {
  const sums = new BigInt64Array(2 * GROUP);
  const lastIn = new Int32Array(GROUP);
  let group = 0;
  let players: number[] = [];
  return {
    begin(): void {
      group++;
      players = [];
    },
    add(userId: number, pairs: BigInt64Array, at: number): void {
      const place = userId & (GROUP - 1);
      if (lastIn[place] !== group) {
        lastIn[place] = group;
        players.push(userId);
        sums[2 * place] = 0n;
        sums[2 * place + 1] = 0n;
      }
      sums[2 * place] = added(sums[2 * place]!, pairs[at]!);
      sums[2 * place + 1] = added(sums[2 * place + 1]!, pairs[at + 1]!);
    },
    forEach(visit: (userId: number, one: Units, two: Units) => void): void {
      for (const userId of players) {
        const at = 2 * (userId & (GROUP - 1));
        visit(userId, sums[at]!, sums[at + 1]!);
      }
    },
  };
}

export type Sums = ReturnType<typeof createSums>;

/** Returns the positions of these ids in their list, by group. */
function groupsOf(userIds: Int32Array): Int32Array[] {
  const counts: number[] = [];
  for (const userId of userIds) counts[userId >>> GROUP_BITS] = (counts[userId >>> GROUP_BITS] ?? 0) + 1;
  const order = new Int32Array(userIds.length);
  const ends: number[] = [];
  const groups: Int32Array[] = [];
  let from = 0;
  counts.forEach((count, number) => {
    ends[number] = from;
    groups.push(order.subarray(from, from + count));
    from += count;
  });
  for (let i = 0; i < userIds.length; i++) order[ends[userIds[i]! >>> GROUP_BITS]!++] = i;
  return groups;
}

/** Adds two amounts as 64-bit numbers, because the engine does not allocate objects for them. */
function added(a: Units, b: Units): Units {
  const sum = BigInt.asIntN(64, a + b);
  if (b < 0n !== sum < a) throw new RangeError('the sum of a player is too large');
  return sum;
}

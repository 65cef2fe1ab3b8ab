import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { silentLog } from '../platform/observability/log.ts';
import { createDelivery } from './delivery.ts';
import type { Feed, Frame, Told } from './feed.ts';
import type { Outlet } from './hand-out.ts';
import { createMembers, type Member } from './members.ts';

const frame = (seq: number): Frame => ({ event: 'x', seq, at: new Date(0).toISOString(), data: null });

const nobody = { onTold: () => undefined, onSessionEnd: () => undefined };

let delivery: ReturnType<typeof createDelivery>;
afterEach(() => delivery.close());

/** Starts delivery with a feed that advances by one frame with every read. The feed returns missed frames on request. */
function start() {
  const members = createMembers();
  const heard: (number | string)[] = [];
  const joined = new Set<Member>();
  let position = 10;
  let reading = 0;
  let answer: (told: Told | Error) => void = () => undefined;
  const dropped: Member[] = [];
  let failures = 0;
  const asked: number[] = [];
  const feed: Feed = {
    async next() {
      if (failures-- > 0) throw new Error('the database is away');
      expect(++reading).toBe(1);
      await sleep(2);
      reading--;
      position++;
      return { deliveries: [{ room: 'public', frame: frame(position) }], position };
    },
    missed(sockets) {
      asked.push(position);
      return new Promise((resolve, reject) => {
        answer = (told) => (told instanceof Error ? reject(told) : resolve(sockets.map(() => told)));
      });
    },
    rest: () => undefined,
  };
  const outlet = {
    toRoom: ({ frame: { seq } }: { frame: Frame }) => joined.size > 0 && heard.push(seq),
    toMember: (_: Member, { seq }: Frame) => heard.push(seq),
    join: (member: Member) => joined.add(member),
    leave: (member: Member) => joined.delete(member),
    drop: (member: Member) => dropped.push(member),
  };
  delivery = createDelivery({ feed, members, outlet, intervalMs: 1, log: silentLog, ...nobody });
  const member = {
    userId: 1,
    sessionId: 's',
    rooms: new Set(),
    isBehind: false,
    held: undefined,
  } as unknown as Member;
  members.add(member);
  members.enter(member, 'public');
  return {
    member,
    members,
    heard,
    asked,
    dropped,
    answer: (past: Frame[] | undefined, states: Frame[] = []) => answer({ past, states }),
    refuse: (error: Error) => answer(error),
    fail: (n: number) => (failures = n),
  };
}

test('delays live frames until the missed frames have been sent, however long it takes to read them', async () => {
  const { member, heard, asked, answer } = start();
  const catching = delivery.catchUp(member, {
    lastSeq: 5,
    resync: () => heard.push('resync'),
    caughtUp: ({ frames, seq }) => heard.push(`ready ${frames} ${seq}`),
  });
  await expect.poll(() => asked.length).toBe(1);
  await sleep(50);
  expect(heard).toEqual([]);
  answer([frame(6), frame(7)]);
  await catching;
  const from = asked[0]!;
  await expect.poll(() => heard.length).toBeGreaterThan(8);
  expect(heard.slice(0, 3)).toEqual([6, 7, `ready 2 ${from}`]);
  const live = heard.slice(3) as number[];
  expect(live).toEqual(live.map((_, i) => from + 1 + i));
});

test('keeps a client out of a room that it left during catch-up, and requests a resync from clients that are too far behind', async () => {
  const { member, members, heard, asked, answer } = start();
  const catching = delivery.catchUp(member, {
    lastSeq: 5,
    resync: () => heard.push('resync'),
    caughtUp: ({ frames }) => heard.push(`ready ${frames}`),
  });
  await expect.poll(() => asked.length).toBe(1);
  members.leave(member, 'public');
  answer(undefined, [frame(90), frame(91)]);
  await catching;
  expect(heard.slice(0, 4)).toEqual(['resync', 90, 91, 'ready undefined']);
  expect(members.audience().rooms.size).toBe(0);
});

test('polls an idle feed with growing pauses, and at full rate after the first frame', async () => {
  const reads: number[] = [];
  let position = 10;
  const feed: Feed = {
    async next() {
      reads.push(performance.now());
      return { deliveries: [], position };
    },
    missed: async () => [],
    rest: () => undefined,
  };
  const members = createMembers();
  members.add({ userId: 1, sessionId: 's', rooms: new Set() } as unknown as Member);
  const outlet = {} as Outlet;
  delivery = createDelivery({ feed, members, outlet, intervalMs: 5, log: silentLog, ...nobody });
  await delivery.between(() => undefined);
  const pauses = () => reads.slice(1).map((at, i) => at - reads[i]!);
  const quiet = () => pauses().at(-1)! >= 95;
  await expect.poll(quiet).toBe(true);
  const before = pauses();
  // The pause starts at 5 ms and grows by a fifth each time, so it reaches 100 ms only after several reads.
  expect(before.filter((ms) => ms < 50).length).toBeGreaterThan(8);
  const seen = reads.length;
  position++;
  await expect.poll(() => reads.length - seen).toBeGreaterThan(5);
  // The frame may be found up to one whole pause later. After that, the pauses between reads are short again.
  const after = pauses().slice(seen);
  expect(Math.min(...after.slice(0, 4))).toBeLessThan(50);
});

test('retries a failed read of the feed and then lets waiting clients join', async () => {
  const { fail } = start();
  fail(2);
  expect(await delivery.between((at) => at)).toBeGreaterThan(10);
});

test('joins rooms after the missed frames, and does not wait for a client that has disconnected', async () => {
  const { member, members, heard, asked, answer } = start();
  const how = (said: string) => ({ lastSeq: 5, resync: () => undefined, caughtUp: () => heard.push(said) });
  const catching = delivery.catchUp(member, how('ready'));
  expect(member.isBehind).toBe(true);
  const gone = { ...member, rooms: new Set<string>() };
  await delivery.catchUp(gone, how('nobody'));
  await expect.poll(() => asked.length).toBe(1);
  answer([]);
  await catching;
  expect([member.isBehind, members.holding.size, heard[0]]).toEqual([false, 0, 'ready']);
  expect(heard).not.toContain('nobody');
});

test('disconnects a client that cannot receive its missed frames', async () => {
  const { member, heard, asked, dropped, refuse } = start();
  const said = (what: string) => () => void heard.push(what);
  const catching = delivery.catchUp(member, { lastSeq: 5, resync: said('resync'), caughtUp: said('ready') });
  await expect.poll(() => asked.length).toBe(1);
  refuse(new Error('the database is away'));
  await catching;
  expect(dropped).toEqual([member]);
  expect(heard).toEqual([]);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { silentLog } from '../platform/log.ts';
import { createDelivery } from './delivery.ts';
import type { Feed, Frame } from './feed.ts';
import { createMembers, type Member } from './members.ts';

const frame = (seq: number): Frame => ({ event: 'x', seq, at: new Date(0).toISOString(), data: null });

let delivery: ReturnType<typeof createDelivery>;
afterEach(() => delivery.close());

/** A feed that goes on by one frame with every read, and answers what was missed when it is told to. */
function start() {
  const members = createMembers();
  const heard: (number | string)[] = [];
  const joined = new Set<Member>();
  let position = 10;
  let reading = 0;
  let answer: (frames: Frame[] | undefined) => void = () => undefined;
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
      return new Promise((resolve) => {
        answer = (frames) => resolve(sockets.map(() => frames));
      });
    },
    rest: () => undefined,
  };
  const outlet = {
    toRoom: ({ frame: { seq } }: { frame: Frame }) => joined.size > 0 && heard.push(seq),
    toMember: (_: Member, { seq }: Frame) => heard.push(seq),
    join: (member: Member) => joined.add(member),
    leave: (member: Member) => joined.delete(member),
  };
  delivery = createDelivery({ feed, members, outlet, intervalMs: 1, log: silentLog });
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
    answer: (frames?: Frame[]) => answer(frames),
    fail: (n: number) => (failures = n),
  };
}

test('W06 live frames wait behind what was missed, however long that takes to read', async () => {
  const { member, heard, asked, answer } = start();
  const catching = delivery.catchUp(member, 5, ({ frames, seq }) => heard.push(`ready ${frames} ${seq}`));
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

test('W06 a room that is left while it catches up is not entered again; who may not be told all begins anew', async () => {
  const { member, members, heard, asked, answer } = start();
  const catching = delivery.catchUp(member, 5, ({ frames }) => heard.push(`ready ${frames}`));
  await expect.poll(() => asked.length).toBe(1);
  members.leave(member, 'public');
  answer(undefined);
  await catching;
  expect(heard[0]).toBe('ready undefined');
  expect(members.audience().rooms.size).toBe(0);
});

test('a feed that fails is read again, and whoever waits comes in then', async () => {
  const { fail } = start();
  fail(2);
  expect(await delivery.between((at) => at)).toBeGreaterThan(10);
});

test('who comes back is in no room before he was told what he has missed; who has gone is not waited for', async () => {
  const { member, members, heard, asked, answer } = start();
  const catching = delivery.catchUp(member, 5, () => heard.push('ready'));
  expect(member.isBehind).toBe(true);
  const gone = { ...member, rooms: new Set<string>() };
  await delivery.catchUp(gone, 5, () => heard.push('nobody'));
  await expect.poll(() => asked.length).toBe(1);
  answer([]);
  await catching;
  expect([member.isBehind, members.holding.size, heard[0]]).toEqual([false, 0, 'ready']);
  expect(heard).not.toContain('nobody');
});

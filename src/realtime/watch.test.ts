import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '../platform/observability/log.ts';
import { createMetrics } from '../platform/observability/metrics.ts';
import { createMembers, type Member, type Standing } from './members.ts';
import { createWatch } from './watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const standing: Standing = { userId: 1, isStaff: false, isMfaMissing: false, isExcluded: false };
const memberOf = (sessionId: string): Member => ({
  socket: {
    connected: false,
    conn: { close: () => undefined, transport: {} },
  } as unknown as Member['socket'],
  userId: 1,
  sessionId,
  standing,
  rooms: new Set(),
  isBehind: false,
  held: undefined,
});

test('closes only the socket of a session that expires without a notification, within a minute', async () => {
  const members = createMembers();
  for (const sessionId of ['expiring', 'living']) members.add(memberOf(sessionId));
  const alive = new Map([
    ['expiring', standing],
    ['living', standing],
  ]);
  const cuts: string[] = [];
  const watch = createWatch({
    members,
    standingsOf: async () => alive,
    roomRefusal: () => undefined,
    endingsOf: async (ids) => new Map(ids.map((id) => [id, 'EXPIRED'])),
    say: (member, event, data) =>
      cuts.push(`${member.sessionId} ${event} ${(data as { reason: string }).reason}`),
    metrics: createMetrics('test'),
    log: silentLog,
  });
  await vi.advanceTimersByTimeAsync(61_000);
  expect(cuts).toEqual([]);
  alive.delete('expiring');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(cuts).toEqual(['expiring session.revoked EXPIRED']);
  expect([...members.all].map(({ sessionId }) => sessionId)).toEqual(['living']);
  watch.close();
});

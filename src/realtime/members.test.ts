import { expect, test } from 'vitest';
import { createMembers, type Member } from './members.ts';

test('includes a room while it has members, and a player while the player has sockets', () => {
  const members = createMembers();
  const come = (userId: number) => {
    const member = { userId, sessionId: `${userId}`, rooms: new Set() } as unknown as Member;
    members.add(member);
    for (const room of [`user:${userId}`, 'public']) members.enter(member, room);
    return member;
  };
  const [first, second] = [come(1), come(2)];
  members.leave(first, 'public');
  expect(members.audience()).toEqual({ users: [1, 2], rooms: new Set(['public']) });
  members.remove(second);
  expect(members.audience()).toEqual({ users: [1], rooms: new Set() });
  members.enter(second, 'public');
  expect(members.audience().rooms.size).toBe(0);
});

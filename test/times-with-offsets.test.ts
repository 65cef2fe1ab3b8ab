/** Tests that times in requests may have any UTC offset, and that only the instant matters. */
import { expect, test } from 'vitest';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';

const app = fixture(startApp);

/** Formats an instant with a UTC offset in minutes. */
function at(instant: Date, offset: number): string {
  const local = new Date(instant.getTime() + offset * 60_000).toISOString().slice(0, -1);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`;
}

test.each([0, 120, 345, 840, -300, -720])(
  'stores the exact instant when a time in a body has an offset of %i minutes',
  async (offset) => {
    const player = await app.newPlayer();
    const until = new Date(Date.now() + 90 * 86_400_000);
    const { status, body } = await player.call('POST', '/user-limits/self-exclusion', {
      body: { excludeUntil: at(until, offset) },
    });
    expect([status, body.expiresAt]).toEqual([201, until.toISOString()]);
  },
);

test.each([0, 120, 345, 840, -300, -720])(
  'filters by the exact instant when a time has an offset of %i minutes',
  async (offset) => {
    const staff = await app.as({ permissions: ['user.read'] });
    const { id } = await app.newPlayer();
    const { created_at: registered } = await app.db
      .selectFrom('users')
      .select('created_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const found = async (from: Date, to: Date) => {
      const where = { registeredFrom: at(from, offset), registeredTo: at(to, offset) };
      const shown = {
        withPermissions: false,
        withRoles: false,
        withNotes: false,
        withBalance: false,
        withStatsUsd: false,
      };
      const body = { sortBy: 'id', sortOrder: 'asc', ...shown, where };
      const answer = await staff.call('POST', '/admin/user/all', { body });
      expect(answer.status, answer.text).toBe(200);
      return answer.body.data.some((user: { id: number }) => user.id === id);
    };
    const shifted = (ms: number) => new Date(registered.getTime() + ms);
    expect(await found(shifted(-1000), shifted(1000))).toBe(true);
    expect(await found(shifted(2), shifted(1000))).toBe(false);
    expect(await found(shifted(-1000), shifted(-2))).toBe(false);
  },
);

test('returns the same dashboard report whatever UTC offset the query uses', async () => {
  const staff = await app.as({ permissions: ['dashboard.read'] });
  const [start, end] = [new Date('2026-03-01T00:00:00.000Z'), new Date('2026-03-08T00:00:00.000Z')];
  const report = async (offset: number) => {
    const query = new URLSearchParams({ startDate: at(start, offset), endDate: at(end, offset) });
    const { status, text } = await staff.call('GET', `/admin/dashboard/overview?${query}`);
    expect(status, text).toBe(200);
    return text;
  };
  const inUtc = await report(0);
  for (const offset of [120, 345, -300]) expect(await report(offset)).toBe(inUtc);
});

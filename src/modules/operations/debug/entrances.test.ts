import { expect, test } from 'vitest';
import { route } from '../../../http/route.ts';
import { closeEntrances } from './module.ts';

const anonymousRoute = (path: string) =>
  route({
    method: 'POST',
    path,
    tag: 'Auth',
    access: 'anonymous',
    gate: 'none',
    summary: 'Anything',
    handler: () => 'in' as never,
  });
const call = (path: string, awayMs: number) => {
  const [only] = closeEntrances([anonymousRoute(path)], { now: () => Date.now() - awayMs });
  return only!.handler({} as never);
};
const DAY_MS = 86_400_000;

test.each(['/auth/sign-up', '/auth/sign-in', '/auth/setup-username', '/user/passkeys/sign-in/options'])(
  'rejects %s with Retry-After while the database clock shows another day',
  (path) => {
    expect(() => call(path, 30 * DAY_MS)).toThrow(
      expect.objectContaining({
        code: 'SERVICE_UNAVAILABLE',
        details: expect.objectContaining({ retryAfterSeconds: 10 }),
      }),
    );
    expect(call(path, 60_000)).toBe('in');
  },
);

test('keeps accepting partner operations and all operations other than sign-in', () => {
  for (const path of ['/sportsbook/external/auth/login', '/webhooks/payments/{provider}/deposit', '/faq'])
    expect(call(path, 30 * DAY_MS)).toBe('in');
});

import { expect, test } from 'vitest';
import type { Access } from '../access.ts';
import { type Route, route } from '../route.ts';
import { openApi } from './openapi.ts';

const operation = (access: Access): Route =>
  ({
    ...route({
      method: 'GET',
      path: '/x',
      tag: 'X',
      access: 'anonymous',
      summary: 'X',
      status: 204,
      handler: () => undefined,
    }),
    access,
  }) as Route;

/** Returns the error codes that the document lists for 403. */
function refusals(access: Access): string[] {
  const { paths } = openApi({ title: '', description: '', tags: {} }, [operation(access)]);
  const responses = paths['/x']!.get!.responses as Record<string, { description: string }>;
  return [...(responses['403']?.description ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code!);
}

test('documents the errors for a missing permission, activation or second factor only on staff operations', () => {
  for (const access of ['staff', 'superadmin', { permission: 'user.read' }] as const)
    expect(refusals(access)).toEqual(['FORBIDDEN', 'STAFF_NOT_ACTIVATED', 'MFA_REQUIRED']);
  for (const access of ['anonymous', 'auth', 'apikey'] as const) expect(refusals(access)).toEqual([]);
});

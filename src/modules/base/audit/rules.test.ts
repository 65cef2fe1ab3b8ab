import { expect, test } from 'vitest';
import { RESPONSE_CLASSES } from './rules.ts';

test.each([
  [101, 'Informational'],
  [201, 'Successful'],
  [302, 'Redirection'],
  [404, 'Client_Error'],
  [500, 'Server_Error'],
] as const)('%i is %s', (status, name) => {
  expect(RESPONSE_CLASSES[name]).toBe(Math.floor(status / 100));
});

import { expect, test } from 'vitest';
import { isDiskError, isResourceError, isUnavailable } from './errors.ts';

const failure = (code: string, severity = 'ERROR') =>
  Object.assign(new Error('reported by the server'), { code, severity });

test.each([
  ['a full disk', failure('53100'), true, true],
  ['an I/O error', failure('58030'), true, true],
  ['a panic of any kind', failure('XX000', 'PANIC'), true, true],
  ['lack of memory', failure('53200'), true, false],
  ['lack of connections', failure('53300', 'FATAL'), true, false],
  ['a duplicate key', failure('23505'), false, false],
  ['a refused connection', failure('ECONNREFUSED'), false, false],
])('classifies errors of the server: %s', (_, error, isResource, isDisk) => {
  expect([isResourceError(error), isDiskError(error)]).toEqual([isResource, isDisk]);
  if (isResource && error.severity !== 'PANIC') expect(isUnavailable(error)).toBe(true);
});

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../platform/errors.ts';
import { take } from '../schemas.ts';
import { assertEmpty, bodyReader, pathReader, textReader } from './validation.ts';

/** Returns the fields that an error lists, with their messages. */
function refusalOf(work: () => unknown): Record<string, string> {
  try {
    work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.status !== 400) return { status: String(error.status) };
    const fields = error.details!.fields as { path: string; message: string }[];
    return Object.fromEntries(fields.map(({ path, message }) => [path, message]));
  }
  throw new Error('was accepted');
}

describe('bodies', () => {
  const read = bodyReader(z.strictObject({ a: z.number().optional(), b: z.array(z.string()).optional() }));

  test('does not convert body values to other types', () => {
    expect(read({ a: 1, b: ['x'] })).toEqual({ a: 1, b: ['x'] });
    for (const a of ['1', null, true, [1], {}, '']) expect(refusalOf(() => read({ a }))).toHaveProperty('a');
    for (const b of ['x', [1], { 0: 'x' }])
      expect(Object.keys(refusalOf(() => read({ b })))[0]).toMatch(/^b/);
  });

  test('treats an absent body as an empty object, but rejects null', () => {
    expect(read(undefined)).toEqual({});
    expect(refusalOf(() => read(null))).toHaveProperty('');
  });

  test('rejects a body with undeclared fields, and shortens long field names in the error', () => {
    expect(refusalOf(() => read({ c: 1 }))).toEqual({ c: 'is not a field of this request' });
    expect(Object.keys(refusalOf(() => read({ ['k'.repeat(60_000)]: 1 })))).toEqual(['k'.repeat(200)]);
  });

  test('lists at most twenty problems when it rejects a body', () => {
    const b = Array.from({ length: 1000 }, () => 1);
    expect(Object.keys(refusalOf(() => read({ b })))).toHaveLength(20);
  });

  test('rejects a non-empty body for an operation that takes no body', () => {
    for (const body of [undefined, {}, Object.create(null)]) expect(() => assertEmpty(body)).not.toThrow();
    for (const body of [null, [], 0, 5, '', 'x', true, false, { a: undefined }, [[]]])
      refusalOf(() => assertEmpty(body));
  });
});

describe('queries', () => {
  const schema = z.strictObject({
    page: z.number().int().min(1).default(1),
    take: take(20),
    rate: z.number().nullable().optional(),
    isOpen: z.boolean().optional(),
    name: z.string().optional(),
    ids: z.array(z.string()).max(3).optional(),
    levels: z.enum(['1', '2']).optional(),
  });
  const read = textReader(schema);

  test('converts query parameters to the types in the schema and fills in defaults', () => {
    expect(read({})).toEqual({ page: 1, take: 20 });
    expect(read({ page: '2', take: '5', rate: '-0.25', isOpen: 'false', name: '1', levels: '2' })).toEqual({
      page: 2,
      take: 5,
      rate: -0.25,
      isOpen: false,
      name: '1',
      levels: '2',
    });
    expect(read({ ids: 'a' })).toMatchObject({ ids: ['a'] });
    expect(read({ ids: ['a', 'b'] })).toMatchObject({ ids: ['a', 'b'] });
  });

  test.each([
    '',
    ' ',
    ' 1',
    '1 ',
    '+1',
    '01',
    '1.',
    '.5',
    '1e1',
    '0x1',
    '1_0',
    '１',
    '٣',
    'Infinity',
    'NaN',
    'null',
    '--1',
    '1'.repeat(17),
  ])('rejects %j as a number in a query', (rate) =>
    expect(refusalOf(() => read({ rate }))).toHaveProperty('rate'),
  );

  test('accepts only true and false as booleans in a query', () => {
    for (const isOpen of ['1', '0', 'TRUE', 'yes', '', 'on'])
      expect(refusalOf(() => read({ isOpen }))).toHaveProperty('isOpen');
  });

  test('accepts repeated query parameters only for arrays', () => {
    for (const name of ['page', 'isOpen', 'name', 'levels']) {
      expect(refusalOf(() => read({ [name]: ['1', '2'] }))).toHaveProperty(name);
    }
    expect(refusalOf(() => read({ ids: ['a', 'b', 'c', 'd'] }))).toHaveProperty('ids');
  });

  test('rejects NUL and lone surrogates in a query, even in the second value of a repeated parameter', () => {
    for (const name of ['a\0', '\ud800', ['a', 'b\0']])
      expect(refusalOf(() => read({ name }))).toHaveProperty('name');
    expect(refusalOf(() => read({ ids: ['a', '\udc00'] }))).toHaveProperty('ids');
  });

  test('rejects prototype keys in a query, even if the schema allows undeclared parameters', () => {
    const loose = textReader(z.object({ name: z.string().optional() }));
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      const query = Object.assign(Object.create(null), JSON.parse(`{"${key}":"1"}`));
      Object.defineProperty(query, key, { value: '1', enumerable: true });
      expect(refusalOf(() => loose(query))).toEqual({ [key]: 'is not a field of this request' });
    }
    expect(loose({ other: '1' })).toEqual({});
  });

  test("leaves the caller's query object unchanged", () => {
    const given = Object.freeze({ page: '2', ids: 'a' });
    read(given);
    expect(given).toEqual({ page: '2', ids: 'a' });
  });
});

test('returns 404 for malformed path parameters', () => {
  const read = pathReader(z.object({ id: z.number().int().min(1).max(2_147_483_647) }));
  expect(read({ id: '7' })).toEqual({ id: 7 });
  for (const id of ['0', '-1', '2147483648', '9223372036854775808', '1.5', 'x', '', '1\0', '\ud800', '01']) {
    expect(
      refusalOf(() => read({ id })),
      id,
    ).toEqual({ status: '404' });
  }
});

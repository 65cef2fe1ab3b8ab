import { expect, test } from 'vitest';
import { z } from 'zod';
import { fitFields, readFields } from './body.ts';

const Fields = z.object({ currency: z.string().min(1).max(8), amount: z.unknown() });
const read = (body: string) => fitFields(readFields(Buffer.from(body)), Fields);

test('rejects a list or an object where a string is expected, even if it has a length property', () => {
  for (const value of [
    '[]',
    '{}',
    '{"length":3}',
    '{"length":[]}',
    '{"length":[1]}',
    '{"length":[1.5]}',
    '{"length":{"a":1.5}}',
  ])
    for (const amount of ['1', '1.5', '12345678901234567890'])
      expect(read(`{"currency":${value},"amount":${amount}}`), value).toEqual({ unfit: 'INVALID_TYPE' });
  expect(read('{"currency":"","amount":1.5}')).toEqual({ unfit: 'INVALID_REQUEST' });
  expect(read('{"currency":"USDT","amount":1}')).toEqual({ fit: { currency: 'USDT', amount: 1 } });
});

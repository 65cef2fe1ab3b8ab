import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSigned, signatureOf } from './signature.ts';

const AT = 1_764_000_000;
const secret = 'the secret of the partner';
const raw = Buffer.from('{"amount":"1.50"}');
const signed = (header: string | string[] | undefined, changes: object = {}, body = raw) =>
  isSigned(body, header, { secrets: [secret], now: AT * 1000, toleranceSeconds: 300, ...changes });
const good = signatureOf(raw, secret, AT);

test('accepts only the signed bytes with the correct secret, time and format', () => {
  expect(signed(good)).toBe(true);
  const other = signatureOf(raw, 'another secret', AT);
  for (const header of [undefined, '', good.slice(0, -1), `${good}0`, good.toUpperCase(), ` ${good}`, other])
    expect(signed(header)).toBe(false);
  for (const header of [[good], `${good}, ${good}`, good.replace('v1', 'v0'), good.replace(/t=\d+/, 't=1')])
    expect(signed(header)).toBe(false);
  for (const body of ['{"amount": "1.50"}', '{"amount":"1.50"} ', '{"amount":"15.0"}', ''])
    expect(signed(good, {}, Buffer.from(body))).toBe(false);
});

test('accepts a signature whose timestamp differs from the current time by up to the tolerance', () => {
  const at = (seconds: number) => signed(good, { now: (AT + seconds) * 1000 });
  expect([at(300), at(301), at(-300), at(-301)]).toEqual([true, false, true, false]);
});

test('accepts signatures with both secrets during rotation, and rejects those with the old secret afterwards', () => {
  const [old, young] = [signatureOf(raw, 'old', AT), signatureOf(raw, 'young', AT)];
  for (const header of [old, young]) expect(signed(header, { secrets: ['young', 'old'] })).toBe(true);
  expect([signed(young, { secrets: ['young'] }), signed(old, { secrets: ['young'] })]).toEqual([true, false]);
  expect(signed(good, { secrets: [] })).toBe(false);
});

test('rejects a body in which any single byte has changed', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (bytes, at, by) => {
        const body = Buffer.from(bytes);
        const header = signatureOf(body, secret, AT);
        expect(signed(header, {}, body)).toBe(true);
        const changed = Buffer.from(body);
        changed[at % body.length] = (changed[at % body.length]! + by) & 0xff;
        expect(signed(header, {}, changed)).toBe(false);
      },
    ),
    { seed: 44 },
  );
});

import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type Dialect,
  gameProviders,
  pragmaticForm,
  supplierHeaders,
  vectors,
} from '../../../../../../test/kit/games/game-providers.ts';
import { formatUnits } from '../../../../../platform/money.ts';
import { hashOf } from './pragmatic/callback.ts';

const NOW = 1_764_000_000_000;
const providers = gameProviders({ now: NOW });
const verify = (
  dialect: string,
  body: string,
  headers: Record<string, string | undefined>,
  all = providers,
) => all.get(dialect).verify(Buffer.from(body), headers);

describe('published signatures, byte for byte', () => {
  const [generic] = vectors.generic.vectors;
  const [hub88] = vectors.hub88.vectors;
  const [softswiss] = vectors.softswiss.vectors;
  const [pragmatic] = vectors.pragmatic.vectors;

  test('matches the published signatures of the generic dialect', () => {
    const { body, value } = generic!;
    expect(verify('generic', body, { 'x-signature': value })).toBe(true);
    expect(supplierHeaders('generic', body, { at: NOW })['x-signature']).toBe(value);
    expect(providers.get('generic').read('', Buffer.from(body))).toMatchObject({
      call: { playerId: '42', currencyId: 'USDT', round: 'r-1', actions: [{ type: 'BET', id: 't-1' }] },
    });
  });

  test('accepts the valid published signatures of Hub88 and rejects the invalid ones', () => {
    const { body, signature, invalidFor } = hub88!;
    expect(verify('hub88', body, { 'x-hub88-signature': signature })).toBe(true);
    expect(verify('hub88', invalidFor, { 'x-hub88-signature': signature })).toBe(false);
    expect(supplierHeaders('hub88', body)['x-hub88-signature']).toBe(signature);
    const read = providers.get('hub88').read('transaction/bet', Buffer.from(body));
    expect(read).toMatchObject({ call: { currencyId: 'EUR', actions: [{ type: 'BET', isFree: false }] } });
    expect('call' in read && formatUnits(read.call.actions[0]!.amount)).toBe('10');
  });

  test('matches the published signatures of SOFTSWISS', () => {
    const { body, signature } = softswiss!;
    expect(verify('softswiss', body, { 'x-request-sign': signature })).toBe(true);
    const read = providers.get('softswiss').read('play', Buffer.from(body));
    expect(read).toMatchObject({
      call: {
        round: '1761032910488163506',
        closes: true,
        actions: [
          { type: 'BET', amount: 100_000_000n },
          { type: 'WIN', amount: 250_000_000n },
        ],
      },
    });
  });

  test('matches the published signatures of Pragmatic Play', () => {
    const { body, params, hash, path } = pragmatic!;
    expect(verify('pragmatic', body, {})).toBe(true);
    expect(hashOf(Object.entries(params), vectors.pragmatic.secret)).toBe(hash);
    expect(pragmaticForm(params)).toBe(body);
    expect(providers.get('pragmatic').read(path, Buffer.from(body))).toMatchObject({
      call: { gameCode: 'vs20orchards', actions: [{ type: 'BET', amount: 200_000_000n }] },
    });
  });
});

const HEADERS = { generic: 'x-signature', hub88: 'x-hub88-signature', softswiss: 'x-request-sign' } as const;
const { privateKey: strange, publicKey: second } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const WRONG: Record<Dialect, string> = {
  generic: vectors.softswiss.authToken,
  hub88: strange,
  softswiss: vectors.generic.secret,
  pragmatic: vectors.generic.secret,
};
const BODY = '{"a":1}';

describe.each(['generic', 'hub88', 'softswiss'] as const)('signatures of %s', (dialect) => {
  const name = HEADERS[dialect];
  const good = supplierHeaders(dialect, BODY, { at: NOW })[name] as string;

  test('accepts a signature only if exactly these bytes were signed', () => {
    expect(verify(dialect, BODY, { [name]: good })).toBe(true);
    for (const body of [`${BODY} `, ` ${BODY}`, '{"a": 1}', '{"a":2}', ''])
      expect(verify(dialect, body, { [name]: good })).toBe(false);
  });

  test('rejects a signature that is missing, truncated, sent twice or created with another key', () => {
    expect(verify(dialect, BODY, {})).toBe(false);
    const stranger = supplierHeaders(dialect, BODY, { at: NOW, secret: WRONG[dialect] });
    expect(verify(dialect, BODY, stranger as Record<string, string>)).toBe(false);
    for (const value of [
      '',
      good.slice(0, -1),
      good.slice(0, -4),
      `${good}0`,
      `${good}, ${good}`,
      ` ${good}`,
    ])
      expect(verify(dialect, BODY, { [name]: value }), value).toBe(false);
    expect(providers.get(dialect).verify(Buffer.from(BODY), { [name]: [good, good] })).toBe(false);
  });

  test('rejects a signature in the header of another provider', () => {
    for (const other of Object.values(HEADERS).filter((header) => header !== name))
      expect(verify(dialect, BODY, { [other]: good })).toBe(false);
  });

  test('accepts the second secret during a rotation', () => {
    const change = {
      [dialect]:
        dialect === 'hub88'
          ? { publicKeys: [vectors.hub88.publicKey, second] }
          : { secrets: [(vectors as any)[dialect].secret ?? vectors.softswiss.authToken, WRONG[dialect]] },
    };
    const both = gameProviders({ now: NOW, change });
    const late = supplierHeaders(dialect, BODY, { at: NOW, secret: WRONG[dialect] });
    expect(verify(dialect, BODY, late as Record<string, string>, both)).toBe(true);
    expect(verify(dialect, BODY, { [name]: good }, both)).toBe(true);
  });
});

test('accepts generic signatures up to 300 seconds old', () => {
  for (const [seconds, isTaken] of [
    [-301, false],
    [-300, true],
    [0, true],
    [300, true],
    [301, false],
  ] as const) {
    const headers = supplierHeaders('generic', BODY, { at: NOW + seconds * 1000 });
    expect(verify('generic', BODY, headers as Record<string, string>), String(seconds)).toBe(isTaken);
  }
});

describe('signatures of Pragmatic Play', () => {
  const fields = { userId: '42', amount: '2.00', empty: '', text: 'a b&c=d é' };
  const form = pragmaticForm(fields);

  test('accepts a signature of the decoded fields in any order', () => {
    expect(verify('pragmatic', form, {})).toBe(true);
    expect(verify('pragmatic', form.split('&').reverse().join('&'), {})).toBe(true);
    expect(verify('pragmatic', form.replaceAll('+', '%20'), {})).toBe(true);
  });

  test('rejects signatures of other fields or values', () => {
    const hash = new URLSearchParams(form).get('hash')!;
    for (const body of [
      '',
      `hash=${hash}`,
      form.replace(/&hash=.*/, ''),
      form.replace('2.00', '2.000'),
      form.replace('2.00', '3.00'),
      `${form}&more=1`,
      `${form} `,
      `${form}&hash=${hash}`,
      form.replace(hash, hash.slice(1)),
      form.replace(hash, hash.toUpperCase()),
      pragmaticForm(fields, WRONG.pragmatic),
    ])
      expect(verify('pragmatic', body, {}), body).toBe(false);
  });

  test('accepts the second Pragmatic Play secret', () => {
    const change = { pragmatic: { secrets: [vectors.pragmatic.secret, WRONG.pragmatic] } };
    const both = gameProviders({ change });
    expect(verify('pragmatic', pragmaticForm(fields, WRONG.pragmatic), {}, both)).toBe(true);
    expect(verify('pragmatic', form, {}, both)).toBe(true);
  });
});

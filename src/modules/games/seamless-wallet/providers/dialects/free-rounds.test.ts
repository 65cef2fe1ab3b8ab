/** Free-round orders in the format of each dialect that supports them. */
import { createHash, createHmac, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Dialect, gameProviders, vectors } from '../../../../../../test/kit/games/game-providers.ts';
import { units } from '../../../../../platform/money.ts';
import { NotSent, Unanswered } from '../../../../../platform/net/outbound.ts';
import type { FreeRoundsOrder } from '../provider.ts';

type Request = { path: string; headers: IncomingHttpHeaders; body: string };
let asked: Request[] = [];
/** The mocked responses, by path suffix. */
let replies: Record<string, { status?: number; body: object }> = {};
const supplier = createServer(async (incoming, outgoing) => {
  const { url: path = '', headers } = incoming;
  asked.push({ path, headers, body: await textOf(incoming) });
  const [, reply] = Object.entries(replies).find(([end]) => path.split('?')[0]!.endsWith(end)) ?? [];
  outgoing.writeHead(reply?.status ?? 200).end(JSON.stringify(reply?.body ?? {}));
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => supplier.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(supplier.address() as AddressInfo).port}`;
});
afterEach(() => {
  asked = [];
  replies = {};
});
afterAll(() => void supplier.close());

const NOW = 1_764_000_000_000;
const freeRoundsOf = (dialect: Dialect) => gameProviders({ url, now: NOW }).get(dialect).freeRounds!;
const ORDER: FreeRoundsOrder = {
  id: 'grant-7',
  userId: 42,
  currencyId: 'USD',
  gameCode: 'seven-orchards',
  rounds: 20,
  bet: units('0.1'),
  validUntil: new Date('2026-12-24T00:00:00Z'),
};
const paths = () => asked.map(({ path }) => path.split('?')[0]!.replace(/^\/api\/\w+/, ''));

test('offers no free rounds in the generic dialect', () => {
  expect(gameProviders({ url }).get('generic').freeRounds).toBeUndefined();
});

describe('Hub88', () => {
  const PREPAID = {
    prepaid_uuid: 'p',
    game_code: 'seven-orchards',
    currency: 'US$',
    bet_value: null,
    bet_count: null,
  };
  const others = [
    { ...PREPAID, prepaid_uuid: 'a', currency: 'EUR' },
    { ...PREPAID, prepaid_uuid: 'b', game_code: 'other' },
    { ...PREPAID, prepaid_uuid: 'c', bet_value: 20_000 },
    { ...PREPAID, prepaid_uuid: 'd', bet_count: 10 },
  ];
  const API = '/operator/generic/v2/freebet';
  const isSigned = ({ headers, body }: Request) =>
    verify(
      'RSA-SHA256',
      Buffer.from(body),
      vectors.hub88.publicKey,
      Buffer.from(String(headers['x-hub88-signature']), 'base64'),
    );

  test('creates a Hub88 reward from the matching prepaid offer', async () => {
    replies = {
      'rewards/list': { body: { rewards: [{ reward_uuid: 'old', operator_reference: 'grant-6' }] } },
      'prepaids/list': { body: [...others, PREPAID] },
      'rewards/create': { body: { reward_uuid: 'r' } },
    };
    expect(await freeRoundsOf('hub88').give(ORDER)).toBe('r');
    expect(paths()).toEqual([`${API}/rewards/list`, `${API}/prepaids/list`, `${API}/rewards/create`]);
    expect(asked.every(isSigned)).toBe(true);
    expect(JSON.parse(asked[2]!.body)).toEqual({
      operator_id: 'casino',
      user: '42',
      prepaid_uuid: 'p',
      game_code: 'seven-orchards',
      currency: 'US$',
      bet_value: 10_000,
      bet_count: 20,
      end_time: '2026-12-24T00:00:00.000Z',
      operator_reference: 'grant-7',
    });
  });

  test('requires the same bet and count when the prepaid offer defines them', async () => {
    const exact = { ...PREPAID, bet_value: 10_000, bet_count: 20 };
    replies = {
      'rewards/list': { body: { rewards: [] } },
      'prepaids/list': { body: [...others, exact] },
      'rewards/create': { body: { reward_uuid: 'r' } },
    };
    expect(await freeRoundsOf('hub88').give(ORDER)).toBe('r');
    replies['prepaids/list'] = { body: others };
    await expect(freeRoundsOf('hub88').give(ORDER)).rejects.toThrow(NotSent);
  });

  test('finds a reward when the response to its creation was lost', async () => {
    replies = {
      'rewards/list': { body: { rewards: [{ reward_uuid: 'r', operator_reference: 'grant-7' }] } },
    };
    expect(await freeRoundsOf('hub88').give(ORDER)).toBe('r');
    await freeRoundsOf('hub88').withdraw(ORDER, null);
    expect(paths().slice(1)).toEqual([`${API}/rewards/list`, `${API}/rewards/cancel`]);
    expect(JSON.parse(asked[2]!.body)).toEqual({ operator_id: 'casino', reward_uuid: 'r' });
  });

  test('cancels nothing when no reward was created', async () => {
    replies = { 'rewards/list': { body: { rewards: [] } } };
    await freeRoundsOf('hub88').withdraw(ORDER, null);
    expect(paths()).toEqual([`${API}/rewards/list`]);
  });
});

describe('SOFTSWISS', () => {
  const isSigned = ({ headers, body }: Request) =>
    headers['x-request-sign'] ===
    createHmac('sha256', vectors.softswiss.authToken).update(body).digest('hex');

  test("creates free spins with the platform's own id", async () => {
    expect(await freeRoundsOf('softswiss').give(ORDER)).toBe('grant-7');
    await freeRoundsOf('softswiss').withdraw(ORDER, 'grant-7');
    expect(paths()).toEqual(['/freespins/issue', '/freespins/cancel']);
    expect(asked.every(isSigned)).toBe(true);
    expect(JSON.parse(asked[0]!.body)).toEqual({
      casino_id: 'casino',
      issue_id: 'grant-7',
      currency: 'US$',
      games: ['seven-orchards'],
      freespins_quantity: 20,
      bet_amount: 10,
      valid_until: '2026-12-24T00:00:00.000Z',
      user: { id: '42' },
    });
    expect(JSON.parse(asked[1]!.body)).toEqual({ casino_id: 'casino', issue_id: 'grant-7' });
  });
});

describe('Pragmatic Play', () => {
  const API = '/FreeRoundsBonusAPI';
  const isSigned = (text: string) => {
    const fields = [...new URLSearchParams(text)].filter(([name]) => name !== 'hash');
    fields.sort(([a], [b]) => (a < b ? -1 : 1));
    const base = fields.map(([name, value]) => `${name}=${value}`).join('&') + vectors.pragmatic.secret;
    return new URLSearchParams(text).get('hash') === createHash('md5').update(base).digest('hex');
  };

  test("creates a bonus with the platform's own id, the order in the query and the bet in the body", async () => {
    replies = {
      'getPlayersFRB/': { body: { error: '0', bonuses: [{ bonusCode: 'grant-6' }] } },
      'create/': { body: { error: '0' } },
    };
    expect(await freeRoundsOf('pragmatic').give(ORDER)).toBe('grant-7');
    expect(paths()).toEqual([`${API}/getPlayersFRB/`, `${API}/v2/bonus/player/create/`]);
    const query = asked[1]!.path.split('?')[1]!;
    expect(isSigned(query) && isSigned(asked[0]!.body)).toBe(true);
    expect(Object.fromEntries(new URLSearchParams(query))).toMatchObject({
      secureLogin: 'casino',
      bonusCode: 'grant-7',
      playerId: '42',
      currency: 'US$',
      rounds: '20',
      startDate: '1764000000',
      expirationDate: '1798070400',
    });
    expect(asked[1]!.body).toBe(
      '{"gameList":[{"gameId":"seven-orchards","betValues":[{"totalBet":0.10,"currency":"US$"}]}]}',
    );
  });

  test('does not create a bonus that already exists', async () => {
    replies = { 'getPlayersFRB/': { body: { error: '0', bonuses: [{ bonusCode: 'grant-7' }] } } };
    expect(await freeRoundsOf('pragmatic').give(ORDER)).toBe('grant-7');
    expect(paths()).toEqual([`${API}/getPlayersFRB/`]);
  });
});

describe.each(['hub88', 'softswiss', 'pragmatic'] as const)('%s', (dialect) => {
  const all = (status: number, body: object = {}) => ({ '': { status, body } });
  test.each([
    [401, NotSent],
    [403, NotSent],
    [429, NotSent],
    [400, Unanswered],
    [500, Unanswered],
  ])('treats an order as not accepted when the response status is %i', async (status, kind) => {
    replies = all(status);
    await expect(freeRoundsOf(dialect).give(ORDER)).rejects.toThrow(kind);
  });

  test('orders no free rounds in an unsupported currency', async () => {
    replies = all(200, { error: '0', bonuses: [], rewards: [] });
    await expect(freeRoundsOf(dialect).give({ ...ORDER, currencyId: 'DOGE' })).rejects.toThrow(NotSent);
  });

  test.each([
    [404, undefined],
    [400, undefined],
    [403, NotSent],
    [500, Unanswered],
  ])('handles the response status %i when free rounds are cancelled', async (status, kind) => {
    replies = all(status);
    const withdrawn = freeRoundsOf(dialect).withdraw(ORDER, 'r');
    if (kind) await expect(withdrawn).rejects.toThrow(kind);
    else await expect(withdrawn).resolves.toBeUndefined();
  });
});

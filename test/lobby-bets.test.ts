import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Refused } from '../client/call.ts';

const DICE = 'POST /casino/games/house/dice/bet';
const SERIES = 'POST /casino/games/house/dice/series';
const UNKNOWN = { statusCode: 503, code: 'BET_OUTCOME_UNKNOWN', message: 'unknown' };
const bet = (betAmount: string) => ({ body: { currencyId: 'USDT', betAmount, above: true, threshold: 50 } });

const stored = new Map<string, string>();
const sessionStorage = {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => void stored.set(key, value),
  removeItem: (key: string) => void stored.delete(key),
};
/** The idempotency keys of the requests, in order. */
let keys: string[] = [];
let respond: () => Promise<Response>;
const json = (status: number, body: object) => async () => Response.json(body, { status });
const lose = () => Promise.reject(new TypeError('Failed to fetch'));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.stubGlobal('document', { getElementById: () => null });
  vi.stubGlobal('sessionStorage', sessionStorage);
  vi.stubGlobal('fetch', (_: string, init: { headers: Record<string, string> }) => {
    keys.push(init.headers['idempotency-key']!);
    return respond();
  });
  stored.clear();
  keys = [];
  respond = json(201, { betId: '1' });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.resetModules();
});

// With the type `string`, so that the types of these modules, which are those of browsers, are not checked here.
const SEND: string = '../web/lobby/games/play/send.ts';
const PENDING: string = '../web/lobby/pending.ts';

let me: { id: number };
const userId = () => me.id;
const asRefused = (error: unknown) => {
  const { status = 0, code = 'FAILED', message = '', earlier = [] } = error as Partial<Refused>;
  return Object.assign(new Refused(status, { code, message }), { earlier });
};
afterAll(() => void vi.doUnmock('../web/kit/query.ts'));

/** Loads the modules again, as a reload of the page does. */
async function openPage(player: number) {
  vi.resetModules();
  // The real module needs the icons that the build makes.
  vi.doMock('../web/kit/query.ts', () => ({ userId, asRefused }));
  const signIn = (id: number) => {
    me = { id };
  };
  signIn(player);
  return { signIn, ...(await import(SEND)), ...(await import(PENDING)) };
}

/** Returns the code of the error, or the response. */
async function settled(sent: Promise<unknown>): Promise<unknown> {
  const result = sent.catch((error) => error.code);
  await vi.advanceTimersByTimeAsync(120_000);
  return result;
}

test('stores a bet before it is sent, until its response arrives', async () => {
  const page = await openPage(1);
  respond = async () => {
    expect(page.pending()).toMatchObject([{ op: DICE, key: keys[0] }]);
    return json(201, { betId: '1' })();
  };
  expect(await settled(page.send(DICE, bet('1')))).toEqual({ betId: '1' });
  expect(page.pending()).toEqual([]);
});

test.each([DICE, SERIES])(
  'asks for %s with its own key after a reload when the response was lost',
  async (op) => {
    const page = await openPage(1);
    respond = lose;
    expect(await settled(page.send(op, bet('1')))).toBe('NO_ANSWER');
    const reloaded = await openPage(1);
    const [ask, ...others] = reloaded.pendingBets(op, {});
    expect(others).toEqual([]);
    const asked = ask();
    await vi.advanceTimersByTimeAsync(60_000);
    respond = json(201, { betId: '1' });
    expect(await settled(asked)).toEqual({ betId: '1' });
    expect(new Set(keys).size).toBe(1);
    expect(reloaded.pendingBets(op, {})).toEqual([]);
  },
);

test('reuses the key of a lost bet for the same input only', async () => {
  const page = await openPage(1);
  respond = lose;
  await settled(page.send(DICE, bet('1')));
  await settled(page.send(DICE, bet('1')));
  expect(new Set(keys).size).toBe(1);
  await settled(page.send(DICE, bet('2')));
  expect(new Set(keys).size).toBe(2);
  expect(page.pending().map(({ input }: { input: string }) => JSON.parse(input))).toEqual([bet('2')]);
});

test('keeps a lost bet when a later attempt fails without settling it', async () => {
  const page = await openPage(1);
  respond = lose;
  await settled(page.send(DICE, bet('1')));
  for (const status of [401, 429, 502]) {
    respond = json(status, { code: 'ANY', message: 'any' });
    await settled(page.send(DICE, bet('1')));
    expect(page.pending(), `${status}`).toHaveLength(1);
  }
  respond = json(400, { code: 'INSUFFICIENT_BALANCE', message: 'any' });
  expect(await settled(page.send(DICE, bet('1')))).toBe('INSUFFICIENT_BALANCE');
  expect(page.pending()).toEqual([]);
});

test.each([
  [503, 'SHUTTING_DOWN'],
  [429, 'RATE_LIMITED'],
  [401, 'UNAUTHORIZED'],
])('keeps a bet whose first attempt was lost and whose last one got %i %s', async (status, code) => {
  const page = await openPage(1);
  respond = lose;
  const sent = page.send(DICE, bet('1'));
  await vi.advanceTimersByTimeAsync(500);
  respond = json(status, { code, message: 'any' });
  expect(await settled(sent)).toBe(code);
  expect(page.pending()).toHaveLength(1);
});

test('drops a bet that the server has only rejected', async () => {
  const page = await openPage(1);
  respond = json(503, { code: 'SHUTTING_DOWN', message: 'any' });
  expect(await settled(page.send(DICE, bet('1')))).toBe('SHUTTING_DOWN');
  expect(page.pending()).toEqual([]);
});

test('stops repeating a bet after another player signs in', async () => {
  const page = await openPage(1);
  respond = json(503, UNKNOWN);
  const sent = page.send(DICE, bet('1')).catch((error: { code: string }) => error.code);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(keys.length).toBeGreaterThan(2);
  page.signIn(2);
  expect(page.pendingBets(DICE, {})).toEqual([]);
  // A request that is repeated at this moment is the last one.
  await vi.advanceTimersByTimeAsync(10_000);
  const before = keys.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(keys.length).toBe(before);
  expect(await sent).toBe('BET_OUTCOME_UNKNOWN');
  const reloaded = await openPage(2);
  expect(reloaded.pendingBets(DICE, {})).toEqual([]);
  // Only the player who placed the bet can ask for it.
  reloaded.signIn(1);
  expect(reloaded.pendingBets(DICE, {})).toHaveLength(1);
});

test('drops bets without a response and stops their requests at sign-out', async () => {
  const page = await openPage(1);
  respond = lose;
  const sent = page.send(DICE, bet('1')).catch((error: Error) => error.name);
  await vi.advanceTimersByTimeAsync(500);
  page.dropPending();
  const before = keys.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(keys.length).toBe(before);
  expect(await sent).toBe('AbortError');
  expect((await openPage(1)).pendingBets(DICE, {})).toEqual([]);
});

test.each(['undecided', 'lost'])(
  'sends no %s bet again after sign-out, even if signing out takes long',
  async (how) => {
    let page = await openPage(1);
    respond = how === 'lost' ? lose : json(503, UNKNOWN);
    let sent = page.send(DICE, bet('1')).catch((error: Error) => error.name);
    if (how === 'lost') {
      await settled(sent);
      page = await openPage(1);
      sent = page.pendingBets(DICE, {})[0]!().catch((error: Error) => error.name);
    }
    await vi.advanceTimersByTimeAsync(30_000);
    page.dropPending();
    const before = keys.length;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(keys.length).toBe(before);
    await sent;
    expect(page.pending()).toEqual([]);
  },
);

test.each(['{', '[{', 'null', '{}', '[null]', '[{"op":1}]'])(
  'ignores the damaged stored bets %s',
  async (text) => {
    stored.set('1.pendingBets', text);
    const page = await openPage(1);
    expect(page.pendingBets(DICE, {})).toEqual([]);
    expect(await settled(page.send(DICE, bet('1')))).toEqual({ betId: '1' });
  },
);

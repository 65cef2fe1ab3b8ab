import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { Refused } from '../client/call.ts';

const stored = new Map<string, string>();
const place = {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => void stored.set(key, value),
  removeItem: (key: string) => void stored.delete(key),
};
vi.stubGlobal('document', { getElementById: () => null });
vi.stubGlobal('localStorage', place);
vi.stubGlobal('sessionStorage', place);

let player: number | undefined;
/** The state of the component that is shown. */
let state: unknown;
// These tests call hooks without a component.
vi.doMock('react', () => ({
  createContext: () => undefined,
  use: () => 'dice',
  useState: (first: () => unknown) => {
    state ??= first();
    return [state, (next: unknown) => (state = next)];
  },
  useSyncExternalStore: (_: unknown, get: () => unknown) => get(),
}));
const RATES = [{ id: 'USDT', usdRate: '1', decimals: 6 }];
// The real modules need the icons that the build makes.
vi.doMock('../web/kit/query.ts', () => ({ userId: () => player, useRead: () => ({ data: RATES }) }));
let isKnown = true;
vi.doMock('../web/lobby/balances.ts', () => ({
  useCurrency: () => ({ currencyId: 'USDT', amount: isKnown ? '5' : '0', isKnown }),
}));
afterAll(() => {
  vi.doUnmock('../web/kit/query.ts');
  vi.doUnmock('../web/lobby/balances.ts');
  vi.doUnmock('react');
  vi.unstubAllGlobals();
});

// With the type `string`, so that the types of these modules, which are those of browsers, are not checked here.
const OWN: string = '../web/lobby/own.ts';
const OWN_STORE: string = '../web/lobby/own-store.ts';
const STORE: string = '../web/kit/store.ts';
const STAKE: string = '../web/lobby/games/play/stake.ts';
const WORDS: string = '../web/kit/words.ts';
const { own } = await import(OWN);
const { ownStore } = await import(OWN_STORE);
const { useKept } = await import(STORE);
const { useStake } = await import(STAKE);
const { kit } = await import(WORDS);
Object.assign((await import('../web/lobby/words.ts' as string)).words, { play: { tooLittle: 'too little' } });

/** Returns what a hook returns when this player opens the page. */
function opened<T>(id: number | undefined, hook: () => T): T {
  player = id;
  state = undefined;
  return hook();
}

beforeEach(() => {
  stored.clear();
  player = 1;
});

test('stores a setting for one player, who finds it again', () => {
  const isText = (value: unknown): value is string => typeof value === 'string';
  const setting = () => useKept(own, 'chosen.keno', ['CLASSIC', isText]);
  opened(1, setting)[1]('HIGH');
  expect(opened(1, setting)[0]).toBe('HIGH');
  expect(opened(2, setting)[0]).toBe('CLASSIC');
  expect(opened(undefined, setting)[0]).toBe('CLASSIC');
});

test('stores the bet amount for one player, who finds it again', () => {
  const stake = () => useStake(undefined, undefined, false);
  opened(1, stake).change('2.50');
  stake().keep();
  expect(opened(1, stake).betAmount).toBe('2.50');
  expect(opened(2, stake).betAmount).toBe('1.00');
});

test('reports a balance that is lower than the bet amount apart from other problems', () => {
  const stakeOf = (total: string, isLocked = false) =>
    opened(1, () => useStake(total, { minBet: 1, maxBet: 50, maxProfit: 100 }, isLocked));
  expect(stakeOf('6')).toMatchObject({ isShort: true, problem: 'too little' });
  expect(stakeOf('5')).toMatchObject({ isShort: false, problem: undefined });
  expect(stakeOf('6', true)).toMatchObject({ isShort: false, problem: undefined });
  expect(stakeOf('1,204')).toMatchObject({ isShort: false, problem: kit.wrong.amount });
  isKnown = false;
  expect(stakeOf('6')).toMatchObject({ isShort: false, problem: undefined });
  isKnown = true;
});

test('keeps a value of the page when another tab sets it, but hides it from the next player', () => {
  const store = ownStore('hotkeys');
  expect(store.get()).toBeUndefined();
  store.set('true');
  own.set('hotkeys', 'false');
  expect(store.get()).toBe('true');
  expect(ownStore('hotkeys').get()).toBe('false');
  player = 2;
  expect(store.get()).toBeUndefined();
});

test('sets a value for this page only', () => {
  const store = ownStore('currency');
  store.pin('BTC');
  expect(store.get()).toBe('BTC');
  expect(ownStore('currency').get()).toBeUndefined();
});

test('does not know the user after a 401, but during an outage', async () => {
  vi.resetModules();
  vi.doUnmock('../web/kit/query.ts');
  vi.doMock('../web/kit/code.tsx', () => ({ askForCode: vi.fn(), askForPassword: vi.fn() }));
  vi.doMock('../web/kit/toast.tsx', () => ({ say: vi.fn() }));
  const { queries, userId } = await import('../web/kit/query.ts' as string);
  const key = ['GET /user/me', {}];
  expect(userId()).toBeUndefined();
  queries.setQueryData(key, { id: 7 });
  const fail = (status: number) =>
    queries
      .fetchQuery({
        queryKey: key,
        queryFn: () => Promise.reject(new Refused(status, { code: 'FAILED', message: '' })),
        retry: false,
        staleTime: 0,
      })
      .catch(() => undefined);
  await fail(503);
  expect(userId()).toBe(7);
  await fail(401);
  expect(userId()).toBeUndefined();
  vi.doUnmock('../web/kit/code.tsx');
  vi.doUnmock('../web/kit/toast.tsx');
});

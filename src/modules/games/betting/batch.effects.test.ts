/** Compares the complete statements and outcomes of a batch while one property of a request is varied at a time. */
import { describe, expect, test, vi } from 'vitest';
import { openWorld } from '../../../../test/kit/games/bets.ts';
import {
  AT,
  BLOCK,
  CHANGE,
  type Change,
  moved,
  NEW_BET,
  OPEN_BET,
  plan,
  player,
  readings,
  refusing,
  request,
  wallet,
  won,
} from '../../../../test/kit/money/batch.ts';
import { AppError } from '../../../platform/errors.ts';
import { MAX_UNITS } from '../../../platform/money.ts';
import { type StoredAnswer, storeStatement } from '../../base/idempotency/service.ts';
import { advanceNonces, type Player } from '../../base/players/service.ts';
import { writePlayStatement } from '../../compliance/gate/queries.ts';
import { noPlay, type Restrictions, recordUsage, reverseUsage } from '../../compliance/gate/rules.ts';
import { writeStatements } from '../../money/ledger/queries.ts';
import { changeOpen, insertOpen, insertSettled, markNewUndecided, markUndecided } from '../bets/queries.ts';
import { idsOf, planBatch } from './batch.ts';
import { apply, createBatch, type Readings, statementsOf } from './books.ts';
import { bettingErrors } from './errors.ts';
import { type BetDraft, draftOf } from './play.ts';
import type { Batch, GameRequest, Store } from './request.ts';

const HASH = Buffer.from([7]);

const keyed = (change: Change = {}, more: Partial<GameRequest> = {}) =>
  request(change, { repeat: { key: 'k', inputHash: HASH }, ...more });
const outcomesOf = (...args: Parameters<typeof plan>) => plan(...args).outcomes(BLOCK);

describe('statements', () => {
  test('writes no statements when nothing changes', () => {
    const { statements, taken, wallets, refuses } = plan([request(), request()]);
    expect([statements, [...taken], [...wallets], refuses]).toEqual([[], [], [], false]);
    expect(plan([]).statements).toEqual([]);
  });

  test('writes the stake, payout, nonce and bet of several requests, using three ids per request', () => {
    const bet = (batch: Batch): Partial<BetDraft> => ({
      staked: moved(10n),
      credit: won(15n),
      madeBy: batch.player(11),
      takesNonce: true,
      settled: { ...NEW_BET, id: batch.offset, nonce: batch.nonce(batch.player(11)) },
    });
    const { statements, taken, wallets } = plan([request(bet), request(bet)]);
    const after = { ...wallet(110n) };
    const common = { userId: 11, currencyId: 'USDT' };
    const stake = { ...common, kind: 'bet.stake', amount: 10n, debit: 'cash', credit: 'house' } as const;
    const paid = { ...common, kind: 'bet.payout', amount: 15n, debit: 'house', credit: 'cash' } as const;
    expect(statements).toEqual([
      advanceNonces([player()], [2], { keepsTime: false }),
      ...writeStatements(
        [after],
        [
          { posting: { ...stake, debitAfter: 90n, creditAfter: null }, id: 1, entry: 0 },
          { posting: { ...paid, debitAfter: null, creditAfter: 105n }, id: 2, entry: 0 },
          { posting: { ...stake, debitAfter: 95n, creditAfter: null }, id: 4, entry: 3 },
          { posting: { ...paid, debitAfter: null, creditAfter: 110n }, id: 5, entry: 3 },
        ],
      ),
      insertSettled([
        { ...NEW_BET, id: 0, nonce: 4 },
        { ...NEW_BET, id: 3, nonce: 5 },
      ]),
    ]);
    expect([[...taken.values()], [...wallets]]).toEqual([[2], [after]]);
  });

  test('writes the undecided part of new and changed bets that have one', () => {
    const bets = [
      request({ settled: { ...NEW_BET, id: 0, undecided: 5n } }),
      request({ settled: { ...NEW_BET, id: 3, undecided: 0n } }),
      request({ settled: { ...NEW_BET, id: 6 } }),
      request({ changed: { ...CHANGE, id: 900n, undecided: 7n }, entry: { betId: 900n } }),
      request({ changed: { ...CHANGE, id: 901n, undecided: 0n }, entry: { betId: 901n } }),
    ];
    const names = (requests: GameRequest[]) => plan(requests).statements.map(({ name }) => name);
    const { statements } = plan(bets);
    expect(statements).toContainEqual(markNewUndecided([{ id: 0, undecided: 5n }]));
    expect(statements).toContainEqual(markUndecided([{ id: 900n, undecided: 7n }]));
    expect(names(bets.slice(1, 3))).toEqual([insertSettled([]).name]);
    expect(names(bets.slice(4))).toEqual([changeOpen([CHANGE]).name]);
  });

  test('writes the payout of an earlier bet with the first id of the block', () => {
    const { statements } = plan([request({ credit: won(15n), entry: { betId: 900n } })]);
    const posting = {
      userId: 11,
      currencyId: 'USDT',
      kind: 'bet.payout',
      amount: 15n,
      debit: 'house',
      credit: 'cash',
      debitAfter: null,
      creditAfter: 115n,
    } as const;
    expect(statements).toEqual(writeStatements([wallet(115n)], [{ posting, id: 1, entry: -124n }]));
  });

  test('writes opened and changed bets, and only the last change of each', () => {
    const again = { ...CHANGE, payout: 16n };
    const { statements } = plan([
      request({ opened: OPEN_BET }),
      request({ changed: CHANGE }),
      request({ changed: again }),
    ]);
    // Only the last change to a bet is written.
    expect(statements).toEqual([insertOpen([OPEN_BET]), changeOpen([again])]);
  });

  test('ends bets of a shared round without planBatch, with the number of ids that the caller requests', () => {
    const batch = createBatch(readings(), BLOCK, 5);
    const end = (id: bigint): BetDraft => ({
      game: 'test',
      wallet: batch.wallet(11, 'USDT'),
      staked: moved(0n),
      credit: won(15n),
      entry: { betId: id },
      changed: { ...CHANGE, id, settlement: batch.offset },
      answer: () => ({}),
    });
    for (const id of [900n, 901n]) apply(draftOf(batch, end(id)), batch);
    const posting = {
      userId: 11,
      currencyId: 'USDT',
      kind: 'bet.payout',
      amount: 15n,
      debit: 'house',
      credit: 'cash',
      debitAfter: null,
    } as const;
    expect(statementsOf(batch)).toEqual([
      ...writeStatements(
        [wallet(130n)],
        [
          { posting: { ...posting, creditAfter: 115n }, id: 1, entry: -124n },
          { posting: { ...posting, creditAfter: 130n }, id: 6, entry: -123n },
        ],
      ),
      changeOpen([
        { ...CHANGE, id: 900n, settlement: 0 },
        { ...CHANGE, id: 901n, settlement: 5 },
      ]),
    ]);
  });

  test("passes a player's stored rows and earlier changes to each request, and writes the changes once", () => {
    const write = vi.fn((state: number[]) => [{ name: 'write', text: '', values: [state.length] }]);
    const kept = { read: () => [], stateOf: () => [], write } as unknown as Store;
    const unwritten = { read: () => [], stateOf: () => [] } as Store;
    const add = (_batch: Batch, state: unknown): Partial<BetDraft> => ({
      changeState: () => (state as number[]).push(1),
    });
    const seen: unknown[] = [];
    const look = (_batch: Batch, state: unknown) => {
      seen.push(state === undefined ? 'none' : (state as number[]).length);
      return {};
    };
    const states = new Map<Store, unknown>([
      [kept, []],
      [unwritten, []],
    ]);
    const requests = [request(add, { store: kept }), request(look, { store: kept }), request(look)];
    expect(plan(requests, { states }).statements).toEqual([{ name: 'write', text: '', values: [1] }]);
    expect(seen).toEqual([1, 'none']);
  });
});

describe('the data that a request can read', () => {
  /** Returns the data that the request sees, or its error message. */
  const found = (
    look: (batch: Batch) => unknown,
    change: Partial<Readings> = {},
    before: GameRequest[] = [],
  ) => {
    let value: unknown;
    const looking = request((batch) => {
      value = look(batch);
      return {};
    });
    const last = planBatch([...before, looking], readings(change), BLOCK)
      .outcomes(BLOCK)
      .at(-1)!;
    return 'refusal' in last ? last.refusal.message : value;
  };
  const bet = (takesNonce: boolean) => request((batch) => ({ madeBy: batch.player(11), takesNonce }));

  test('throws for a player or seed pair that was not read', () => {
    expect(found((batch) => batch.player(12))).toBe('user 12 is no player');
    expect(found((batch) => batch.pair(3n))).toBe('pair 3 was not read');
    const players = new Map([[11, player({ isRestricted: true })]]);
    const refusal = (batch: Batch) => batch.refusalOf({ userId: 11, country: null }, 1n);
    expect(found(refusal, { players })).toBe('the restrictions of user 11 were not read');
    expect(found(refusal)).toBeUndefined();
  });

  test('rejects a bet once every nonce of the seed pair is used', () => {
    const at = (nonce: number) =>
      found((batch) => batch.nonce(batch.player(11)), { players: new Map([[11, player({ nonce })]]) });
    expect(at(2_147_483_646)).toBe(2_147_483_646);
    expect(at(2_147_483_647)).toBe(bettingErrors.SEEDS_USED_UP.message);
  });

  test('returns undefined for an unknown player', () => {
    expect(found((batch) => batch.findPlayer(11))).toEqual(player());
    expect(found((batch) => batch.findPlayer(12))).toBeUndefined();
  });

  test('takes a stake only from cash when there is no grant, down to the last unit', () => {
    const fund = (units: bigint) => (batch: Batch) =>
      batch.fund({ wallet: batch.wallet(11, 'USDT'), units, usd: units, gameId: 1 });
    expect(found(fund(100n))).toEqual({ cash: 100n, bonus: 0n, contributionBp: 0 });
    const [refused] = outcomesOf([
      request((batch) => {
        fund(101n)(batch);
        return {};
      }),
    ]);
    expect(refused).toMatchObject({ refusal: { code: 'INSUFFICIENT_BALANCE' } });
  });

  test('treats a missing wallet as empty', () => {
    expect(found((batch) => batch.wallet(11, 'BTC'))).toEqual({
      ...wallet(0n),
      currencyId: 'BTC',
      version: 0n,
    });
  });

  test('returns the balance of a wallet that an earlier request created', () => {
    const first = request((batch) => ({ wallet: batch.wallet(11, 'BTC'), credit: won(5n) }));
    expect(found((batch) => batch.wallet(11, 'BTC').cash, {}, [first])).toBe(5n);
  });

  test('returns the time and first id of the block, unless the batch is sent in one round trip', () => {
    expect(found((batch) => [batch.at, batch.base, batch.offset], {}, [request()])).toEqual([AT, 1024n, 3]);
    const times: unknown[] = [];
    const look = request((batch) => {
      times.push(batch.at.getTime(), batch.base);
      return {};
    });
    planBatch([look], readings());
    expect(times).toEqual([Number.NaN, 0n]);
  });

  test.each([
    ['no bet in this batch', [], false, AT.getTime() - 5, 4],
    ['a bet in this batch', [bet(true)], false, AT.getTime(), 5],
    ['a bet without a nonce, if bet times are tracked', [bet(false)], true, AT.getTime(), 4],
    ['a bet without a nonce, if bet times are not tracked', [bet(false)], false, AT.getTime() - 5, 4],
    ['an action that is not a bet', [request()], true, AT.getTime() - 5, 4],
    ['two bets', [bet(true), bet(true)], true, AT.getTime(), 6],
  ])(
    'returns the time of the last bet and the next nonce after %s',
    (_, before, keepsBetTimes, last, nonce) => {
      const change = {
        players: new Map([[11, player({ lastBetAt: new Date(AT.getTime() - 5) })]]),
        outlook: () => ({ ...openWorld(), keepsBetTimes }),
      };
      const look = (batch: Batch) => {
        const who = batch.player(11);
        return [batch.lastBetAt(who)?.getTime(), batch.nonce(who)];
      };
      expect(found(look, change, before)).toEqual([last, nonce]);
    },
  );

  test('writes nonces in the order in which the player rows are locked', () => {
    const people = [13, 11, 12].map((userId) => player({ userId }));
    const players = new Map(people.map((one) => [one.userId, one]));
    const bets = people.map((one) => request({ madeBy: one, takesNonce: true }));
    const [thirteen, eleven, twelve] = people as [Player, Player, Player];
    expect(plan([...bets, bets[0]!], { players }).statements).toEqual([
      advanceNonces([eleven, twelve, thirteen], [1, 1, 2], { keepsTime: false }),
    ]);
  });

  test('reads the rules of a country only once for all bets of a batch', () => {
    const asked: (string | null)[] = [];
    const outlook = (country: string | null) => {
      asked.push(country);
      return openWorld();
    };
    const look = (batch: Batch) => {
      batch.outlook('DE');
      return {};
    };
    plan([request(look), request(look)], { outlook });
    expect(asked).toEqual(['DE']);
    plan([request(look)], { outlook });
    expect(asked).toEqual(['DE', 'DE']);
  });

  test('reports whether any request was rejected', () => {
    const refused = request(refusing(new Error('no')));
    expect([[request()], [refused], [request(), refused]].map((all) => plan(all).refuses)).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('records the times of bets that use no nonce, if bet times are tracked', () => {
    const outlook = () => ({ ...openWorld(), keepsBetTimes: true });
    const { statements, taken } = plan([bet(false)], { outlook });
    expect(statements).toEqual([advanceNonces([player()], [0], { keepsTime: true })]);
    expect([...taken.values()]).toEqual([0]);
    expect(plan([bet(false)]).statements).toEqual([]);
  });
});

describe('usage of players with limits', () => {
  const restricted = (change: Partial<Restrictions> = {}): Restrictions => ({
    userId: 11,
    excludedUntil: null,
    playFrom: null,
    limits: { WAGER: { DAY: 30n } },
    play: noPlay(AT),
    ...change,
  });
  const of = (restrictions: Restrictions) => ({
    players: new Map([[11, player({ isRestricted: true })]]),
    restrictions: new Map([[11, restrictions]]),
  });
  const refusalCode = (batch: Batch) => batch.refusalOf({ userId: 11, country: null }, 12n)?.code;

  test('records usage with each bet and applies it to the next request', () => {
    const codes: unknown[] = [];
    const bet = (batch: Batch): Partial<BetDraft> => {
      codes.push(refusalCode(batch));
      return { staked: moved(5n), credit: won(1n) };
    };
    const { statements } = plan([request(bet), request(bet), request(bet)], of(restricted()));
    // Each bet stakes ten dollars, so the third would exceed the limit of thirty.
    expect(codes).toEqual([undefined, undefined, 'LIMIT_REACHED']);
    const once = { at: AT, staked: 10n, paid: 2n };
    const play = [once, once, once].reduce(recordUsage, noPlay(AT));
    expect(statements.at(-1)).toEqual(writePlayStatement([restricted({ play })]));
  });

  test('reduces usage by a returned stake', () => {
    const before = recordUsage(noPlay(AT), { at: AT, staked: 25n, paid: 0n });
    const credit = { kind: 'bet.stake.rollback', madeAt: AT, ...moved(5n) } as const;
    const { statements } = plan([request({ credit })], of(restricted({ play: before })));
    const play = reverseUsage(before, { madeAt: AT, staked: 10n });
    expect(statements.at(-1)).toEqual(writePlayStatement([restricted({ play })]));
  });

  test('does not track usage when no gambling limit was ever set', () => {
    const { statements } = plan([request({ staked: moved(5n) })], of(restricted({ limits: {}, play: null })));
    expect(statements.map(({ name }) => name)).not.toContain('gate.write-play');
  });
});

test('reserves three ids for a request, five for a request with a grant, or as many as the request declares', () => {
  const granted = player({ hasGrant: true });
  expect([undefined, player(), granted].map((one) => idsOf(request(), one))).toEqual([3, 3, 5]);
  expect([undefined, player(), granted].map((one) => idsOf(request({}, { ids: 7 }), one))).toEqual([7, 7, 7]);
});

describe('outcomes', () => {
  test.each<[string, Partial<BetDraft>, boolean]>([
    ['a bet in one step', { settled: NEW_BET }, true],
    ['the end of a round', { changed: CHANGE }, true],
    ['a round that goes on', { changed: { ...CHANGE, status: 'CREATED' } }, false],
    ['a round that is void', { changed: { ...CHANGE, status: 'ROLLBACK' } }, false],
    ['a bet that stays open', { opened: OPEN_BET }, false],
    ['anything else', {}, false],
  ])('reports for %s whether the bet is settled: %o', (_, bet, settles) => {
    const answer = ({ base }: typeof BLOCK) => ({ base: String(base) });
    expect(outcomesOf([request({ ...bet, answer })])).toEqual([{ answer: { base: '1024' }, settles }]);
  });

  test('does not build a response until it is needed', () => {
    const answer = vi.fn(() => ({}));
    plan([request({ answer })]);
    expect(answer).not.toHaveBeenCalled();
  });

  test.each<[string, Partial<BetDraft>]>([
    ['a payout below zero', { credit: won(-1n) }],
    ['more than a column of the wallet', { credit: won(MAX_UNITS - 99n) }],
    ['dollars below zero', { credit: { ...won(1n), countedUsd: -1n } }],
    ['more dollars than a column', { credit: { ...won(1n), countedUsd: MAX_UNITS + 1n } }],
    [
      'more dollars with its stake than a column',
      { credit: { ...won(1n), countedUsd: MAX_UNITS - 19n }, changed: CHANGE },
    ],
  ])('treats %s as an error in the game', (_, bet) => {
    const { statements, outcomes } = plan([request(bet)]);
    expect(statements).toEqual([]);
    const refusal = new RangeError(`test pays ${bet.credit!.units}`);
    expect(outcomes(BLOCK)).toEqual([{ refusal }]);
  });

  test('accepts the largest amount that a wallet can store', () => {
    const credit = { ...won(MAX_UNITS - 100n), countedUsd: MAX_UNITS - 20n };
    expect(outcomesOf([request({ credit, changed: CHANGE })])).toMatchObject([{ settles: true }]);
  });
});

describe('keys', () => {
  const stored = (status: number, body: object): Partial<Readings> => ({
    stored: new Map<string, StoredAnswer>([
      ['11:k', { userId: 11, key: 'k', inputHash: HASH, status, body: JSON.stringify(body) }],
    ]),
  });
  const entry = (status: number, body: object) =>
    storeStatement([{ userId: 11, key: 'k', inputHash: HASH, status, body: JSON.stringify(body) }]);

  test('stores a response once, and returns it for duplicate requests without a second bet', () => {
    const decide = vi.fn(() => ({ settled: NEW_BET, answer: () => ({ a: 1 }) }));
    const other = keyed(decide, { repeat: { key: 'k', inputHash: Buffer.from([8]) } });
    const { statements, outcomes } = plan([keyed(decide), keyed(decide), other]);
    expect(decide).toHaveBeenCalledTimes(1);
    expect(statements).toEqual([insertSettled([NEW_BET]), entry(200, { a: 1 })]);
    const [first, second, third] = outcomes(BLOCK);
    expect([first, second]).toEqual([
      { answer: { a: 1 }, settles: true },
      { answer: { a: 1 }, settles: false },
    ]);
    expect(third).toMatchObject({ refusal: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  test('stores no response when the batch is sent in one round trip', () => {
    const answer = ({ base }: typeof BLOCK) => ({ base: String(base) });
    expect(planBatch([keyed({ answer })], readings()).statements).toEqual([]);
  });

  test('returns a stored response without settling the bet or storing the response again', () => {
    const decide = vi.fn(() => ({}));
    const { statements, outcomes } = plan([keyed(decide)], stored(200, { a: 1 }));
    expect(outcomes(BLOCK)).toEqual([{ answer: { a: 1 }, settles: false }]);
    expect([statements, decide.mock.calls]).toEqual([[], []]);
  });

  test('returns a stored rejection without storing it again', () => {
    const { statements, outcomes } = plan([keyed()], stored(403, { code: 'USER_BANNED', message: 'm' }));
    expect(outcomes(BLOCK)).toMatchObject([{ refusal: { status: 403, code: 'USER_BANNED' } }]);
    expect(statements).toEqual([]);
  });

  const withoutKey = new AppError(400, 'NO_KEY', 'm');
  test.each<[string, AppError | Error, boolean]>([
    ['a refusal', new AppError(400, 'INSUFFICIENT_BALANCE', 'm', { available: '1' }), true],
    ['the last that is the caller’s', new AppError(499, 'X', 'm'), true],
    ['a failure', new AppError(500, 'X', 'm'), false],
    ['a failure that passes', new AppError(503, 'X', 'm'), false],
    ['a bug', new TypeError('m'), false],
    [
      'a failure of a library with a status of its own',
      Object.assign(new Error('m'), { status: 400 }),
      false,
    ],
    ['a wrong form', new AppError(400, 'VALIDATION_FAILED', 'm'), false],
    ['a game that is off', new AppError(409, 'GAME_DISABLED', 'm'), false],
    ['a bet too soon', new AppError(429, 'BET_TOO_SOON', 'm'), false],
    ['a series that is over', new AppError(409, 'SERIES_CLOSED', 'm'), false],
  ])('stores permanent rejections and nothing else: %s', (_, error, isStored) => {
    const decide = vi.fn(refusing(error) as () => Partial<BetDraft>);
    const { statements, outcomes } = plan([keyed(decide), keyed(decide), request(refusing(withoutKey))]);
    // If a result is not stored, the next request with the same key is processed as a new request.
    expect(decide).toHaveBeenCalledTimes(isStored ? 1 : 2);
    expect(outcomes(BLOCK)).toMatchObject([{ refusal: error }, { refusal: error }, { refusal: withoutKey }]);
    if (!isStored || !(error instanceof AppError)) return expect(statements).toEqual([]);
    const { status, code, message, details } = error;
    expect(statements).toEqual([entry(status, { code, message, details })]);
  });

  test('does not store rejections of requests that were never queued', () => {
    const decide = vi.fn(refusing(withoutKey) as () => Partial<BetDraft>);
    const refused = keyed(decide, { isRefused: true });
    const { statements, outcomes } = plan([refused, refused]);
    expect(decide).toHaveBeenCalledTimes(2);
    expect(statements).toEqual([]);
    expect(outcomes(BLOCK)).toMatchObject([{ refusal: withoutKey }, { refusal: withoutKey }]);
  });
});

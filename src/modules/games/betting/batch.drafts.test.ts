/** Drafts that write their own ledger postings (provider calls), and rejections based on cached rows. */
import { describe, expect, test, vi } from 'vitest';
import {
  AT,
  BLOCK,
  moved,
  player,
  readings,
  refusing,
  request,
  wallet,
} from '../../../../test/kit/money/batch.ts';
import { writePlayStatement } from '../../compliance/gate/queries.ts';
import { noPlay, type Play, type Restrictions, recordUsage } from '../../compliance/gate/rules.ts';
import { IDS_PER_BLOCK, writeStatements } from '../../money/ledger/queries.ts';
import { planBatch } from './batch.ts';
import type { Readings } from './books.ts';
import type { Batch, Draft, GameRequest, Store } from './request.ts';

type DraftOf = (batch: Batch) => Partial<Draft>;
const draft = (draftOf: DraftOf, more: Partial<GameRequest> = {}): GameRequest => ({
  ...request({}, more),
  decide: (batch) => ({
    apply: () => undefined,
    settles: false,
    answer: () => ({}),
    ...draftOf(batch),
  }),
});
const plan = (requests: GameRequest[], change: Partial<Readings> = {}) =>
  planBatch(requests, readings(change), BLOCK);

/** Returns a request without money movements, and the first ids that such requests receive. */
function offsetsSeen() {
  const offsets: number[] = [];
  const look = request(({ offset }) => {
    offsets.push(offset);
    return {};
  });
  return { offsets, look };
}

const STAKE = { kind: 'bet.stake', debit: 'cash', credit: 'house' } as const;
const PAYOUT = { kind: 'bet.payout', debit: 'house', credit: 'cash' } as const;

describe('money', () => {
  test("posts money between the player's and the house's accounts with ids from the block, even for earlier entries", () => {
    const call: DraftOf = (batch) => ({
      apply(books) {
        const [usdt, btc] = [batch.wallet(11, 'USDT'), batch.wallet(11, 'BTC')];
        books.post(usdt, { ...STAKE, amount: 10n }, { id: 2, entry: 0n });
        books.post(btc, { ...PAYOUT, amount: 4n }, { id: 3, entry: -124n });
      },
    });
    const balances: bigint[] = [];
    const look = request((batch) => {
      balances.push(batch.wallet(11, 'USDT').cash, batch.wallet(11, 'BTC').cash);
      return {};
    });
    const btc = { ...wallet(4n), currencyId: 'BTC', version: 0n };
    const { statements, wallets } = plan([draft(call), look]);
    expect(statements).toEqual(
      writeStatements(
        [wallet(90n), btc],
        [
          {
            posting: {
              ...STAKE,
              userId: 11,
              currencyId: 'USDT',
              amount: 10n,
              debitAfter: 90n,
              creditAfter: null,
            },
            id: 2,
            entry: 0n,
          },
          {
            posting: {
              ...PAYOUT,
              userId: 11,
              currencyId: 'BTC',
              amount: 4n,
              debitAfter: null,
              creditAfter: 4n,
            },
            id: 3,
            entry: -124n,
          },
        ],
      ),
    );
    expect([...wallets]).toEqual([wallet(90n), btc]);
    expect(balances).toEqual([90n, 4n]);
  });

  test('fails the whole batch when a draft spends more than the balance, so that no part of a draft is applied', () => {
    const call: DraftOf = (batch) => ({
      apply: (books) =>
        books.post(batch.wallet(11, 'USDT'), { ...STAKE, amount: 101n }, { id: 2, entry: 0n }),
    });
    expect(() => plan([draft(call)])).toThrow(new Error('bet.stake takes more than cash holds'));
  });
});

describe('usage of players with limits', () => {
  const restricted = (play: Play | null): Restrictions => ({
    userId: 11,
    excludedUntil: null,
    playFrom: null,
    limits: { WAGER: { DAY: 30n } },
    play,
  });
  const usage = { at: AT, staked: 10n, paid: 0n };
  const call = draft(() => ({ apply: (books) => books.play(11, (play) => recordUsage(play, usage)) }));
  const playing = (restrictions: Restrictions[]) => {
    const { statements, refuses } = plan([call, call], {
      players: new Map([[11, player({ isRestricted: restrictions.length > 0 })]]),
      restrictions: new Map(restrictions.map((one) => [one.userId, one])),
    });
    expect(refuses).toBe(false);
    return statements;
  };

  test('updates usage with each draft, based on the usage after the previous drafts', () => {
    const play = [usage, usage].reduce(recordUsage, noPlay(AT));
    expect(playing([restricted(noPlay(AT))])).toEqual([writePlayStatement([restricted(play)])]);
  });

  test('does not track usage without gambling limits', () => {
    expect(playing([restricted(null)])).toEqual([]);
    expect(playing([])).toEqual([]);
  });
});

describe('ids', () => {
  const idle = (ids?: number) => draft(() => ({}), ids === undefined ? {} : { ids });

  test('reserves as many ids as a request declares, or as many as a bet needs by default', () => {
    const { offsets, look } = offsetsSeen();
    plan([idle(), look, idle(7), look, idle(0), look]);
    expect(offsets).toEqual([3, 13, 16]);
  });

  test('fails the whole batch when it needs more ids than its block contains', () => {
    expect(plan([idle(IDS_PER_BLOCK - 3), idle(3)]).refuses).toBe(false);
    expect(() => plan([idle(IDS_PER_BLOCK - 3), idle(4)])).toThrow(
      new RangeError(`a batch takes ${IDS_PER_BLOCK + 1} ids`),
    );
  });
});

test.each([true, false])('lets a draft decide whether a bet has ended: %s', (settles) => {
  const answer = ({ base }: typeof BLOCK) => ({ base: String(base) });
  expect(plan([draft(() => ({ settles, answer }))]).outcomes(BLOCK)).toEqual([
    { answer: { base: '1024' }, settles },
  ]);
});

describe('refusals', () => {
  const store = { read: () => [], stateOf: () => undefined } as Store;
  const other = { ...store };
  const withStore: Partial<GameRequest> = { store };
  const MEMORIES: [string, Partial<GameRequest>, Partial<Readings>][] = [
    ['of a request without a store', {}, { cached: new Set([store]) }],
    ['without a cache', withStore, {}],
    ['of a store that is read completely', withStore, { cached: new Set([other]) }],
  ];
  const UNDECIDED = { refusal: { code: 'SERVICE_UNAVAILABLE' }, isOpen: true };

  test.each(MEMORIES)('treats rejections %s as final', (_, more, change) => {
    const error = new Error('no');
    expect(plan([request(refusing(error), more)], change).outcomes(BLOCK)).toEqual([{ refusal: error }]);
    const apply = vi.fn();
    const { outcomes } = plan([draft(() => ({ refuses: true, apply }), more)], change);
    expect(outcomes(BLOCK)).toEqual([{ answer: {}, settles: false }]);
    expect(apply).toHaveBeenCalledTimes(1);
  });

  test('does not finish requests that are rejected based on cached rows, and uses no ids for them', () => {
    const apply = vi.fn();
    const { offsets, look } = offsetsSeen();
    const requests = [
      draft(() => ({ refuses: true, apply }), withStore),
      request(refusing(new Error('no')), withStore),
      look,
    ];
    const { outcomes, refuses, statements } = plan(requests, { cached: new Set([store]) });
    expect(outcomes(BLOCK)).toMatchObject([UNDECIDED, UNDECIDED, { answer: {} }]);
    expect([refuses, statements, offsets]).toEqual([true, [], [0]]);
    expect(apply).not.toHaveBeenCalled();
  });

  test('finishes all other requests even with cached rows', () => {
    const apply = vi.fn();
    const requests = [draft(() => ({ apply }), withStore), request({ staked: moved(10n) }, withStore)];
    const { outcomes } = plan(requests, { cached: new Set([store]) });
    expect(outcomes(BLOCK)).toEqual([
      { answer: {}, settles: false },
      { answer: {}, settles: false },
    ]);
    expect(apply).toHaveBeenCalledTimes(1);
  });
});

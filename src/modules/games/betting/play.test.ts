import { describe, expect, test } from 'vitest';
import { openWorld } from '../../../../test/kit/games/bets.ts';
import { AT, BLOCK, player, readings, wallet } from '../../../../test/kit/money/batch.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { ONE, parseRate, units } from '../../../platform/money.ts';
import type { Player } from '../../base/players/service.ts';
import { createBatch } from './books.ts';
import { admit, draftOf, NO_SEEDS, payout } from './play.ts';
import type { FreshBet } from './request.ts';

const bet = (changes: Partial<FreshBet> = {}): FreshBet => ({
  userId: 11,
  country: null,
  game: { id: 1, slug: 'test' },
  repeat: undefined,
  currencyId: 'USDT',
  decimals: 8,
  betUsd: ONE,
  stake: ONE,
  minStake: 0n,
  rate: parseRate('1')!,
  rtpBp: 9900,
  maxProfitUsd: 1000n * ONE,
  windowId: null,
  refusal: undefined,
  ...changes,
});
const batchOf = (change: Partial<Player> = {}, minBetIntervalMs = 0) =>
  createBatch(
    readings({
      players: new Map([[11, player(change)]]),
      wallets: new Map([['11:USDT', wallet(10n * ONE)]]),
      outlook: () => ({ ...openWorld(), minBetIntervalMs }),
    }),
    BLOCK,
    3,
  );
const msBefore = (ms: number) => new Date(AT.getTime() - ms);

describe('a new bet', () => {
  test('is rejected if its game was disabled while it waited', () => {
    expect(() => admit(bet({ isOpen: () => false }), batchOf())).toThrow(
      expect.objectContaining({ code: 'GAME_DISABLED', details: { game: 'test' } }),
    );
    expect(admit(bet({ isOpen: () => true }), batchOf()).stake.game).toBe('test');
  });

  test('is rejected by the gate before its own rejection', () => {
    const refusal = commonErrors.AMOUNT_OUT_OF_RANGE();
    expect(() => admit(bet({ refusal }), batchOf({ isBanned: true }))).toThrow(
      expect.objectContaining({ code: 'USER_BANNED' }),
    );
    expect(() => admit(bet({ refusal }), batchOf())).toThrow(refusal);
  });

  test.each([
    [300, { minBetIntervalMs: 1000, retryAfterMs: 700, retryAfterSeconds: 1 }],
    [999, { minBetIntervalMs: 1000, retryAfterMs: 1, retryAfterSeconds: 1 }],
  ])('is rejected %i ms after the last one if the minimum is a second', (ms, details) => {
    expect(() => admit(bet(), batchOf({ lastBetAt: msBefore(ms) }, 1000))).toThrow(
      expect.objectContaining({ code: 'BET_TOO_SOON', details }),
    );
  });

  test.each([
    ['a second after the last one', msBefore(1000), 1000],
    ['as the first one', null, 1000],
    ['at any time if there is no minimum', msBefore(-500), 0],
  ])('is accepted %s', (_, lastBetAt, minBetIntervalMs) => {
    expect(admit(bet(), batchOf({ lastBetAt }, minBetIntervalMs)).row.amount).toBe(ONE);
  });

  test('stakes the side stake as well', () => {
    const { stake, row } = admit(bet(), batchOf(), units('0.5'));
    const both = units('1.5');
    expect(stake).toMatchObject({ staked: { units: both, countedUsd: both }, funds: { cash: both } });
    expect(row).toMatchObject({ amount: both, usdAmount: both, betUsd: ONE });
  });
});

test('counts no nonce for a bet that takes none', () => {
  const batch = batchOf();
  const { stake } = admit(bet(), batch);
  draftOf(batch, { ...stake, credit: payout(0n, parseRate('1')!), answer: () => ({}) }).apply(batch);
  expect(batch.taken.size).toBe(0);
});

test('values a payout at the rate of the bet', () => {
  expect(payout(ONE, parseRate('2')!)).toEqual({ kind: 'bet.payout', units: ONE, countedUsd: 2n * ONE });
});

test('leaves the seeds of a forced round empty', () => {
  expect(NO_SEEDS).toEqual({ seedPairId: null, nonce: null });
});

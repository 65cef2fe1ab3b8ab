import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RTPS, SEED, TERMS } from '../../../../../test/kit/accounts/terms.ts';
import { allDraws, drawn, numbersOf, positions, refusalOf } from '../../../../../test/kit/games/chance.ts';
import { bySize, choose, sixDigits } from '../../../../../test/kit/games/exact.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { units } from '../../../../platform/money.ts';
import { type Next, payoutsOf, type Terms } from '../../betting/rules.ts';
import { PICK_SCALE } from '../rules.ts';
import {
  cashOutMonkeyRun,
  DIFFICULTIES,
  type Difficulty,
  giveUpMonkeyRun,
  type MonkeyRunRound,
  playMonkeyRun,
  replayMonkeyRun,
  stepMultiplier,
  stepMultipliers,
  stepsOf,
} from './rules.ts';

const TRAPS = { EASY: 1n, MEDIUM: 3n, HARD: 5n, EXPERT: 10n };

/** The table in section 10 of the rules, for an RTP of 99 %. */
const TABLE: Record<Difficulty, number[]> = {
  EASY: numbers(
    '1.0421 1.1 1.1647 1.2375 1.32 1.4142 1.523 1.65 1.8 1.98 2.2 2.475 2.8285 3.3 3.96 4.95 6.6 9.9 19.8',
  ),
  MEDIUM: numbers(
    '1.1647 1.383 1.6597 2.0153 2.4804 3.1005 3.9461 5.13 6.84 9.405 13.4357 20.1535 32.2457 56.43 112.86 282.15 1128.6',
  ),
  HARD: numbers(
    '1.32 1.7914 2.4804 3.5139 5.1112 7.6668 11.9261 19.38 33.2228 60.9085 121.8171 274.0885 730.9028 2558.16 15348.96',
  ),
  EXPERT: numbers('1.98 4.18 9.405 22.8407 60.9085 182.7257 639.54 2771.34 16628.04 182908.44'),
};

describe('multipliers', () => {
  test.each(DIFFICULTIES)('matches the published table of multipliers for %s at 99 %%', (difficulty) => {
    expect(stepMultipliers(difficulty, 9900)).toEqual(TABLE[difficulty]);
  });

  test.each(RTPS)(
    'matches the definition of the multipliers at every step when the RTP is %i basis points',
    (rtpBp) => {
      for (const difficulty of DIFFICULTIES) {
        const traps = TRAPS[difficulty];
        expect(stepsOf(difficulty)).toBe(20 - Number(traps));
        expect(stepMultiplier(difficulty, 0, rtpBp)).toBe(PICK_SCALE);
        const exact = Array.from({ length: stepsOf(difficulty) }, (_, i) => {
          const s = BigInt(i + 1);
          return (BigInt(rtpBp) * choose(20n, s)) / choose(20n - traps, s);
        });
        expect(exact.map((_, i) => stepMultiplier(difficulty, i + 1, rtpBp))).toEqual(exact);
        expect(stepMultipliers(difficulty, rtpBp)).toEqual(exact.map((m) => Number(m) / 10_000));
      }
    },
  );

  test.each([
    ['EASY', '98.994000', 6],
    ['MEDIUM', '98.993684', 2],
    ['HARD', '98.998421', 2],
    ['EXPERT', '98.999884', 5],
  ] as const)(
    'for %s, computes RTPs from %s % to 99.000000 %, with the lowest at step %i',
    (difficulty, least, leastAt) => {
      const returns = Array.from({ length: stepsOf(difficulty) }, (_, i) => {
        const s = BigInt(i + 1);
        const value = stepMultiplier(difficulty, i + 1, 9900) * choose(20n - TRAPS[difficulty], s);
        return { step: i + 1, value, whole: PICK_SCALE * choose(20n, s) };
      });
      const sorted = returns.toSorted(bySize);
      const [lowest, highest] = [sorted[0]!, sorted.at(-1)!];
      expect([sixDigits(lowest.value, lowest.whole), lowest.step]).toEqual([least, leastAt]);
      expect(sixDigits(highest.value, highest.whole)).toBe('99.000000');
    },
  );
});

describe('traps', () => {
  test.each([
    ['EASY', 0, [10]],
    ['MEDIUM', 1, [8, 13, 12]],
    ['HARD', 2, [13, 2, 19, 16, 10]],
    ['EXPERT', 3, [19, 10, 3, 12, 15, 17, 16, 11, 2, 14]],
  ] as const)('places the traps of %s with nonce %i at %j', (difficulty, nonce, traps) => {
    const next = numbersOf({ serverSeed: SEED, clientSeed: 'fair' }, nonce);
    const { end } = cashOutMonkeyRun(roundOf(difficulty, [1]), next) as Ended;
    expect(end.outcome).toMatchObject({ traps, deadPoint: Math.min(...traps) });
  });

  test.each(['EASY', 'MEDIUM'] as const)(
    'computes the RTP as multiplier times probability at every step of %s',
    (difficulty) => {
      const traps = Number(TRAPS[difficulty]);
      const draws = allDraws(20, traps);
      for (let step = 1; step <= stepsOf(difficulty); step++) {
        // A round has ended if it was lost or if it reached the last step.
        const safe = draws.filter((draw) => {
          const { state } = playMonkeyRun(roundOf(difficulty), step, positions(draw, 20));
          return state.step === step;
        });
        const [s, t] = [BigInt(step), BigInt(traps)];
        expect(BigInt(safe.length) * choose(20n, s)).toBe(choose(20n - t, s) * BigInt(draws.length));
      }
    },
  );
});

describe('a run', () => {
  // A MEDIUM round with traps at 10, 15 and 12.
  const traps = () => positions([9, 13, 10], 20);
  const run = (round: MonkeyRunRound, makeStep: number) => playMonkeyRun(round, makeStep, traps());

  test('continues the run before the first trap and stores only the steps taken', () => {
    expect(run(roundOf('MEDIUM'), 1)).toEqual({ state: { difficulty: 'MEDIUM', step: 1, steps: [1] } });
    expect(run(roundOf('MEDIUM', [1]), 9)).toEqual({
      state: { difficulty: 'MEDIUM', step: 9, steps: [1, 9] },
    });
  });

  test.each([10, 11, 17])('loses a run to tile %i at the first trap', (makeStep) => {
    expect(run(roundOf('MEDIUM', [3]), makeStep)).toEqual({
      state: { difficulty: 'MEDIUM', step: 9, steps: [3, makeStep] },
      end: {
        inputs: { difficulty: 'MEDIUM', steps: [3, makeStep] },
        outcome: { traps: [10, 15, 12], deadPoint: 10, step: 9, didWin: false, multiplier: 0 },
        paid: { payout: 0n, payoutUsd: 0n },
        risk: expect.any(Function),
      },
    });
  });

  test('pays the multiplier of the current step', () => {
    expect(cashOutMonkeyRun(roundOf('MEDIUM', [1, 9]), traps())).toEqual({
      state: { difficulty: 'MEDIUM', step: 9, steps: [1, 9] },
      end: {
        inputs: { difficulty: 'MEDIUM', steps: [1, 9] },
        outcome: { traps: [10, 15, 12], deadPoint: 10, step: 9, didWin: true, multiplier: 6.84 },
        paid: { payout: units('6.84'), payoutUsd: units('6.84') },
        risk: expect.any(Function),
      },
    });
  });

  test.each([3, 1, 0, -1, 18, 20])('rejects a move from tile 3 to %i', (makeStep) => {
    const message = 'needs to be a tile from 4 to 17';
    expect(() => run(roundOf('MEDIUM', [3]), makeStep)).toThrow(
      commonErrors.VALIDATION_FAILED({ fields: [{ path: 'makeStep', message }] }),
    );
  });

  test.each(DIFFICULTIES)('cashes out a run of %s automatically after its last step', (difficulty) => {
    const steps = stepsOf(difficulty);
    const last = positions(
      Array.from({ length: 20 - steps }, () => steps),
      20,
    );
    const { state, end } = playMonkeyRun(roundOf(difficulty), steps, last) as Ended;
    expect(state.step).toBe(steps);
    expect(end.outcome).toMatchObject({ didWin: true, multiplier: TABLE[difficulty].at(-1) });
    expect(refusalOf(() => playMonkeyRun(roundOf(difficulty), steps + 1, traps()))).toBe(
      '400 VALIDATION_FAILED',
    );
  });

  test('rejects a cash-out before the first step', () => {
    expect(refusalOf(() => cashOutMonkeyRun(roundOf('EASY'), traps()))).toBe('409 ACTION_NOT_ALLOWED');
  });

  test('cashes out an abandoned run, or voids the run if it has no step yet', () => {
    const begun = roundOf('MEDIUM', [4]);
    const { state, end } = cashOutMonkeyRun(begun, traps()) as Ended;
    expect(giveUpMonkeyRun(begun, traps())).toEqual({
      state,
      end: { ...(end as object), risk: expect.any(Function) },
    });
    const fresh = roundOf('MEDIUM');
    expect(giveUpMonkeyRun(fresh, traps())).toEqual({ state: fresh.state, end: 'void' });
  });

  // The MEDIUM multipliers at 99 % are 1.1647, 1.383, 1.6597, 2.0153 …; the first trap is tile 10.
  test.each([
    ['reached exactly', '100', '65.97', 3],
    ['missed by a cent', '100', '65.98', 4],
    ['finer than payouts are', '100', '65.975', 3],
    ['reached at the last tile before the trap', '1', '5.84', 9],
  ])(
    'maxProfit %s: ends a bet of %s with a maximum profit of %s at tile %i of a longer run',
    (_, bet, maxProfit, last) => {
      const money = { betUsd: units(bet), stake: units(bet), maxProfitUsd: units(maxProfit) };
      for (const steps of [[], [1], [1, 2]]) {
        const { state, end } = run({ ...roundOf('MEDIUM', steps), ...money }, 17) as Ended;
        expect(state).toEqual({ difficulty: 'MEDIUM', step: last, steps: [...steps, 17] });
        expect(end.outcome).toMatchObject({ step: last, didWin: true, multiplier: TABLE.MEDIUM[last - 1] });
      }
    },
  );
});

const game = fc.record({
  difficulty: fc.constantFrom(...DIFFICULTIES),
  tiles: fc
    .uniqueArray(fc.integer({ min: 1, max: 19 }), { minLength: 1, maxLength: 8 })
    .map((t) => t.toSorted((a, b) => a - b)),
  rtpBp: fc.constantFrom(...RTPS),
  nonce: fc.nat(1_000_000),
  betUsd: fc.integer({ min: 1, max: 100_000 }).map((cents) => BigInt(cents) * 1_000_000n),
  maxProfitUsd: fc.integer({ min: 1, max: 10_000_000 }).map((cents) => BigInt(cents) * 1_000_000n),
});

describe('any game', () => {
  test('ends every possible run as the rules define, and gets the same result on replay', () => {
    fc.assert(
      fc.property(game, ({ difficulty, tiles, rtpBp, nonce, betUsd, maxProfitUsd }) => {
        const terms = { ...TERMS, betUsd, stake: betUsd, maxProfitUsd };
        const stream = (): Next => numbersOf({ serverSeed: SEED, clientSeed: 'any' }, nonce);
        const traps = drawn([1, 20], Number(TRAPS[difficulty]), stream());
        const deadPoint = Math.min(...traps);
        const way = tiles
          .map((tile) => Math.min(tile, stepsOf(difficulty)))
          .filter((t, i, all) => t !== all[i - 1]);
        const { end, state } = playOut({ ...terms, ...roundOf(difficulty), ...terms, rtpBp }, way, stream);
        // A second implementation of the game's definition.
        const limit = lastOf(difficulty, rtpBp, terms);
        const asked = way.at(-1)!;
        const didWin = Math.min(asked, limit) < deadPoint;
        const step = didWin ? Math.min(asked, limit) : deadPoint - 1;
        const ran = way.slice(
          0,
          way.findIndex((tile) => tile >= Math.min(limit, deadPoint)) + 1 || undefined,
        );
        const multiplier = didWin ? stepMultiplier(difficulty, step, rtpBp) : 0n;
        const inputs = { difficulty, steps: ran };
        const outcome = { traps, deadPoint, step, didWin, multiplier: Number(multiplier) / 10_000 };
        const paid = payoutsOf({ ...terms, multiplier, scale: PICK_SCALE });
        expect(state.step).toBe(step);
        expect(end).toEqual({ inputs, outcome, paid, risk: expect.any(Function) });
        const again = replayMonkeyRun({ game: 'monkey-run', rtpBp, inputs, outcome }, stream())!;
        expect(again.outcome).toEqual(outcome);
        expect(again.pay(terms)).toEqual(paid);
      }),
      { seed: 34, numRuns: 1000 },
    );
  });
});

describe('a stored bet', () => {
  // A HARD round with traps at 20, 4, 19, 18 and 17.
  const again = (inputs: object, outcome: object) =>
    replayMonkeyRun({ game: 'monkey-run', rtpBp: 9900, inputs, outcome }, positions([19, 3, 17, 16, 15], 20));
  const hard = (...steps: number[]) => ({ difficulty: 'HARD', steps });
  const won = (step: number) => ({ step, didWin: true });
  const lost = (step: number) => ({ step, didWin: false });

  test.each([
    ['won at the first trap', hard(4), won(4)],
    ['won beyond the first trap', hard(9), won(9)],
    ['won at a step of an earlier run', hard(2, 3), won(2)],
    ['won further than it ran', hard(2), won(3)],
    ['won at no step', hard(2), won(0)],
    ['a fractional winning step', hard(2), won(1.5)],
    ['lost without meeting a trap', hard(3), lost(3)],
    ['lost elsewhere', hard(9), lost(2)],
    ['ran on after the trap', hard(5, 6), lost(3)],
    ['ran on from the trap', hard(4, 6), lost(3)],
    ['no outcome', hard(3), {}],
    ['no steps', hard(), won(1)],
    ['no list', { difficulty: 'HARD', steps: 3 }, won(3)],
    ['a text for a list', { difficulty: 'HARD', steps: '3' }, won(3)],
    ['a step back', hard(2, 1), won(1)],
    ['a tile twice', hard(2, 2), won(2)],
    ['a fractional tile', hard(2.5), won(2)],
    ['tile 0', hard(0, 2), won(2)],
    ['beyond the last step', hard(16), lost(3)],
    ['no such difficulty', { difficulty: 'hard', steps: [1] }, won(1)],
    ['a difficulty by its inheritance', { difficulty: 'toString', steps: [1] }, won(1)],
  ])('rejects a stored bet: %s', (_, inputs, outcome) => {
    expect(again(inputs, outcome)).toBeUndefined();
  });

  test('replays a bet with the correct traps and multiplier', () => {
    const lie = { traps: [1], deadPoint: 1, multiplier: 9, ...won(3) };
    expect(again(hard(3), lie)?.outcome).toEqual({
      traps: [20, 4, 19, 18, 17],
      deadPoint: 4,
      step: 3,
      didWin: true,
      multiplier: 2.4804,
    });
  });

  test('corrects the payout of a stored run that stopped too early or too late', () => {
    const payoutAt = (step: number, terms: Terms) =>
      payoutsOf({ ...terms, multiplier: stepMultiplier('HARD', step, 9900), scale: PICK_SCALE });
    const nothing = { payout: 0n, payoutUsd: 0n };
    expect(again(hard(9), won(2))!.pay(TERMS)).toEqual(nothing);
    expect(again(hard(3), won(2))!.pay(TERMS)).toEqual(payoutAt(3, TERMS));
    const capped = { ...TERMS, maxProfitUsd: units('0.7') };
    expect(again(hard(9), won(2))!.pay(capped)).toEqual(payoutAt(2, capped));
    expect(again(hard(9), lost(3))!.pay(capped)).toEqual(payoutAt(2, capped));
    expect(again(hard(2, 3), won(3))!.pay(capped)).toEqual(payoutAt(2, capped));
  });
});

type Ended = ReturnType<typeof playMonkeyRun> & {
  end: Exclude<ReturnType<typeof playMonkeyRun>['end'], 'void' | undefined>;
};

/** Moves from tile to tile until the round ends automatically or no tiles are left. */
function playOut(start: MonkeyRunRound, way: readonly number[], stream: () => Next) {
  let round = start;
  for (const [i, tile] of way.entries()) {
    const turn = playMonkeyRun(round, tile, stream());
    if (turn.end) return turn;
    expect(turn.state).toEqual({
      difficulty: start.state.difficulty,
      step: tile,
      steps: way.slice(0, i + 1),
    });
    round = { ...round, state: turn.state };
  }
  return cashOutMonkeyRun(round, stream());
}

/** Returns the step at which a round ends automatically. */
function lastOf(difficulty: Difficulty, rtpBp: number, { betUsd, maxProfitUsd }: Terms): number {
  const [traps, cent] = [TRAPS[difficulty], 1_000_000n];
  for (let s = 1n; s < 20n - traps; s++) {
    const multiplier = (BigInt(rtpBp) * choose(20n, s)) / choose(20n - traps, s);
    const payout = ((betUsd / cent) * multiplier) / 10_000n;
    if (payout - betUsd / cent >= maxProfitUsd / cent) return Number(s);
  }
  return Number(20n - traps);
}

function roundOf(difficulty: Difficulty, steps: number[] = []): MonkeyRunRound {
  return { ...TERMS, rtpBp: 9900, state: { difficulty, step: steps.at(-1) ?? 0, steps } };
}

function numbers(text: string): number[] {
  return text.split(' ').map(Number);
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Change, type Correction, openTurnover } from './rules.ts';

type Step =
  | { kind: 'require'; usd: bigint; isKept: boolean }
  | { kind: 'remove'; usd: bigint; isKept: boolean }
  | { kind: 'bet'; usd: bigint }
  | { kind: 'resettle'; bet: number; usd: bigint };

/** Applies the steps as if each bet had been settled with its latest stake. */
function reference(steps: readonly Step[]) {
  const finals = steps.flatMap((step) => (step.kind === 'bet' ? [step.usd] : []));
  for (const step of steps)
    if (step.kind === 'resettle' && finals.length > 0) finals[step.bet % finals.length] = step.usd;
  let [deposits, kept, made] = [0n, 0n, 0];
  const subtract = (usd: bigint) => {
    const fromDeposits = usd < deposits ? usd : deposits;
    deposits -= fromDeposits;
    kept = kept > usd - fromDeposits ? kept - (usd - fromDeposits) : 0n;
  };
  for (const step of steps) {
    if (step.kind === 'bet') subtract(finals[made++]!);
    if (step.kind === 'require' && step.isKept) kept += step.usd;
    if (step.kind === 'require' && !step.isKept) deposits += step.usd;
    if (step.kind === 'remove' && step.isKept) kept = kept > step.usd ? kept - step.usd : 0n;
    if (step.kind === 'remove' && !step.isKept) deposits = deposits > step.usd ? deposits - step.usd : 0n;
  }
  return { openUsd: deposits + kept, keptUsd: kept };
}

/** Returns the rows that the steps would leave in the database. */
function recorded(steps: readonly Step[]) {
  const changes: Change[] = [];
  const corrections: Correction[] = [];
  const bets: { position: bigint; usd: bigint }[] = [];
  let [position, wageredUsd] = [0n, 0n];
  for (const step of steps) {
    position += 2n;
    if (step.kind === 'bet') {
      bets.push({ position, usd: step.usd });
      wageredUsd += step.usd;
    } else if (step.kind === 'resettle') {
      const bet = bets[step.bet % bets.length]!;
      const changeUsd = step.usd - bet.usd;
      corrections.push({ position, betPosition: bet.position, changeUsd });
      bet.usd = step.usd;
      wageredUsd += changeUsd;
    } else {
      const usd = step.kind === 'require' ? step.usd : -step.usd;
      changes.push({
        position: position + 1n,
        addedUsd: usd,
        addedKeptUsd: step.isKept ? usd : 0n,
        wageredUsd,
      });
    }
  }
  return { changes, now: { wageredUsd, corrections } };
}

const usd = fc.bigInt({ min: 0n, max: 200n });
const isKept = fc.boolean();
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('require' as const), usd: fc.bigInt({ min: 1n, max: 200n }), isKept }),
  fc.record({ kind: fc.constant('remove' as const), usd: fc.bigInt({ min: 1n, max: 200n }), isKept }),
  fc.record({ kind: fc.constant('bet' as const), usd }),
  fc.record({ kind: fc.constant('resettle' as const), bet: fc.nat(30), usd: fc.oneof(fc.constant(0n), usd) }),
);
/** Generates steps. Resettlements before the first bet are dropped. The others refer to a bet that already exists. */
const steps = fc.array(step, { maxLength: 40 }).map((all) => {
  let made = 0;
  return all.flatMap((one): Step[] => {
    if (one.kind === 'bet') made++;
    if (one.kind !== 'resettle') return [one];
    return made === 0 ? [] : [{ ...one, bet: one.bet % made }];
  });
});

describe('open turnover', () => {
  test('matches a reference model after random deposits, bets, voids and resettlements', () => {
    fc.assert(
      fc.property(steps, (all) => {
        for (let count = 0; count <= all.length; count++) {
          const { changes, now } = recorded(all.slice(0, count));
          expect(openTurnover(changes, now)).toEqual(reference(all.slice(0, count)));
        }
      }),
      { numRuns: 300 },
    );
  });

  const deposit = (of: bigint): Step => ({ kind: 'require', usd: of, isKept: false });
  const bet = (of: bigint): Step => ({ kind: 'bet', usd: of });
  const voidBet = (index: number): Step => ({ kind: 'resettle', bet: index, usd: 0n });
  test.each<[string, Step[], bigint]>([
    [
      'restores the turnover of a bet voided before the next deposit',
      [deposit(100n), bet(100n), voidBet(0), deposit(5n)],
      105n,
    ],
    [
      'restores the turnover of a bet voided after the next deposit',
      [deposit(100n), bet(100n), deposit(5n), voidBet(0)],
      105n,
    ],
    [
      'restores the turnover even after a third deposit',
      [deposit(100n), bet(100n), deposit(5n), voidBet(0), deposit(1n)],
      106n,
    ],
    [
      'restores no turnover for a voided bet that had not reduced any',
      [deposit(100n), bet(100n), bet(50n), deposit(5n), voidBet(1)],
      5n,
    ],
    [
      'does not require the turnover of a bet made before any deposit',
      [bet(100n), deposit(5n), voidBet(0)],
      5n,
    ],
    [
      'counts new bets towards restored turnover',
      [deposit(100n), bet(100n), deposit(5n), voidBet(0), bet(60n)],
      45n,
    ],
  ])('%s', (_name, all, openUsd) => {
    const { changes, now } = recorded(all);
    expect(openTurnover(changes, now).openUsd).toBe(openUsd);
  });
});

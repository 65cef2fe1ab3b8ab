import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { playRewards } from '../../../../test/kit/rewards-run.ts';

// The bets have no money: the rest of the books does not balance with them.
const app = fixture(() => startApp({ reconcileOnStop: false }));

test.each([
  ['never expires', null],
  ['expires', 20],
])(
  'N10 bets, rollbacks, corrections and claims, consumed in slices of any size: every sum is what plain arithmetic says, where rakeback %s',
  async (_, expiryDays) =>
    expect(await playRewards(app, { operations: 600, expiryDays })).toBeGreaterThanOrEqual(600),
);

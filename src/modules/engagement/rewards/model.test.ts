import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { playRewards } from '../../../../test/kit/engagement/rewards-run.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

// Reconciliation is off, because these bets move no money.
const app = fixture(() => startApp({ reconcileOnStop: false }));

test.each([
  ['never expires', null],
  ['expires', 20],
])(
  'matches a simple model after bets, rollbacks, corrections and claims in slices of any size, when rakeback %s',
  async (_, expiryDays) =>
    expect(await playRewards(app, { operations: 600, expiryDays })).toBeGreaterThanOrEqual(600),
);

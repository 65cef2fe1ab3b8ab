import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { playRewards } from '../../../../test/kit/rewards-run.ts';

// The bets have no money: the rest of the books does not balance with them.
const app = fixture(() => startApp({ reconcileOnStop: false }));

const operations = Number(process.env.REWARDS_OPERATIONS ?? 50_000);

test(
  `N10 bets, rollbacks, corrections and claims, consumed in slices of any size: ${operations} operations, after each slice and claim every sum is what plain arithmetic says`,
  async () =>
    expect(await playRewards(app, { operations, expiryDays: 20 })).toBeGreaterThanOrEqual(operations),
  3_600_000,
);

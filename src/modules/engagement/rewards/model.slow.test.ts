import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { playRewards } from '../../../../test/kit/engagement/rewards-run.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { isFull } from '../../../../test/kit/length.ts';

// Reconciliation is off, because these bets move no money.
const app = fixture(() => startApp({ reconcileOnStop: false }));

const operations = isFull ? 50_000 : 20_000;

test(
  `matches a simple model after each slice and claim of ${operations} bets, rollbacks, corrections and claims`,
  async () =>
    expect(await playRewards(app, { operations, expiryDays: 20 })).toBeGreaterThanOrEqual(operations),
  3_600_000,
);

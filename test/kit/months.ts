import { vi } from 'vitest';
import { listConsumers } from '../../src/modules/games/bets/consumers.ts';
import { firstIdOf } from '../../src/modules/money/ledger/rules.ts';
import type { TestApp } from './app.ts';
import { consumeAll } from './games/bets.ts';

/** Waits until every consumer has consumed all bets. */
export async function consumedByAll(app: TestApp): Promise<void> {
  await consumeAll(app);
  const { returns, limitWarnings, rewards, leaderboards, challenges } = app.services;
  const consumers = [returns, limitWarnings, rewards, leaderboards.consumer, challenges];
  await vi.waitUntil(
    async () => {
      await Promise.all(consumers.map((consumer) => consumer.consume()));
      return (await listConsumers(app.db)).every(({ lagBets }) => lagBets === 0);
    },
    { timeout: 20_000, interval: 20 },
  );
}

/** Detaches all bet partitions before this month, oldest first. Their bets must have ended and been consumed. */
export async function detachBefore(app: TestApp, month: number): Promise<void> {
  for (const { list, part, state, below } of await app.services.partitions.list())
    if (list === 'bets' && state === 'attached' && below <= firstIdOf(month))
      await app.services.partitions.detach(list, part.slice('bets_'.length).replace('_', '-'));
}

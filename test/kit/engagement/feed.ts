import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { events } from '../../../src/app/asyncapi.ts';
import { emitEvent } from '../../../src/modules/base/events/service.ts';
import { depositEvents } from '../../../src/modules/money/payments/deposits/schemas.ts';
import { createFeed } from '../../../src/modules/operations/feed/service.ts';
import { transaction } from '../../../src/platform/database/db.ts';
import type { Audience, Delivery, Feed, Frame } from '../../../src/realtime/feed.ts';
import type { TestApp } from '../app.ts';

export const FEED = { LIVE_BETS_EVERY_MS: 100, RESUME_SECONDS: 300, EVENTS_KEEP_DAYS: 7 };

export const PATIENT = { timeout: 20_000 };

/** Creates a separate feed, as another process would have. */
export const newFeed = ({ services }: TestApp): Feed => createFeed({ ...services, config: FEED });

export const listening = (players: readonly { id: number }[], ...rooms: string[]): Audience => ({
  users: players.map(({ id }) => id),
  rooms: new Set(rooms),
});

/** Starts reading the feed at its current end. Returns this position. */
export const begin = (feed: Feed, audience: Audience): Promise<number> =>
  vi.waitFor(async () => {
    const { position } = await feed.next(audience);
    expect(position).toBeGreaterThan(0);
    return position;
  }, PATIENT);

/** Reads until `isEnough` accepts the received events. */
export async function readUntil(
  feed: Feed,
  audience: Audience,
  isEnough: (all: Delivery[]) => boolean,
): Promise<Delivery[]> {
  const all: Delivery[] = [];
  await vi.waitFor(
    async () => {
      all.push(...(await feed.next(audience)).deliveries);
      expect(isEnough(all)).toBe(true);
    },
    { ...PATIENT, interval: 5 },
  );
  return all;
}

export const framesOf = (deliveries: readonly Delivery[], event?: string): Frame[] =>
  deliveries.flatMap(({ frame }) => (event === undefined || frame.event === event ? [frame] : []));

export const deposit = (n: number) =>
  ({
    event: depositEvents['deposit.status'],
    data: { depositId: String(n), status: 'DETECTED', currencyId: 'USDT', amount: '1' },
  }) as const;

/** Emits an event for one player. The transaction commits `heldMs` milliseconds later. */
export const tell = ({ db }: TestApp, userId: number, n: number, heldMs = 0): Promise<void> =>
  transaction(db, async (tx) => {
    await emitEvent(tx, { ...deposit(n), userId });
    await sleep(heldMs);
  });

/** Returns true if the event describes a state rather than something that happened. */
export const isState = ({ event }: Frame): boolean => events[event]!.isState === true;

/** Returns everything that reconnecting sockets receive, in order. Returns undefined if the missed events cannot be replayed. */
export const toldAgain = async (feed: Feed, sockets: Parameters<Feed['missed']>[0]) =>
  (await feed.missed(sockets)).map(({ past, states }) => past && [...past, ...states]);

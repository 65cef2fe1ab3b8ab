import { iso } from '../../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../../platform/database/db.ts';
import { formatRate } from '../../../../platform/money.ts';
import { eventsNamed, type StoredEvent } from '../../../base/events/service.ts';
import type { Currencies } from '../../../money/currencies/service.ts';
import { createSafeWatermark } from '../../../money/ledger/safe-watermark.ts';
import { triggersOf } from '../queries.ts';
import {
  insertMessages,
  isAnyEventAfter,
  lockEventCursor,
  moveEventCursor,
  type NewMessage,
  positionsOf,
} from './queries.ts';
import { type Content, contentsOf, type Lookups, NAMES } from './rules.ts';

export type MessageDeps = { db: Db; currencies: Pick<Currencies, 'ids' | 'rateOf'>; origin: string };

/**
 * Creates messages from players' events below the safe watermark, in the order of their ids. The cursor moves in the transaction that stores
 * the messages, so each event is converted once.
 */
export function createEventMessages(deps: MessageDeps) {
  const { db } = deps;
  const safeWatermark = createSafeWatermark(db);
  return {
    /** Returns true if there are events after the cursor. */
    hasNews: () => isAnyEventAfter(db),
    async createMessages(): Promise<void> {
      const below = await safeWatermark();
      while (!(await transaction(db, (tx) => createBatch(tx, deps, below))));
    },
  };
}

/** Creates the messages of the next events. Returns true if no events are left. */
async function createBatch(tx: Tx, deps: MessageDeps, below: bigint): Promise<boolean> {
  const after = await lockEventCursor(tx);
  if (after === undefined) return true;
  const { events: read, upTo, isAll } = await eventsNamed(tx, NAMES, { after, below });
  if (upTo === undefined) return true;
  const done = await positionsOf(tx, [...new Set(read.map(({ userId }) => userId))]);
  // A worker of the previous version may have converted some of the events.
  const events = read.filter(({ id, userId }) => id > (done.get(userId) ?? 0n));
  const grantIds = events.flatMap(({ name, data }) =>
    name === 'promo.state' ? [(data as { grantId: string }).grantId] : [],
  );
  const triggers = await triggersOf(tx, grantIds);
  const lookups: Lookups = {
    rateOf: (currencyId) => rateOf(deps.currencies, currencyId),
    triggerOf: (grantId) => triggers.get(grantId) ?? null,
  };
  await insertMessages(
    tx,
    events.flatMap((event) => messagesOf(event, deps.origin, lookups)),
  );
  await moveEventCursor(tx, upTo);
  return isAll;
}

function messagesOf(
  { id, userId, name, data, at }: StoredEvent,
  origin: string,
  lookups: Lookups,
): NewMessage[] {
  return contentsOf(name, data, lookups).map((content, n) =>
    // One event can result in two messages, which need different ids.
    messageOf({ userId, eventId: n === 0 ? String(id) : `${id}-${n}`, at, origin }, content),
  );
}

type Head = { userId: number; eventId: string; at: Date; origin: string };

/** Builds a message in the CRM's format. */
export const messageOf = (
  { userId, eventId, at, origin }: Head,
  { type, ...fields }: Content,
): NewMessage => ({
  userId,
  eventId,
  name: type,
  body: JSON.stringify({ type, user_id: String(userId), timestamp: iso(at), origin, ...fields }),
});

/** Returns the rate of a currency. Returns null if the currency is unknown, which is possible for a deposit. */
export const rateOf = (currencies: MessageDeps['currencies'], currencyId: string): string | null =>
  currencies.ids().includes(currencyId) ? formatRate(currencies.rateOf(currencyId).rate) : null;

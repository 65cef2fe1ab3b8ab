import { iso } from '../../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../../platform/database/db.ts';
import { messageOf as errorMessageOf } from '../../../../platform/errors.ts';
import { formatRate } from '../../../../platform/money.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import { eventsNamed, type StoredEvent } from '../../../base/events/service.ts';
import type { Currencies } from '../../../money/currencies/service.ts';
import { createSafeWatermark } from '../../../money/ledger/safe-watermark.ts';
import { triggersOf } from '../queries.ts';
import {
  insertMessages,
  isAnyEventAfter,
  lockEventCursor,
  lockPositions,
  moveEventCursor,
  type NewMessage,
} from './queries.ts';
import { type Content, contentsOf, type Lookups, NAMES } from './rules.ts';

export type MessageDeps = { db: Db; currencies: Pick<Currencies, 'ids' | 'rateOf'>; origin: string };
type EventDeps = MessageDeps & { log: Log };

/** A run starts no batch after this time, so that the worker can stop. */
const RUN_MS = 2000;

/**
 * Creates messages from players' events below the safe watermark, in the order of their ids. The cursor moves in the transaction that stores
 * the messages, so each event is converted once.
 */
export function createEventMessages(deps: EventDeps) {
  const { db } = deps;
  const safeWatermark = createSafeWatermark(db);
  return {
    /** Returns true if there are events after the cursor. */
    hasNews: () => isAnyEventAfter(db),
    async createMessages(closing?: AbortSignal): Promise<void> {
      const until = performance.now() + RUN_MS;
      const mayContinue = () => !closing?.aborted && performance.now() < until;
      const below = await safeWatermark();
      while (!(await transaction(db, (tx) => createBatch(tx, deps, below))) && mayContinue());
    },
  };
}

/** Creates the messages of the next events. Returns true if no events are left. */
async function createBatch(tx: Tx, deps: EventDeps, below: bigint): Promise<boolean> {
  const after = await lockEventCursor(tx);
  if (after === undefined) return true;
  const { events: read, upTo, isAll } = await eventsNamed(tx, NAMES, { after, below });
  if (upTo === undefined) return true;
  const done = await lockPositions(tx, [...new Set(read.map(({ userId }) => userId))]);
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
    events.flatMap((event) => messagesOf(event, deps, lookups)),
  );
  await moveEventCursor(tx, upTo);
  return isAll;
}

/** Returns the messages of an event. An event that cannot be converted is skipped, because it would block the events of all players. */
function messagesOf(
  { id, userId, name, data, at }: StoredEvent,
  { origin, log }: EventDeps,
  lookups: Lookups,
): NewMessage[] {
  try {
    return contentsOf(name, data, lookups).map((content, n) =>
      // One event can result in two messages, which need different ids.
      messageOf({ userId, eventId: n === 0 ? String(id) : `${id}-${n}`, at, origin }, content),
    );
  } catch (error) {
    log.error({ eventId: String(id), name, error: errorMessageOf(error) }, 'crm event skipped');
    return [];
  }
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

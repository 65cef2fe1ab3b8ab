import { z } from 'zod';
import type { Message } from '../../../../platform/broker/broker.ts';
import { iso } from '../../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../../platform/database/db.ts';
import { formatRate } from '../../../../platform/money.ts';
import { eventsOf, type StoredEvent } from '../../../base/events/service.ts';
import type { Currencies } from '../../../money/currencies/service.ts';
import { triggersOf } from '../queries.ts';
import { insertMessages, lockPlayer, movePlayer, type NewMessage } from './queries.ts';
import { type Content, contentsOf, type Lookups, NAMES } from './rules.ts';

export type MessageDeps = { db: Db; currencies: Pick<Currencies, 'ids' | 'rateOf'>; origin: string };

const Notice = z.object({ userId: z.number().int().min(1) });
const EventId = z.string().regex(/^\d{1,18}$/);

/**
 * Creates messages from a player's events, up to the event that a broker message refers to. The events are read from the database table.
 * Each event is therefore converted once, in the order of event ids, regardless of the order and number of broker messages.
 */
export const createEventHandler =
  ({ db, currencies, origin }: MessageDeps) =>
  async ({ id, data }: Message): Promise<void> => {
    const event = EventId.safeParse(id);
    const notice = Notice.safeParse(data);
    // A broker message that was published by hand refers to no event.
    if (!event.success || !notice.success) return;
    await transaction(db, (tx) =>
      createMessages(tx, { currencies, origin }, { userId: notice.data.userId, upTo: BigInt(event.data) }),
    );
  };

async function createMessages(
  tx: Tx,
  deps: Omit<MessageDeps, 'db'>,
  { userId, upTo }: { userId: number; upTo: bigint },
): Promise<void> {
  const after = await lockPlayer(tx, userId);
  if (after === undefined || after >= upTo) return;
  const events = await eventsOf(tx, userId, { after, upTo, names: NAMES });
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
  await movePlayer(tx, userId, upTo);
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

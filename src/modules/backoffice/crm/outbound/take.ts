import { z } from 'zod';
import type { Message } from '../../../../platform/broker/broker.ts';
import { iso } from '../../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../../platform/db.ts';
import { formatRate } from '../../../../platform/money.ts';
import { eventsOf, type StoredEvent } from '../../../base/events/read.ts';
import type { Currencies } from '../../../money/currencies/service.ts';
import { triggersOf } from '../queries.ts';
import { insertMessages, lockPlayer, movePlayer, type NewMessage } from './queries.ts';
import { type Content, contentsOf, type Known, NAMES } from './rules.ts';

export type TakeDeps = { db: Db; currencies: Pick<Currencies, 'ids' | 'rateOf'>; origin: string };

const Notice = z.object({ userId: z.number().int().min(1) });
const EventId = z.string().regex(/^\d{1,18}$/);

/**
 * Makes messages of a player's events up to the one that the broker tells of. The events are read from their own table: whichever worker
 * hears of which first, however often and in whatever order, each becomes a message once, in the order of ids.
 */
export const createTake =
  ({ db, currencies, origin }: TakeDeps) =>
  async ({ id, data }: Message): Promise<void> => {
    const event = EventId.safeParse(id);
    const notice = Notice.safeParse(data);
    // What somebody publishes by hand is about no event.
    if (!event.success || !notice.success) return;
    await transaction(db, (tx) =>
      takeUpTo(tx, { currencies, origin }, { userId: notice.data.userId, upTo: BigInt(event.data) }),
    );
  };

async function takeUpTo(
  tx: Tx,
  deps: Omit<TakeDeps, 'db'>,
  { userId, upTo }: { userId: number; upTo: bigint },
): Promise<void> {
  const after = await lockPlayer(tx, userId);
  if (after === undefined || after >= upTo) return;
  const events = await eventsOf(tx, userId, { after, upTo, names: NAMES });
  const grantIds = events.flatMap(({ name, data }) =>
    name === 'promo.state' ? [(data as { grantId: string }).grantId] : [],
  );
  const triggers = await triggersOf(tx, grantIds);
  const known: Known = {
    rateOf: (currencyId) => rateOf(deps.currencies, currencyId),
    triggerOf: (grantId) => triggers.get(grantId) ?? null,
  };
  await insertMessages(
    tx,
    events.flatMap((event) => messagesOf(event, deps.origin, known)),
  );
  await movePlayer(tx, userId, upTo);
}

function messagesOf({ id, userId, name, data, at }: StoredEvent, origin: string, known: Known): NewMessage[] {
  return contentsOf(name, data, known).map((content, n) =>
    // An event may be told by two messages.
    messageOf({ userId, eventId: n === 0 ? String(id) : `${id}-${n}`, at, origin }, content),
  );
}

type Head = { userId: number; eventId: string; at: Date; origin: string };

/** A message as the CRM reads it. */
export const messageOf = (
  { userId, eventId, at, origin }: Head,
  { type, ...fields }: Content,
): NewMessage => ({
  userId,
  eventId,
  name: type,
  body: JSON.stringify({ type, user_id: String(userId), timestamp: iso(at), origin, ...fields }),
});

/** Null: a deposit may be of a currency that there is not. */
export const rateOf = (currencies: TakeDeps['currencies'], currencyId: string): string | null =>
  currencies.ids().includes(currencyId) ? formatRate(currencies.rateOf(currencyId).rate) : null;

import { type Selectable, sql } from 'kysely';
import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { Notifications as NotificationsTable } from '../../../platform/database.ts';
import type { Tx } from '../../../platform/db.ts';
import { MESSAGES } from '../declared.ts';
import { emitEvent } from '../events/service.ts';
import { languageOf } from '../mail/languages.ts';
import type { Message } from './message.ts';
import type { Notification } from './schemas.ts';

export type Shown = z.output<typeof Notification>;
export type NewNotification = Pick<Shown, 'type' | 'title' | 'body'> & {
  userId: number;
  payload?: Record<string, unknown>;
};

/** Notifications of one player: what is not shown any more is not kept either. */
export const KEPT = 100;

type Code = keyof typeof MESSAGES;
type FactsOf<C extends Code> = (typeof MESSAGES)[C] extends Message<infer F> ? F & object : never;

/**
 * Tells a player something in their language, if `tx` commits. The payload is the code with its facts: what a front end has words of
 * its own for.
 */
export async function notify<C extends Code>(
  tx: Tx,
  userId: number,
  code: C,
  facts: FactsOf<C>,
): Promise<void> {
  const user = await tx.selectFrom('users').select('language').where('id', '=', userId).executeTakeFirst();
  const { type, texts } = MESSAGES[code] as Message<FactsOf<C>>;
  const { title, body } = texts[languageOf(user?.language)];
  const inWords = (words: string | ((facts: FactsOf<C>) => string)) =>
    typeof words === 'string' ? words : words(facts);
  await addNotification(tx, {
    userId,
    type,
    title: inWords(title),
    body: inWords(body),
    payload: { code, ...facts },
  });
}

/** Writes a notification as it is and emits its event, if `tx` commits. Whatever is older than the newest hundred of the player goes. */
export async function addNotification(
  tx: Tx,
  { userId, type, title, body, payload }: NewNotification,
): Promise<Shown> {
  // Whoever does the same at the same time is not waited for: one of the two takes the old ones away.
  const { rows } = await sql<Row>`
    with old as (
      select id from notifications where user_id = ${userId} order by id desc offset ${sql.lit(KEPT - 1)}
    ), free as (
      select id from notifications where user_id = ${userId} and id in (select id from old) for update skip locked
    ), gone as (
      delete from notifications where user_id = ${userId} and id in (select id from free)
    )
    insert into notifications (user_id, type, title, body, payload)
    values (${userId}, ${type}, ${title}, ${body}, ${payload ? JSON.stringify(payload) : null}::json)
    returning *`.execute(tx);
  const data = show(rows[0]!);
  await emitEvent(tx, { event: 'notification.new', userId, data });
  return data;
}

export type Row = Selectable<NotificationsTable>;

export const show = (row: Omit<Row, 'user_id'>): Shown => ({
  id: String(row.id),
  type: row.type as Shown['type'],
  title: row.title,
  body: row.body,
  payload: row.payload as Shown['payload'],
  isAware: row.is_aware,
  createdAt: iso(row.created_at),
});

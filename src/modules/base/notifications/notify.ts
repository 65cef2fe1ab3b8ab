import { type Selectable, sql } from 'kysely';
import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import type { Notifications as NotificationsTable } from '../../../platform/database/tables.ts';
import { emitEvent } from '../events/service.ts';
import { type Language, languageOf } from '../mail/languages.ts';
import { getUser } from '../users/service.ts';
import { type Notification, notificationEvents, type SendNotification } from './schemas.ts';

type Text<F> = string | ((facts: F) => string);
export type Message<F> = {
  code: string;
  type: z.output<typeof Notification>['type'];
  texts: Record<Language, { title: Text<F>; body: Text<F> }>;
};

/**
 * A notification as a module declares it (`messages` in its module.ts): short plain text without confidential data. Its code and facts are
 * the payload of stored notifications, so neither may be removed later. Amounts are exact decimal strings, times are ISO 8601 in UTC.
 */
export const message = <F = Record<never, never>>(
  type: Message<F>['type'],
  texts: Message<F>['texts'],
): Omit<Message<F>, 'code'> => ({ type, texts });

/** The notifications of a module by code. The module lists these notifications in `messages` of its module.ts. */
export function messages<const C extends Readonly<Record<string, object>>>(catalogue: C) {
  const coded = Object.entries(catalogue).map(([code, one]) => [code, { code, ...one }]);
  return Object.fromEntries(coded) as { readonly [N in keyof C & string]: C[N] & { code: N } };
}

/** Formats a time the same way in every language: `2026-11-21 09:30 UTC`. */
export const moment = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

type NotificationDto = z.output<typeof Notification>;
type NewNotification = Pick<NotificationDto, 'type' | 'title' | 'body'> & {
  userId: number;
  payload?: Record<string, unknown>;
};

/** The number of notifications that are stored and listed for each player. Only the newest ones are kept. */
export const MAX_PER_PLAYER = 100;

/** Notifies a player in the player's language. The payload also has the code and data, so that a front end can use other wording. */
export async function notify<F extends object>(
  tx: Tx,
  userId: number,
  { code, type, texts }: Message<F>,
  facts: NoInfer<F>,
): Promise<void> {
  const user = await tx.selectFrom('users').select('language').where('id', '=', userId).executeTakeFirst();
  const { title, body } = texts[languageOf(user?.language)];
  const textOf = (text: string | ((facts: F) => string)) => (typeof text === 'string' ? text : text(facts));
  await addNotification(tx, {
    userId,
    type,
    title: textOf(title),
    body: textOf(body),
    payload: { code, ...facts },
  });
}

/** Sends a notification with the given texts. Used by the debug module. Throws 404 USER_NOT_FOUND. */
export const sendCustomNotification = (
  db: Db,
  { payload, ...rest }: z.output<typeof SendNotification>,
): Promise<NotificationDto> =>
  transaction(db, async (tx) => {
    await getUser(tx, rest.userId);
    return addNotification(tx, payload ? { ...rest, payload } : rest);
  });

/** Stores a notification, emits its event, and deletes the player's notifications beyond the newest 100. */
export async function addNotification(
  tx: Tx,
  { userId, type, title, body, payload }: NewNotification,
): Promise<NotificationDto> {
  // Skips rows that a concurrent call has locked, because that call will delete them.
  const { rows } = await sql<Row>`
    with old as (
      select id from notifications where user_id = ${userId} order by id desc offset ${sql.lit(MAX_PER_PLAYER - 1)}
    ), free as (
      select id from notifications where user_id = ${userId} and id in (select id from old) for update skip locked
    ), gone as (
      delete from notifications where user_id = ${userId} and id in (select id from free)
    )
    insert into notifications (user_id, type, title, body, payload)
    values (${userId}, ${type}, ${title}, ${body}, ${payload ? JSON.stringify(payload) : null}::json)
    returning *`.execute(tx);
  const data = toNotification(rows[0]!);
  await emitEvent(tx, { event: notificationEvents['notification.new'], userId, data });
  return data;
}

type Row = Selectable<NotificationsTable>;

export const toNotification = (row: Omit<Row, 'user_id'>): NotificationDto => ({
  id: String(row.id),
  type: row.type as NotificationDto['type'],
  title: row.title,
  body: row.body,
  payload: row.payload as NotificationDto['payload'],
  isAware: row.is_aware,
  createdAt: iso(row.created_at),
});

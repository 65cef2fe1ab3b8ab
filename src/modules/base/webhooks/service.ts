import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';

export type WebhookKind = 'deposit' | 'withdrawal' | 'kyc' | 'skins';
/** What a partner says: its bytes, whose signature was checked before. */
export type WebhookEvent = { provider: string; raw: Buffer };
export type Take = (tx: Tx, event: WebhookEvent) => Promise<void>;
export type Webhooks = ReturnType<typeof createWebhooks>;

/** What could not be done at once is tried again ten seconds later, then twenty, at last every hour, for more than a day. */
const MOST_ATTEMPTS = 40;
const AT_ONCE = 50;

/**
 * Notices of partners: stored before they are processed, processed once, answered after the commit. What fails for a reason of
 * ours stays and is tried again by the worker, whether the partner repeats it or not.
 */
export function createWebhooks({ db, log }: { db: Db; log: Log }) {
  const takers = new Map<WebhookKind, Take>();

  const process = async (id: bigint): Promise<void> => {
    const refusal = await transaction(db, async (tx): Promise<AppError | undefined> => {
      const event = await tx
        .selectFrom('webhook_events')
        .selectAll()
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirstOrThrow();
      if (event.processed_at && event.error === null) return undefined;
      await sql`savepoint taking`.execute(tx);
      try {
        await takers.get(event.kind as WebhookKind)!(tx, { provider: event.provider, raw: event.body });
      } catch (error) {
        // What it says cannot be used: saying it again changes nothing.
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        await sql`rollback to savepoint taking`.execute(tx);
        await close(tx, id, `${error.code}: ${error.message}`);
        return error;
      }
      await close(tx, id, null);
      return undefined;
    });
    if (refusal) throw refusal;
  };

  return {
    /** Says who takes the notices of a kind. */
    on(kind: WebhookKind, take: Take): void {
      takers.set(kind, take);
    },

    /** Resolves once everything that follows from the notice is committed. Throws what its taker refuses it with. */
    async receive(kind: WebhookKind, { provider, raw }: WebhookEvent): Promise<void> {
      const row = await db
        .insertInto('webhook_events')
        .values({ kind, provider, body: raw, body_hash: createHash('sha256').update(raw).digest() })
        .onConflict((oc) =>
          oc
            .columns(['kind', 'provider', 'body_hash'])
            .doUpdateSet({ deliveries: sql`webhook_events.deliveries + 1` }),
        )
        .returning('id')
        .executeTakeFirstOrThrow();
      await process(row.id);
    },

    /** What partners have said goes after so many days, in small bites; its hash stays, so that the same notice counts once for ever. */
    async forget(days: number): Promise<void> {
      let emptied: bigint;
      do {
        const { numAffectedRows } = await sql`
          update webhook_events set body = '' where id in (
            select id from webhook_events
            where processed_at is not null and body <> '' and received_at < now() - interval '1 day' * ${days}::int
            order by received_at limit ${AT_ONCE * 10})`.execute(db);
        emptied = numAffectedRows ?? 0n;
      } while (emptied === BigInt(AT_ONCE * 10));
    },

    /** Processes what waits for longer than a few seconds. */
    async retry(): Promise<void> {
      const waiting = await db
        .selectFrom('webhook_events')
        .select(['id', 'kind', 'provider', 'attempts'])
        .where('processed_at', 'is', null)
        .where('retry_at', '<=', sql<Date>`now()`)
        .where('attempts', '<', MOST_ATTEMPTS)
        .orderBy('retry_at')
        .limit(AT_ONCE)
        .execute();
      for (const { id, kind, provider, attempts } of waiting) {
        await process(id).catch(async (error: unknown) => {
          if (error instanceof AppError && error.status < 500) return;
          const reason = error instanceof Error ? error.message : String(error);
          const facts = { id: String(id), kind, provider, error: reason };
          if (attempts + 1 < MOST_ATTEMPTS) log.warn(facts, 'a notice could not be processed');
          else
            log.error(facts, 'a notice could not be processed for the last time; it stays in webhook_events');
          await db
            .updateTable('webhook_events')
            .set({
              attempts: sql`attempts + 1`,
              retry_at: sql`now() + interval '1 second' * least(3600, 10 * 2 ^ least(attempts, 9))`,
              error: reason.slice(0, 500),
            })
            .where('id', '=', id)
            .execute();
        });
      }
    },
  };
}

const close = (tx: Tx, id: bigint, error: string | null) =>
  tx
    .updateTable('webhook_events')
    .set({ processed_at: sql<Date>`now()`, error, attempts: sql`attempts + 1` })
    .where('id', '=', id)
    .execute();

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sql } from 'kysely';
import type { Notice } from '../../../http/route.ts';
import { untilNone } from '../../../platform/batches.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { webhookErrors } from './errors.ts';

export type WebhookKind = 'deposit' | 'withdrawal' | 'kyc' | 'skins';
/** The bytes that a partner has sent; their signature was verified before. */
export type WebhookEvent = { provider: string; raw: Buffer };
export type Take = (tx: Tx, event: WebhookEvent) => Promise<void>;
/** A partner that signs its webhooks. */
export type Sender = {
  /** Whether it has signed exactly these bytes, now. */
  isSigned(raw: Buffer, headers: IncomingHttpHeaders): boolean;
  /** Throws 400 for what cannot be read, so that it is refused instead of stored. */
  read?(raw: Buffer): unknown;
};
export type Webhooks = ReturnType<typeof createWebhooks>;

type Deps = { db: Db; log: Log; takers: Map<WebhookKind, Take> };

/** Retried after ten seconds, then twenty, finally every hour: for more than a day. */
const MOST_ATTEMPTS = 40;
const RETRY_BATCH = 50;
const PURGE_BATCH = 500;

/**
 * Webhooks of partners: stored before they are processed, processed once, answered after the commit. One that fails for a reason of
 * ours stays and is retried by the worker, whether the partner repeats it or not.
 */
export function createWebhooks({ db, log }: { db: Db; log: Log }) {
  const deps: Deps = { db, log, takers: new Map() };
  return {
    /** Registers the handler of a kind. */
    on: (kind: WebhookKind, take: Take): void => void deps.takers.set(kind, take),
    /**
     * What the route of a kind calls: stores a webhook whose signature is proven, and resolves after everything that follows from it is
     * committed. `senderOf` throws 404 PROVIDER_NOT_FOUND. Throws 401 SIGNATURE_INVALID, and the handler's refusal.
     */
    receiver:
      (kind: WebhookKind, senderOf: (provider: string) => Sender) =>
      async (provider: string, { raw, headers }: Notice): Promise<{ success: true }> => {
        const sender = senderOf(provider);
        if (!sender.isSigned(raw, headers)) throw webhookErrors.SIGNATURE_INVALID();
        sender.read?.(raw);
        await receive(deps, kind, { provider, raw });
        return { success: true };
      },
    forget: (days: number): Promise<void> => forget(db, days),
    retry: (): Promise<void> => retry(deps),
  };
}

async function receive(deps: Deps, kind: WebhookKind, { provider, raw }: WebhookEvent): Promise<void> {
  const row = await deps.db
    .insertInto('webhook_events')
    .values({ kind, provider, body: raw, body_hash: createHash('sha256').update(raw).digest() })
    .onConflict((oc) =>
      oc
        .columns(['kind', 'provider', 'body_hash'])
        .doUpdateSet({ deliveries: sql`webhook_events.deliveries + 1` }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  await process(deps, row.id);
}

async function process({ db, takers }: Deps, id: bigint): Promise<void> {
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
      // A refusal is final: the same bytes would be refused again.
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      await sql`rollback to savepoint taking`.execute(tx);
      await close(tx, id, `${error.code}: ${error.message}`);
      return error;
    }
    await close(tx, id, null);
    return undefined;
  });
  if (refusal) throw refusal;
}

/** Empties processed bodies after so many days, in small batches. The hash stays, so that the same webhook never counts twice. */
const forget = (db: Db, days: number): Promise<void> =>
  untilNone(
    db,
    sql`update webhook_events set body = '' where id in (
      select id from webhook_events
      where processed_at is not null and body <> '' and received_at < now() - interval '1 day' * ${days}::int
      order by received_at limit ${PURGE_BATCH})`,
  );

/** Processes the webhooks whose time to be retried has come. */
async function retry(deps: Deps): Promise<void> {
  const waiting = await deps.db
    .selectFrom('webhook_events')
    .select(['id', 'kind', 'provider', 'attempts'])
    .where('processed_at', 'is', null)
    .where('retry_at', '<=', sql<Date>`now()`)
    .where('attempts', '<', MOST_ATTEMPTS)
    .orderBy('retry_at')
    .limit(RETRY_BATCH)
    .execute();
  for (const event of waiting)
    await process(deps, event.id).catch((error: unknown) => postpone(deps, event, error));
}

async function postpone(
  { db, log }: Deps,
  { id, kind, provider, attempts }: { id: bigint; kind: string; provider: string; attempts: number },
  error: unknown,
): Promise<void> {
  if (error instanceof AppError && error.status < 500) return;
  const reason = error instanceof Error ? error.message : String(error);
  const facts = { id: String(id), kind, provider, error: reason };
  if (attempts + 1 < MOST_ATTEMPTS) log.warn(facts, 'a webhook could not be processed');
  else log.error(facts, 'a webhook could not be processed for the last time; it stays in webhook_events');
  await db
    .updateTable('webhook_events')
    .set({
      attempts: sql`attempts + 1`,
      retry_at: sql`now() + interval '1 second' * least(3600, 10 * 2 ^ least(attempts, 9))`,
      error: reason.slice(0, 500),
    })
    .where('id', '=', id)
    .execute();
}

const close = (tx: Tx, id: bigint, error: string | null) =>
  tx
    .updateTable('webhook_events')
    .set({ processed_at: sql<Date>`now()`, error, attempts: sql`attempts + 1` })
    .where('id', '=', id)
    .execute();

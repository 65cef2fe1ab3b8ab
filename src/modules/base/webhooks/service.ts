import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sql } from 'kysely';
import type { Notice } from '../../../http/route.ts';
import { untilNone } from '../../../platform/database/batches.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { PartnerReports, Unbooked } from '../findings/service.ts';
import { fieldNamesOf } from './report.ts';
import { webhookErrors } from './schemas.ts';

export type WebhookKind = 'deposit' | 'withdrawal' | 'kyc' | 'skins';
/** The bytes that a partner has sent. Their signature has already been verified. */
export type WebhookEvent = { provider: string; raw: Buffer };
export type Take = (tx: Tx, event: WebhookEvent) => Promise<void>;
/** A partner that signs its webhooks. */
export type Sender = {
  /** Returns true if the partner has signed exactly these bytes recently. */
  isSigned(raw: Buffer, headers: IncomingHttpHeaders): boolean;
  /** Known field names of the partner's messages. Unknown names are counted in a metric. */
  fields?: ReadonlySet<string>;
};
export type Webhooks = ReturnType<typeof createWebhooks>;

export type WebhookOptions = { db: Db; log: Log; partnerReports: PartnerReports };
type Deps = WebhookOptions & { takers: Map<WebhookKind, Take> };

/** Retries start after ten seconds, then twenty, and finally run every hour. They continue for more than a day. */
const MAX_ATTEMPTS = 40;
const RETRY_BATCH = 50;
/** One below the int4 maximum, so that the counter never overflows, however often a partner repeats a webhook. */
const MAX_DELIVERIES = sql.lit(2_147_483_646);
const PURGE_BATCH = 500;

/** The kinds of webhooks whose messages contain personal data. */
const PERSONAL: ReadonlySet<string> = new Set<WebhookKind>(['kyc']);

/**
 * Stores partner webhooks before processing them, processes each of them once, and responds after the commit. If processing fails because
 * of an error on our side, the worker retries it, even if the partner does not resend the webhook. A signed webhook that cannot be
 * processed becomes a finding for staff, and the partner still receives a success response.
 */
export function createWebhooks(given: WebhookOptions) {
  const { db, partnerReports } = given;
  const deps: Deps = { ...given, takers: new Map() };
  return {
    /** Registers the handler for webhooks of a kind. */
    on: (kind: WebhookKind, take: Take): void => void deps.takers.set(kind, take),
    /**
     * Returns the route handler of a kind. It stores a webhook with a valid signature and resolves once all its effects are committed.
     * `senderOf` throws 404 PROVIDER_NOT_FOUND. Throws 401 SIGNATURE_INVALID.
     */
    receiver:
      (kind: WebhookKind, senderOf: (provider: string) => Sender) =>
      async (provider: string, { raw, headers }: Notice): Promise<{ success: true }> => {
        const sender = senderOf(provider);
        if (!sender.isSigned(raw, headers)) throw webhookErrors.SIGNATURE_INVALID();
        const { fields } = sender;
        if (fields)
          partnerReports.countFields(
            provider,
            fieldNamesOf(raw).filter((name) => !fields.has(name)),
          );
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
        .doUpdateSet({ deliveries: sql`least(webhook_events.deliveries, ${MAX_DELIVERIES}) + 1` }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  await process(deps, row.id);
}

async function process({ db, takers, partnerReports }: Deps, id: bigint): Promise<void> {
  await transaction(db, async (tx) => {
    const event = await tx
      .selectFrom('webhook_events')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirstOrThrow();
    if (event.processed_at && event.error === null) return;
    await sql`savepoint taking`.execute(tx);
    try {
      await takers.get(event.kind as WebhookKind)!(tx, { provider: event.provider, raw: event.body });
    } catch (error) {
      // Processing the same bytes again would fail again, so a finding asks staff to decide.
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      await sql`rollback to savepoint taking`.execute(tx);
      await partnerReports.store(tx, { slug: event.provider }, unusable(event, error));
      await close(tx, id, `${error.code}: ${error.message}`);
      return;
    }
    await close(tx, id, null);
  });
}

type EventRow = { kind: string; provider: string; body: Buffer; body_hash: Buffer };

/**
 * Builds the report about a webhook that cannot be processed. If the type of the webhook is unknown, the function that reads it passes the
 * type in `details.unknownType`.
 */
function unusable({ kind, provider, body, body_hash }: EventRow, { details }: AppError): Unbooked {
  const { unknownType } = (details ?? {}) as { unknownType?: unknown };
  const isType = typeof unknownType === 'string';
  return {
    reason: isType ? 'UNKNOWN_TYPE' : 'UNREADABLE',
    type: isType ? unknownType : kind,
    subject: `${kind}:${provider}:${body_hash.toString('hex')}`,
    raw: body,
    isPersonal: PERSONAL.has(kind),
  };
}

/**
 * Clears the bodies of processed webhooks older than `days`, in small batches. Keeps the hash, so that a webhook is never processed twice.
 */
const forget = (db: Db, days: number): Promise<void> =>
  untilNone(
    db,
    sql`update webhook_events set body = '' where id in (
      select id from webhook_events
      where processed_at is not null and body <> '' and received_at < now() - interval '1 day' * ${days}::int
      order by received_at limit ${PURGE_BATCH})`,
  );

/** Processes webhooks that are due for a retry. */
async function retry(deps: Deps): Promise<void> {
  const waiting = await deps.db
    .selectFrom('webhook_events')
    .select(['id', 'kind', 'provider', 'attempts'])
    .where('processed_at', 'is', null)
    .where('retry_at', '<=', sql<Date>`now()`)
    .where('attempts', '<', MAX_ATTEMPTS)
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
  if (attempts + 1 < MAX_ATTEMPTS) log.warn(facts, 'webhook failed, will be retried');
  else log.error(facts, 'webhook failed for the last time, stays in webhook_events');
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

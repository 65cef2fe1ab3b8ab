import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Notice } from '../../../http/route.ts';
import { untilNone } from '../../../platform/database/batches.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { AppError } from '../../../platform/errors.ts';
import { addJob, JobHopeless } from '../../../platform/queue/queue.ts';
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

export type WebhookOptions = { db: Db; partnerReports: PartnerReports };
type Deps = WebhookOptions & { takers: Map<WebhookKind, Take> };

/** The task that processes a stored webhook if the request could not. */
export const PROCESS = 'webhooks.process';
/** The pauses between attempts grow to six hours, so the last attempt runs more than a day after the first. */
const MAX_ATTEMPTS = 14;
/** Time in which the request processes the webhook. */
const FIRST_RETRY_MS = 10_000;
/** One below the int4 maximum, so that the counter never overflows, however often a partner repeats a webhook. */
const MAX_DELIVERIES = sql.lit(2_147_483_646);
const PURGE_BATCH = 500;
/** Version 0.1.0 gave up a webhook after this number of attempts. */
const MAX_OLDER_ATTEMPTS = 40;
const QUEUE_BATCH = 100;

/** The kinds of webhooks whose messages contain personal data. */
const PERSONAL: ReadonlySet<string> = new Set<WebhookKind>(['kyc']);

/**
 * Stores partner webhooks before processing them, processes each of them once, and responds after the commit. If processing fails because
 * of an error on our side, a queued task retries it, even if the partner does not resend the webhook. A signed webhook that cannot be
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
    /** Runs the task of a stored webhook. */
    async process(payload: unknown): Promise<void> {
      const task = Task.safeParse(payload);
      if (!task.success) throw new JobHopeless('is not a webhook');
      await process(deps, BigInt(task.data.id), { isTask: true });
    },
    queueOlder: (): Promise<void> => queueOlder(db),
  };
}

const Task = z.object({ id: z.string().regex(/^\d{1,18}$/) });

async function receive(deps: Deps, kind: WebhookKind, { provider, raw }: WebhookEvent): Promise<void> {
  const hash = createHash('sha256').update(raw).digest();
  const id = await transaction(deps.db, async (tx) => {
    const row = await tx
      .insertInto('webhook_events')
      .values({ kind, provider, body: raw, body_hash: hash, retry_at: sql<Date>`'infinity'` })
      .onConflict((oc) =>
        oc
          .columns(['kind', 'provider', 'body_hash'])
          .doUpdateSet({ deliveries: sql`least(webhook_events.deliveries, ${MAX_DELIVERIES}) + 1` }),
      )
      .returning(['id', 'processed_at'])
      .executeTakeFirstOrThrow();
    if (!row.processed_at) await queueTask(tx, row.id);
    return row.id;
  });
  await process(deps, id);
}

/** Queues the task of a webhook. The task does nothing if the webhook has been processed by then. */
function queueTask(tx: Tx, id: bigint): Promise<void> {
  const runAt = new Date(Date.now() + FIRST_RETRY_MS);
  return addJob(tx, PROCESS, { id: String(id) }, { key: `webhook:${id}`, maxAttempts: MAX_ATTEMPTS, runAt });
}

/**
 * Queues the tasks of webhooks that a process of version 0.1.0 has stored. It queued no tasks, but set `retry_at`. Skips webhooks that it has
 * given up.
 */
async function queueOlder(db: Db): Promise<void> {
  while ((await transaction(db, queueOlderBatch)) === QUEUE_BATCH);
}

async function queueOlderBatch(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: bigint }>`
    update webhook_events set retry_at = 'infinity' where id in (
      select id from webhook_events
      where processed_at is null and retry_at <= now() and attempts < ${MAX_OLDER_ATTEMPTS}
      order by retry_at limit ${QUEUE_BATCH} for update skip locked)
    returning id`.execute(tx);
  for (const { id } of rows) await queueTask(tx, id);
  return rows.length;
}

/**
 * Processes a webhook that has not been processed yet. A webhook that was closed with an error is processed again only when the partner
 * repeats it.
 */
async function process(
  { db, takers, partnerReports }: Deps,
  id: bigint,
  { isTask = false } = {},
): Promise<void> {
  await transaction(db, async (tx) => {
    const event = await tx
      .selectFrom('webhook_events')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirstOrThrow();
    if (event.processed_at && (isTask || event.error === null)) return;
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

const close = (tx: Tx, id: bigint, error: string | null) =>
  tx
    .updateTable('webhook_events')
    .set({ processed_at: sql<Date>`now()`, error, attempts: sql`attempts + 1` })
    .where('id', '=', id)
    .execute();

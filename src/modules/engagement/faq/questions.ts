import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { object, SuccessResponse, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { createMirror } from '../../../platform/database/mirror.ts';
import { errors } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';

const Faq = object('Faq', {
  id: z.number(),
  title: z.string().meta({ example: 'How long does a withdrawal take?' }),
  text: z.string(),
  order: z.number(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Faq = z.input<typeof Faq>;

const COLUMNS = ['id', 'title', 'text', 'sort_order as order', 'created_at', 'updated_at'] as const;
type FaqRow = {
  id: number;
  title: string;
  text: string;
  order: number;
  created_at: Date;
  updated_at: Date;
};

/** PostgreSQL channel that notifies every process of a change. */
const CHANNEL = 'faq_changed';

type FaqCache = ReturnType<typeof createFaqCache>;

/** Caches all questions in the memory of each process. The cache is empty before `start`. */
export function createFaqCache({
  db,
  databaseClock,
  log,
}: {
  db: Db;
  databaseClock: DatabaseClock;
  log: Log;
}) {
  let cached: readonly Faq[] = Object.freeze([]);
  const { start, close, reload } = createMirror({
    what: 'questions and answers',
    channel: CHANNEL,
    read: () => db.selectFrom('faq').select(COLUMNS).orderBy('sort_order').orderBy('id').execute(),
    apply: (rows) => {
      cached = Object.freeze(rows.map(toFaq));
    },
    databaseClock,
    log,
  });
  return { start, close, reload, list: () => cached };
}

const toFaq = ({ created_at, updated_at, ...faq }: FaqRow): Faq => ({
  ...faq,
  createdAt: iso(created_at),
  updatedAt: iso(updated_at),
});

export type FaqDeps = { db: Db; faq: FaqCache };

const faqErrors = errors({
  FAQ_NOT_FOUND: [404, 'Question not found. GET /faq lists all questions.'],
});

const list = {
  method: 'GET',
  path: '/faq',
  tag: 'FAQ',
  response: z.array(Faq),
  handler: ({ faq }: FaqDeps) => faq.list(),
} as const;

export const listFaq = operation({
  ...list,
  access: 'anonymous',
  summary: 'List frequently asked questions',
  description: 'In display order. Questions with the same `order` are sorted by creation time.',
});

/** Only the backoffice serves this operation. */
export const listFaqForStaff = operation({
  ...list,
  access: { permission: 'faq.read' },
  summary: 'List frequently asked questions for staff',
  description: 'Returns the same list that players see.',
});

const id = z.int32().min(1);
const title = z.string().trim().min(1).max(200);
const text = z.string().trim().min(1).max(20_000);
/** The highest `order` value. It is far below the int4 maximum, so that a new question can always be added last. */
const MAX_ORDER = 1_000_000_000;

const NewFaq = z.strictObject({ title, text });
const FaqChange = z.strictObject({
  id,
  title: title.optional(),
  text: text.optional(),
  order: z.int32().min(0).max(MAX_ORDER).optional(),
});
const FaqRemoval = z.strictObject({ id });

const shared = {
  path: '/admin/faq',
  tag: 'Admin FAQ',
  access: { permission: 'faq.write' },
  gate: 'none',
} as const;

export const createFaq = operation({
  ...shared,
  method: 'POST',
  summary: 'Add a question to the end of the FAQ',
  body: NewFaq,
  response: Faq,
  handler: (deps: FaqDeps, { by, body }) =>
    edit(deps, async (tx) => {
      await freshActor(tx, by);
      const row = await tx
        .insertInto('faq')
        .values({ ...body, sort_order: sql<number>`(select coalesce(max(sort_order), 0) + 1 from faq)` })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow();
      await recordAudit(tx, by, { after: toAudit(row) });
      return row;
    }),
});

export const updateFaq = operation({
  ...shared,
  method: 'PUT',
  summary: 'Update a question',
  description:
    'Omitted fields keep their values. Questions with the same `order` are sorted by creation time.',
  body: FaqChange,
  response: Faq,
  errors: [faqErrors.FAQ_NOT_FOUND],
  handler: (deps: FaqDeps, { by, body: { id, order, ...texts } }) =>
    edit(deps, async (tx) => {
      const before = await lockFaq(tx, by, id);
      const row = await tx
        .updateTable('faq')
        .set({ ...texts, ...(order !== undefined && { sort_order: order }), updated_at: sql<Date>`now()` })
        .where('id', '=', id)
        .returning(COLUMNS)
        .executeTakeFirstOrThrow();
      await recordAudit(tx, by, { before: toAudit(before), after: toAudit(row) });
      return row;
    }),
});

const removal = {
  ...shared,
  method: 'DELETE',
  summary: 'Delete a question',
  body: FaqRemoval,
  errors: [faqErrors.FAQ_NOT_FOUND],
} as const;

export const deleteFaq = operation({
  ...removal,
  handler: async (deps: FaqDeps, { by, body }) => {
    await remove(deps, by, body.id);
  },
});

/** Variant for the backoffice, where the response has a body. */
export const deleteFaqInBackoffice = operation({
  ...removal,
  response: SuccessResponse,
  handler: async (deps: FaqDeps, { by, body }) => {
    await remove(deps, by, body.id);
    return { success: true };
  },
});

const remove = (deps: FaqDeps, by: StaffCall, id: number) =>
  edit(deps, async (tx) => {
    const before = await lockFaq(tx, by, id);
    await tx.deleteFrom('faq').where('id', '=', id).execute();
    await recordAudit(tx, by, { before: toAudit(before) });
    return before;
  });

/** Runs a change and notifies all processes. The others apply it within a second, and this process applies it before the response. */
async function edit({ db, faq }: FaqDeps, change: (tx: Tx) => Promise<FaqRow>): Promise<Faq> {
  const row = await transaction(db, async (tx) => {
    const changed = await change(tx);
    await sql`select pg_notify(${CHANNEL}, '')`.execute(tx);
    return changed;
  });
  await faq.reload();
  return toFaq(row);
}

async function lockFaq(tx: Tx, by: StaffCall, id: number): Promise<FaqRow> {
  const row = await tx.selectFrom('faq').select(COLUMNS).where('id', '=', id).forUpdate().executeTakeFirst();
  await freshActor(tx, by);
  if (!row) throw faqErrors.FAQ_NOT_FOUND({ id });
  return row;
}

const toAudit = ({ id, title, text, order }: FaqRow) => ({ id, title, text, order });

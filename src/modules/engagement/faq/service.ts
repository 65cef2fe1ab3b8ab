import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { createMirror } from '../../../platform/mirror.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { faqErrors } from './errors.ts';
import type { Faq, FaqChange, NewFaq } from './schemas.ts';

export type FaqService = ReturnType<typeof createFaq>;

type Shown = z.input<typeof Faq>;
type Deps = { db: Db; databaseClock: DatabaseClock; log: Log };

const CHANNEL = 'faq_changed';
const COLUMNS = ['id', 'title', 'text', 'sort_order as order', 'created_at', 'updated_at'] as const;

/** Questions and answers, in memory of every process. Nothing is there before `start`. */
export function createFaq({ db, databaseClock, log }: Deps) {
  let known: readonly Shown[] = Object.freeze([]);
  const mirror = createMirror({
    what: 'questions and answers',
    channel: CHANNEL,
    read: () => db.selectFrom('faq').select(COLUMNS).orderBy('sort_order').orderBy('id').execute(),
    apply: (rows) => {
      known = Object.freeze(rows.map(shown));
    },
    databaseClock,
    log,
  });
  /** Every process knows within a second, this one before the answer. */
  const change = async (work: (tx: Tx) => Promise<Row>): Promise<Shown> => {
    const row = await transaction(db, async (tx) => {
      const changed = await work(tx);
      await sql`select pg_notify(${CHANNEL}, '')`.execute(tx);
      return changed;
    });
    await mirror.reload();
    return shown(row);
  };
  return {
    start: mirror.start,
    close: mirror.close,
    list: () => known,
    add: (by: StaffCall, faq: z.output<typeof NewFaq>) => change((tx) => add(tx, by, faq)),
    /** Throws 404 FAQ_NOT_FOUND. */
    change: (by: StaffCall, faq: z.output<typeof FaqChange>) => change((tx) => update(tx, by, faq)),
    /** Throws 404 FAQ_NOT_FOUND. */
    async remove(by: StaffCall, id: number): Promise<void> {
      await change((tx) => remove(tx, by, id));
    },
  };
}

type Row = { id: number; title: string; text: string; order: number; created_at: Date; updated_at: Date };

const shown = ({ created_at, updated_at, ...faq }: Row): Shown => ({
  ...faq,
  createdAt: iso(created_at),
  updatedAt: iso(updated_at),
});

const audited = ({ id, title, text, order }: Row) => ({ id, title, text, order });

async function add(tx: Tx, by: StaffCall, { title, text }: z.output<typeof NewFaq>): Promise<Row> {
  await freshActor(tx, by);
  const last = sql<number>`(select coalesce(max(sort_order), 0) + 1 from faq)`;
  const row = await tx
    .insertInto('faq')
    .values({ title, text, sort_order: last })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  await recordAudit(tx, by, { after: audited(row) });
  return row;
}

async function update(
  tx: Tx,
  by: StaffCall,
  { id, order, ...texts }: z.output<typeof FaqChange>,
): Promise<Row> {
  const before = await lock(tx, by, id);
  const row = await tx
    .updateTable('faq')
    .set({ ...texts, ...(order !== undefined && { sort_order: order }), updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  await recordAudit(tx, by, { before: audited(before), after: audited(row) });
  return row;
}

async function remove(tx: Tx, by: StaffCall, id: number): Promise<Row> {
  const before = await lock(tx, by, id);
  await tx.deleteFrom('faq').where('id', '=', id).execute();
  await recordAudit(tx, by, { before: audited(before) });
  return before;
}

async function lock(tx: Tx, by: StaffCall, id: number): Promise<Row> {
  const row = await tx.selectFrom('faq').select(COLUMNS).where('id', '=', id).forUpdate().executeTakeFirst();
  await freshActor(tx, by);
  if (!row) throw faqErrors.FAQ_NOT_FOUND({ id });
  return row;
}

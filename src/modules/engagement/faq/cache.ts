import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { createMirror } from '../../../platform/database/mirror.ts';
import type { Log } from '../../../platform/observability/log.ts';

export const Faq = object('Faq', {
  id: z.number(),
  title: z.string().meta({ example: 'How long does a withdrawal take?' }),
  text: z.string(),
  order: z.number(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Faq = z.input<typeof Faq>;

export const COLUMNS = ['id', 'title', 'text', 'sort_order as order', 'created_at', 'updated_at'] as const;
export type FaqRow = {
  id: number;
  title: string;
  text: string;
  order: number;
  created_at: Date;
  updated_at: Date;
};

/** PostgreSQL channel that notifies every process of a change. */
export const CHANNEL = 'faq_changed';

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

export const toFaq = ({ created_at, updated_at, ...faq }: FaqRow): Faq => ({
  ...faq,
  createdAt: iso(created_at),
  updatedAt: iso(updated_at),
});

export type FaqDeps = { db: Db; faq: FaqCache };

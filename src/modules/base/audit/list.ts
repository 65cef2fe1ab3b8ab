import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import type { SessionUser } from '../../../http/access.ts';
import { type Page, pageOf } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { holds, maskEmail, SHORT_USER_COLUMNS, sightOf, toShortPrivateUser } from '../users/service.ts';
import { maskIp, maskPersonal } from './mask.ts';
import { RESPONSE_CLASSES } from './rules.ts';
import type { AdminLog, AuditQuery } from './schemas.ts';

/** As far as rows are counted and paged when a filter is set: what a count costs must not grow with the years. */
const COUNTED = 10_000;

const ALL_CLASSES = Object.values(RESPONSE_CLASSES);

type Query = z.output<typeof AuditQuery>;
type Entry = z.input<typeof AdminLog>;

/**
 * What staff did and tried, newest first. Numbers have no gaps, so that without a filter a page is found by arithmetic and
 * the total is the newest number; with one, totals and pages end at COUNTED.
 */
export function createAuditList(db: Db) {
  return async (query: Query, reader: SessionUser): Promise<Page<Entry>> => {
    const isFiltered = query.userId !== undefined || (query.reqType ?? []).length > 0;
    const total = isFiltered ? await countUpTo(db, query) : await newestNumber(db);
    return pageOf(query, total, (offset) => {
      const ids = isFiltered
        ? matching(query, { offset, limit: query.take })
        : numbersFrom(total - offset, query.take);
      return read(db, ids, reader);
    });
  };
}

async function newestNumber(db: Db): Promise<number> {
  const head = await db.selectFrom('admin_audit_head').select('id').executeTakeFirstOrThrow();
  return Number(head.id);
}

const numbersFrom = (newest: number, take: number) =>
  sql<bigint>`select generate_series(${newest - take + 1}::bigint, ${newest}::bigint)`;

/** Numbers of matching rows, newest first: of each class of answers only as many as can be needed, from the index. */
function matching(
  { reqType, userId }: Query,
  { offset, limit }: { offset: number; limit: number },
): RawBuilder<bigint> {
  const named = reqType?.map((name) => RESPONSE_CLASSES[name]) ?? [];
  const classes = named.length > 0 ? named : ALL_CLASSES;
  const own = userId === undefined ? sql`` : sql`and user_id = ${userId}`;
  return sql`select found.id from unnest(${classes}::int[]) as wanted (class)
    cross join lateral (
      select a.id from admin_audit a where a.status_code / 100 = wanted.class ${own} order by a.id desc limit ${offset + limit}
    ) found
    order by found.id desc offset ${offset} limit ${limit}`;
}

async function countUpTo(db: Db, query: Query): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total
    from (${matching(query, { offset: 0, limit: COUNTED })}) counted`.execute(db);
  return rows[0]!.total;
}

async function read(db: Db, ids: RawBuilder<bigint>, reader: SessionUser): Promise<Entry[]> {
  const rows = await db
    .selectFrom('admin_audit as a')
    .leftJoin('users', 'users.id', 'a.user_id')
    .select(SHORT_USER_COLUMNS)
    .select([
      ...(['a.id as number', 'a.user_id', 'method', 'path', 'service', 'permission', 'status_code'] as const),
      ...(['reason', 'request_body', 'before', 'after', 'ip', 'request_id', 'a.created_at'] as const),
    ])
    .where('a.id', 'in', sql<bigint>`(${ids})`)
    .orderBy('a.id', 'desc')
    .execute();
  const sight = sightOf(reader);
  const clear = (value: unknown) => (sight.showsPii ? value : maskPersonal(value, maskEmail));
  const showsNotes = holds(reader, 'note.read');
  const shown = (row: { permission: string }, value: unknown) =>
    showsNotes || !isAboutNotes(row) ? asObject(clear(value)) : null;
  return rows.map((row) => ({
    id: String(row.number),
    userId: row.user_id,
    user: toShortPrivateUser({ ...row, id: row.user_id, vip_level: row.vip_level ?? 0 }, sight),
    method: row.method,
    path: row.path,
    service: row.service,
    permission: row.permission,
    statusCode: row.status_code,
    reason: clear(row.reason) as string | null,
    requestBody: shown(row, row.request_body),
    before: shown(row, row.before),
    after: shown(row, row.after),
    ip: row.ip === null || sight.showsPii ? row.ip : maskIp(row.ip),
    requestId: row.request_id,
    createdAt: iso(row.created_at),
  }));
}

/** By the right that the route asks for: a path can be spelled in many ways. */
const isAboutNotes = ({ permission }: { permission: string }) => permission.startsWith('note.');

/** A body that was refused may have been anything that is JSON. */
function asObject(value: unknown): Record<string, unknown> | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : { value };
}

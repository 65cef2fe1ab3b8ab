import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { SessionUser } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import {
  countedPage,
  estimatedPage,
  object,
  PageNumber,
  pageOf,
  Timestamp,
  take,
} from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { ShortPrivateUser, UserId } from '../users/schemas.ts';
import { holds, maskEmail, SHORT_USER_COLUMNS, sightOf, toShortPrivateUser } from '../users/service.ts';
import { maskIp, maskPersonal, RESPONSE_CLASSES, type ResponseClass } from './rules.ts';

const CLASSES = Object.keys(RESPONSE_CLASSES) as [ResponseClass, ...ResponseClass[]];

const AuditQuery = z.strictObject({
  // A list, given as a repeated parameter or separated by commas. An empty list means no filter.
  reqType: z
    .array(z.string().max(100).meta({ enum: CLASSES }))
    .max(10)
    .transform((texts) => [...new Set(texts.flatMap((text) => text.split(',')).filter(Boolean))])
    .pipe(z.array(z.enum(CLASSES)))
    .optional(),
  userId: UserId.optional(),
  isChange: z.boolean().optional(),
  page: PageNumber,
  take: take(20),
});
type Query = z.output<typeof AuditQuery>;

const OpenObject = z.record(z.string(), z.unknown());

const AdminLog = object('AdminLog', {
  id: z.string(),
  userId: z.number().int(),
  user: ShortPrivateUser,
  method: z.string(),
  path: z.string(),
  service: z.string(),
  permission: z.string(),
  statusCode: z.number().int(),
  reason: z.string().nullable(),
  requestBody: OpenObject.nullable(),
  before: OpenObject.nullable(),
  after: OpenObject.nullable(),
  ip: z.string().nullable(),
  requestId: z.string(),
  createdAt: Timestamp,
});
type Entry = z.input<typeof AdminLog>;

/** Must match the condition of the partial indexes, admin_audit_changes_idx and admin_audit_user_changes_idx. */
const CHANGED = sql`method <> 'GET' and status_code < 400 and permission not like '%.read'`;

const ALL_CLASSES = Object.values(RESPONSE_CLASSES);

/** Row numbers have no gaps. Without a filter, the position of each page can therefore be computed, and the newest number is the total. */
export const listAudit = operation({
  method: 'GET',
  path: '/admin/user/admin-audit',
  tag: 'Admin User',
  access: { permission: 'audit.read' },
  summary: 'List audit log entries, newest first',
  description:
    'Contains every request to a staff route, including rejected ones. With `reqType`, `userId` or `isChange`, only the first ' +
    '10,000 entries are counted and can be read. `isChange=true` lists performed requests that may have changed data, ' +
    '`isChange=false` all others. For a GET, `requestBody` contains the query. Callers without the permission `user.pii` see ' +
    'masked email and IP addresses, and the texts of searches only if they are numbers or transaction hashes. Callers without ' +
    '`note.read` do not see the body, `before` and `after` of requests about notes.',
  query: AuditQuery,
  response: estimatedPage(AdminLog),
  handler: async ({ reads }: { reads: Db }, { query, by }) => {
    const { userId, isChange, reqType = [] } = query;
    const isFiltered = userId !== undefined || isChange !== undefined || reqType.length > 0;
    if (isFiltered)
      return countedPage(
        query,
        (most) => countMatching(reads, query, most),
        ({ offset }) => read(reads, matching(query, { offset, limit: query.take }), by.user),
      );
    const total = await newestNumber(reads);
    const page = await pageOf(query, total, (offset) =>
      read(reads, numbersFrom(total - offset, query.take), by.user),
    );
    return { ...page, totalIsExact: true };
  },
});

async function newestNumber(db: Db): Promise<number> {
  const head = await db.selectFrom('admin_audit_head').select('id').executeTakeFirstOrThrow();
  return Number(head.id);
}

const numbersFrom = (newest: number, take: number) =>
  sql<bigint>`select generate_series(${newest - take + 1}::bigint, ${newest}::bigint)`;

/** Selects ids of matching rows, newest first. For each response class, reads from the index only as many rows as the page may need. */
function matching(
  { reqType, userId, isChange }: Query,
  { offset, limit }: { offset: number; limit: number },
): RawBuilder<bigint> {
  const named = reqType?.map((name) => RESPONSE_CLASSES[name]) ?? [];
  const classes = named.length > 0 ? named : ALL_CLASSES;
  const own = userId === undefined ? sql`` : sql`and user_id = ${userId}`;
  const kind = isChange === undefined ? sql`` : isChange ? sql`and ${CHANGED}` : sql`and not (${CHANGED})`;
  return sql`select found.id from unnest(${classes}::int[]) as wanted (class)
    cross join lateral (
      select a.id from admin_audit a where a.status_code / 100 = wanted.class ${own} ${kind} order by a.id desc limit ${offset + limit}
    ) found
    order by found.id desc offset ${offset} limit ${limit}`;
}

async function countMatching(db: Db, query: Query, most: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total
    from (${matching(query, { offset: 0, limit: most })}) counted`.execute(db);
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

/** Checks the route's permission instead of the path, because the same path can be encoded in many ways. */
const isAboutNotes = ({ permission }: { permission: string }) => permission.startsWith('note.');

/** The body of a rejected call may be any JSON value. */
function asObject(value: unknown): Record<string, unknown> | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : { value };
}

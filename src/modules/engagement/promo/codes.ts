import { randomInt } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { estimatedPage, object, Timestamp, text } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import type { PromoCodes } from '../../../platform/database/tables.ts';
import { type Conditions, conditionsOf, every } from '../../../platform/list/conditions.ts';
import { formatUnits } from '../../../platform/money.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { beginningWith } from '../../base/users/rules.ts';
import { mostOfGrant, openByCodes } from './approval.ts';
import { lockForChange } from './changes.ts';
import { promoErrors } from './errors.ts';
import { getPromo } from './grant.ts';
import { listPage, readRows } from './lists.ts';
import type { PromoDeps, PromoRow } from './queries.ts';
import { PromoPath, sorting } from './schemas.ts';
import { isoOr } from './view.ts';

const NewPromoCodes = z
  .strictObject({
    kind: z.enum(['UNIVERSAL', 'ONE_TIME']),
    count: z.number().int().min(1).max(10_000).optional(),
    code: text(64)
      .regex(/^[A-Za-z0-9_-]{3,}$/, 'needs three or more letters, digits, _ or -')
      .optional(),
    maxUses: z.number().int().min(1).max(2_147_483_647).optional(),
  })
  .superRefine(({ kind, count, code, maxUses }, context) => {
    const addIssue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (kind === 'UNIVERSAL' && count !== undefined && count > 1)
      addIssue('count', 'is allowed for ONE_TIME only');
    if (kind === 'ONE_TIME' && code !== undefined) addIssue('code', 'is allowed for UNIVERSAL only');
    if (kind === 'ONE_TIME' && maxUses !== undefined) addIssue('maxUses', 'is allowed for UNIVERSAL only');
  });

const shared = { path: '/admin/promo/{id}/codes', tag: 'Promo Admin', params: PromoPath } as const;

export const createCodes = operation({
  ...shared,
  method: 'POST',
  access: { permission: 'promo.pay' },
  gate: 'none',
  stepUp: true,
  createsValue: 'pays',
  summary: 'Create one shared code, or many single-use codes',
  description:
    'UNIVERSAL creates one shared code: `code` (default: random), which can be used `maxUses` times (default: unlimited). ' +
    'ONE_TIME creates `count` random single-use codes (default: one). Until a second person has approved the promotion, all codes ' +
    'together grant at most the amount that one person may move without approval.',
  body: NewPromoCodes,
  response: z.object({ created: z.number().int(), codes: z.array(z.string()) }),
  errors: [promoErrors.PROMO_INVALID, promoErrors.PROMO_NOT_FOUND, promoErrors.PROMO_CODE_TAKEN],
  handler: (deps: PromoDeps, { by, params, body: { kind, count = 1, code, maxUses } }) =>
    transaction(deps.db, async (tx) => {
      await lockPlayers(tx, [by.user.id]);
      const promo = await lockForChange(tx, by, params.id);
      assertTakesCodes(promo);
      const isOneTime = kind === 'ONE_TIME';
      const codes = isOneTime ? Array.from({ length: count }, randomCode) : [code ?? randomCode()];
      const limit = isOneTime ? 1 : (maxUses ?? null);
      const created = await insertCodes(tx, { promoId: promo.id, kind, maxUses: limit }, codes);
      if (created.length < codes.length) throw promoErrors.PROMO_CODE_TAKEN();
      const uses = isOneTime ? codes.length : (maxUses ?? null);
      const opened = await openBudget(tx, deps, by, { promo, uses });
      // Single-use codes are kept out of the audit log, because they are worth money.
      const shown = isOneTime ? {} : { code: created[0], maxUses: maxUses ?? null };
      await recordAudit(tx, by, {
        after: { promoId: String(promo.id), kind, created: created.length, ...shown, ...opened },
      });
      return { created: created.length, codes: created };
    }),
});

function assertTakesCodes({ type }: PromoRow): void {
  if (type !== 'MANUAL') return;
  const message = 'is MANUAL: players cannot redeem codes of it';
  throw promoErrors.PROMO_INVALID({ problems: [{ path: 'type', message }] });
}

/** 32 characters without lookalikes, so a code has 60 bits of randomness. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 12;

const randomCode = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** Inserts the codes that do not exist yet, and returns the inserted ones. */
async function insertCodes(
  tx: Tx,
  { promoId, kind, maxUses }: { promoId: bigint; kind: 'UNIVERSAL' | 'ONE_TIME'; maxUses: number | null },
  codes: readonly string[],
): Promise<string[]> {
  const keys = codes.map((code) => code.toLowerCase());
  const { rows } = await sql<{ code: string }>`
    insert into promo_codes (key, code, promo_id, kind, max_uses)
    select key, code, ${promoId}, ${kind}, ${maxUses}::int4 from unnest(${keys}::text[], ${codes}::text[]) v(key, code)
    on conflict (key) do nothing returning code`.execute(tx);
  return rows.map(({ code }) => code);
}

/**
 * Adds the maximum cost of the codes to the open budget of a promotion that waits for approval, if this cost does not need a second
 * approver. Returns details for the audit log. The promotion must be locked.
 */
async function openBudget(
  tx: Tx,
  deps: PromoDeps,
  by: StaffCall,
  { promo, uses }: { promo: PromoRow; uses: number | null },
): Promise<{ openedUsd?: string }> {
  if (promo.open_usd === null) return {};
  const usd = await openByCodes(tx, deps, by, { promo, uses, each: mostOfGrant(deps.currencies, promo) });
  if (usd > 0n)
    await tx
      .updateTable('promos')
      .set({ open_usd: sql`open_usd + ${usd}` })
      .where('id', '=', promo.id)
      .execute();
  return { openedUsd: formatUnits(usd) };
}

const PromoCodeRow = object('PromoCodeRow', {
  code: z.string(),
  kind: z.enum(['UNIVERSAL', 'ONE_TIME']),
  maxUses: z.number().int().nullable(),
  uses: z.number().int(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
});

export const listCodes = operation({
  ...shared,
  method: 'GET',
  access: { permission: 'promo.read' },
  summary: 'List the codes of a promotion',
  description: '`search` matches the beginning of a code.',
  query: z.strictObject({
    used: z.boolean().optional(),
    search: text(50).min(1).optional(),
    sortBy: z.enum(['createdAt', 'uses', 'code']).default('createdAt'),
    ...sorting,
  }),
  response: estimatedPage(PromoCodeRow),
  errors: [promoErrors.PROMO_NOT_FOUND],
  handler: async ({ db }: PromoDeps, { params, query: { used, search, ...query } }) => {
    const { id: promoId } = await getPromo(db, params.id);
    const matching = matchingCodes({ promoId, used, search });
    return listPage(db, matching, query, async (order) => {
      const sort = { by: ORDERS[order.sortBy], tie: sql`key`, order };
      return (await readRows<Selectable<PromoCodes>>(db, matching, sort)).map(toCodeRow);
    });
  },
});

type Filter = { promoId: bigint; used: boolean | undefined; search: string | undefined };

const CONDITIONS: Conditions<Filter> = {
  promoId: (id) => sql`promo_id = ${id}`,
  used: (isUsed) => (isUsed ? sql`uses > 0` : sql`uses = 0`),
  search: (text) => sql`key like ${beginningWith(text)}`,
};

const matchingCodes = ({ search, ...filter }: Filter) => ({
  table: sql`promo_codes`,
  where: every(conditionsOf(CONDITIONS, { ...filter, search: search?.trim().toLowerCase() })),
});

const ORDERS = { createdAt: sql`created_at`, uses: sql`uses`, code: sql`key` } as const;

const toCodeRow = (code: Selectable<PromoCodes>): z.input<typeof PromoCodeRow> => ({
  code: code.code,
  kind: code.kind as 'UNIVERSAL' | 'ONE_TIME',
  maxUses: code.max_uses,
  uses: code.uses,
  createdAt: iso(code.created_at),
  lastUsedAt: isoOr(code.last_used_at),
});

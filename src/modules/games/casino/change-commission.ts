import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { violatedConstraint } from '../../../platform/database/errors.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import {
  assertValue,
  type Leave,
  pairOf,
  staffValueErrors,
  withProposals,
} from '../../base/staff-value/service.ts';
import { lockRule, type RuleKey } from './queries.ts';
import { percentOf, readPercent } from './rules.ts';
import { CommissionCategory, casinoErrors, GameId, ProviderId } from './schemas.ts';
import type { CasinoDeps } from './service.ts';
import { type CommissionRule, GgrCommissionRule, toCommissionRule } from './view.ts';

const common = {
  path: '/admin/casino/games/commission',
  tag: 'Admin Casino',
  access: { permission: 'casino.pay' },
  gate: 'none',
  stepUp: true,
  createsValue: 'reattributes',
} as const;
const { APPROVAL_NEEDED, STAFF_VALUE_LIMIT } = staffValueErrors;
const { GAME_NOT_FOUND, PROVIDER_NOT_FOUND, COMMISSION_EXISTS, COMMISSION_NOT_FOUND } = casinoErrors;

const OpenObject = z.record(z.string(), z.unknown());
const PERCENT = /^(100(\.0{1,4})?|\d{1,2}(\.\d{1,4})?)$/;

const Change = z.strictObject({
  category: CommissionCategory.nullable(),
  ggrPercent: z
    .string()
    .regex(PERCENT, 'needs to be from 0 to 100 with at most four decimals')
    .meta({ example: '4.5' }),
  providerId: ProviderId,
  gameId: GameId.nullable(),
  payload: OpenObject.nullable(),
});

type Change = z.output<typeof Change>;

const Removal = z.strictObject({
  category: CommissionCategory.nullish(),
  providerId: ProviderId,
  gameId: GameId.nullish(),
});

export const createCommissionRule = operation({
  ...common,
  method: 'PUT',
  summary: 'Create a commission rule for new bets',
  description:
    'If `category` or `gameId` is null, the rule applies to all categories or all games. The most specific rule takes precedence.',
  body: Change,
  response: GgrCommissionRule,
  errors: [PROVIDER_NOT_FOUND, GAME_NOT_FOUND, COMMISSION_EXISTS, APPROVAL_NEEDED, STAFF_VALUE_LIMIT],
  handler: (deps: CasinoDeps, { by, body }) => change(deps, by, (tx) => create(tx, deps, by, body)),
});

export const changeCommissionRule = operation({
  ...common,
  method: 'PATCH',
  summary: 'Change a commission rule for new bets',
  description: 'Changes the rule of the given provider, category and game.',
  body: Change,
  response: GgrCommissionRule,
  errors: [COMMISSION_NOT_FOUND, APPROVAL_NEEDED, STAFF_VALUE_LIMIT],
  handler: (deps: CasinoDeps, { by, body }) => change(deps, by, (tx) => update(tx, deps, by, body)),
});

export const removeCommissionRule = operation({
  ...common,
  method: 'DELETE',
  summary: 'Remove a commission rule',
  body: Removal,
  errors: [COMMISSION_NOT_FOUND, APPROVAL_NEEDED, STAFF_VALUE_LIMIT],
  handler: (deps: CasinoDeps, { by, body }) => change(deps, by, (tx) => remove(tx, deps, by, body)),
});

/** Runs a change, and waits until this process has reloaded the rules. */
async function change<T>(deps: CasinoDeps, by: StaffCall, work: (tx: Tx) => Promise<T>): Promise<T> {
  const done = await withProposals(deps.db, by, () => transaction(deps.db, work));
  await deps.catalogue.state.reload();
  return done;
}

/** The fields of a rule that the audit log stores. */
const audited = (rule: CommissionRule) => ({ ...rule, createdAt: undefined, updatedAt: undefined });

const stored = ({ ggrPercent, payload }: Change) => ({
  ggr_percent: percentOf(readPercent(ggrPercent)!),
  payload: payload === null ? null : JSON.stringify(payload),
});

/**
 * A higher edge raises the rakeback and affiliate commission of all players, without any limit, so it needs a second approver. Removing a
 * rule may also raise the edge.
 */
const assertEdge = (
  tx: Tx,
  deps: CasinoDeps,
  by: StaffCall,
  { key, ggrPercent, isLower }: { key: RuleKey; ggrPercent: string | null; isLower: boolean },
): Promise<Leave> =>
  assertValue(tx, deps, by, {
    operation: 'commission',
    input: { ...key, ggrPercent },
    usdAmount: isLower ? 0n : null,
    recipients: [],
    reason: `Commission rule of provider ${key.providerId}`,
  });

async function create(tx: Tx, deps: CasinoDeps, by: StaffCall, body: Change): Promise<CommissionRule> {
  const { providerId, category, gameId } = body;
  await freshActor(tx, by);
  await assertGame(tx, body);
  if (await lockRule(tx, body)) throw casinoErrors.COMMISSION_EXISTS();
  const key = { providerId, category, gameId };
  const leave = await assertEdge(tx, deps, by, { key, ggrPercent: body.ggrPercent, isLower: false });
  await tx
    .insertInto('commission_rules')
    .values({ provider_id: providerId, category, game_id: gameId, ...stored(body) })
    .execute()
    .catch((error: unknown) => {
      throw violatedConstraint(error) === undefined ? error : casinoErrors.COMMISSION_EXISTS();
    });
  const after = toCommissionRule((await lockRule(tx, body))!);
  await recordAudit(tx, by, { after: { ...audited(after), ...pairOf(leave) } });
  return after;
}

async function assertGame(tx: Tx, { providerId, gameId }: RuleKey): Promise<void> {
  const provider = await tx
    .selectFrom('game_providers')
    .select('id')
    .where('id', '=', providerId)
    .executeTakeFirst();
  if (!provider) throw casinoErrors.PROVIDER_NOT_FOUND();
  if (gameId === null) return;
  const game = await tx
    .selectFrom('games')
    .select('id')
    .where('id', '=', gameId)
    .where('provider_id', '=', providerId)
    .executeTakeFirst();
  if (!game) throw casinoErrors.GAME_NOT_FOUND();
}

async function update(tx: Tx, deps: CasinoDeps, by: StaffCall, body: Change): Promise<CommissionRule> {
  const rule = await lockRule(tx, body);
  await freshActor(tx, by);
  if (!rule) throw casinoErrors.COMMISSION_NOT_FOUND();
  const { providerId, category, gameId, ggrPercent } = body;
  const key = { providerId, category, gameId };
  const isLower = readPercent(ggrPercent)! <= rule.ppm;
  const leave = await assertEdge(tx, deps, by, { key, ggrPercent, isLower });
  await tx
    .updateTable('commission_rules')
    .set({ ...stored(body), updated_at: sql<Date>`now()` })
    .where('id', '=', rule.id)
    .execute();
  const after = toCommissionRule((await lockRule(tx, body))!);
  await recordAudit(tx, by, {
    before: audited(toCommissionRule(rule)),
    after: { ...audited(after), ...pairOf(leave) },
  });
  return after;
}

async function remove(
  tx: Tx,
  deps: CasinoDeps,
  by: StaffCall,
  { providerId, category = null, gameId = null }: z.output<typeof Removal>,
): Promise<void> {
  const rule = await lockRule(tx, { providerId, category, gameId });
  await freshActor(tx, by);
  if (!rule) throw casinoErrors.COMMISSION_NOT_FOUND();
  const key = { providerId, category, gameId };
  const leave = await assertEdge(tx, deps, by, { key, ggrPercent: null, isLower: false });
  await tx.deleteFrom('commission_rules').where('id', '=', rule.id).execute();
  await recordAudit(tx, by, { before: audited(toCommissionRule(rule)), after: pairOf(leave) });
}

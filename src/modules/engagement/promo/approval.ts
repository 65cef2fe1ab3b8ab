import { createHash } from 'node:crypto';
import type { StaffCall } from '../../../http/access.ts';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import { AppError, commonErrors, invalidField } from '../../../platform/errors.ts';
import { currencyToUsdDown, parseUnits, type Units } from '../../../platform/money.ts';
import type { StaffValue } from '../../base/staff-value/rules.ts';
import {
  approvalNeeded,
  assertValue,
  listProposals,
  type OpenProposal,
  proposeNow,
  staffValueErrors,
} from '../../base/staff-value/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { PromoRow, PromoServices } from './queries.ts';
import { canTransition, isOfPlatform, leastOf, type StartApproval, startsWithoutCost } from './rules.ts';

export type Money = { currencyId: string; amount: Units };

type Rates = Pick<Currencies, 'rateOf'>;

/** Returns the USD value of an amount, or null if there is no reliable rate. */
export function usdOf(currencies: Rates, { currencyId, amount }: Money): Units | null {
  const { rate, stale } = currencies.rateOf(currencyId);
  return stale || rate === 0n ? null : currencyToUsdDown(amount, rate);
}

type Reward = Pick<
  PromoRow,
  'kind' | 'currency_id' | 'amount' | 'max_amount' | 'free_spins' | 'free_spin_value_usd'
>;

/**
 * Returns the maximum USD value that one grant can pay, or null if there is no limit or no reliable rate. The value of free spins is their
 * total stake.
 */
export function mostOfGrant(currencies: Rates, promo: Reward): Units | null {
  if (promo.kind === 'FREE_SPINS') return BigInt(promo.free_spins!) * promo.free_spin_value_usd!;
  const amount = promo.amount ?? promo.max_amount;
  return amount === null ? null : usdOf(currencies, { currencyId: promo.currency_id, amount });
}

type Budget = Pick<PromoRow, 'max_grants' | 'grants' | 'max_total_usd' | 'granted_usd'>;

/** Returns the maximum USD value that a promotion can still cost, or null if there is no limit or no reliable rate. */
function mostOfPromo(currencies: Rates, promo: Reward & Budget): Units | null {
  const each = mostOfGrant(currencies, promo);
  if (each === null) return null;
  const byGrants = promo.max_grants === null ? null : BigInt(promo.max_grants - promo.grants) * each;
  const byTotal = promo.max_total_usd === null ? null : promo.max_total_usd - promo.granted_usd;
  return leastOf(byGrants, byTotal);
}

/** An amount that replaces the reward, in the promotion's currency unless another currency is specified. */
export type MoneyRequest = { amount?: string | undefined; currencyId?: string | undefined };

/**
 * Returns the money that replaces the reward, or undefined if the request contains no amount. Throws 404 CURRENCY_NOT_FOUND, 400
 * AMOUNT_OUT_OF_RANGE or VALIDATION_FAILED.
 */
export function moneyOf(
  { currencies }: Pick<PromoServices, 'currencies'>,
  promo: Pick<PromoRow, 'currency_id' | 'kind'>,
  { amount, ...request }: MoneyRequest,
): Money | undefined {
  if (amount === undefined) return undefined;
  if (promo.kind === 'FREE_SPINS') throw invalidField('amount', 'is not allowed for free spins');
  const currencyId = request.currencyId ?? promo.currency_id;
  const { decimals } = currencies.get(currencyId);
  const units = parseUnits(amount, decimals);
  if (!units) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals });
  return { currencyId, amount: units };
}

type Approval = Pick<PromoRow, 'open_usd' | 'activated_by'>;
/** If the open budget is zero, players and partners cannot take up the promotion. */
const CLOSED = { open_usd: 0n };

/** The open budget for new or changed terms is zero until staff start the promotion. */
export const UNAPPROVED = { ...CLOSED, activated_by: null };

/**
 * Determines the open budget of a promotion that this call starts, from its maximum cost. A promotion without a limit needs a second
 * approver. If players cannot take it up by themselves, it starts immediately, and its budget waits for approval. Throws the errors of
 * assertValue.
 */
export async function approvalOf(
  tx: Tx,
  deps: PromoServices,
  by: StaffCall,
  { promo, reason }: { promo: PromoRow; reason: string },
): Promise<Approval> {
  const value = startValueOf(deps, promo, reason);
  if (value.usdAmount === null && startsWithoutCost(promo.type)) {
    await proposeNow(tx, by, value);
    return { ...CLOSED, activated_by: by.user.id };
  }
  await assertValue(tx, deps, by, value);
  return approvedBy(by);
}

/** Approves the budget of a promotion that another person has started. Throws the errors of assertValue. */
export async function approve(
  tx: Tx,
  deps: PromoServices,
  by: StaffCall,
  { promo, reason }: { promo: PromoRow; reason: string },
): Promise<Approval> {
  await assertValue(tx, deps, by, startValueOf(deps, promo, reason));
  return approvedBy(by);
}

/** By starting a promotion, a person approves the terms that another person has set. */
const approvedBy = (by: StaffCall): Approval => ({ open_usd: null, activated_by: by.user.id });

const startInputOf = (promo: PromoRow) => ({ promoId: String(promo.id), terms: termsHash(promo) });

/** Returns the first open request to start each of these promotions with its current terms, by the id of the promotion. */
export async function startRequestsOf(
  db: DbOrTx,
  promos: readonly PromoRow[],
): Promise<ReadonlyMap<string, OpenProposal>> {
  const waiting = promos.filter((promo) => promo.open_usd !== null && promo.status !== 'ARCHIVED');
  const requests = await listProposals(db, 'promo.start', waiting.map(startInputOf));
  return new Map(requests.reverse().map((request) => [String(request.input.promoId), request]));
}

/**
 * Returns what a start by this person would do: start the promotion, or approve the cost of one that another person has started or asked to
 * start. Returns undefined if neither is possible.
 */
export async function startKindOf(
  db: DbOrTx,
  promo: PromoRow,
  actorId: number,
): Promise<'START' | 'APPROVAL' | undefined> {
  if (isOfPlatform(promo)) return undefined;
  if (canTransition(promo.status, 'ACTIVE')) return 'START';
  if (promo.status !== 'ACTIVE' || promo.open_usd === null) return undefined;
  if (promo.activated_by !== actorId) return 'APPROVAL';
  // A colleague may have asked, for example after the request of the person who started the promotion has expired.
  const request = (await startRequestsOf(db, [promo])).get(String(promo.id));
  return request && request.actorId !== actorId ? 'APPROVAL' : undefined;
}

/** Returns whose approval a start by this person would need now, or undefined if they cannot start the promotion. */
export async function startApprovalOf(
  tx: Tx,
  deps: PromoServices,
  actor: { id: number; isSuperAdmin: boolean },
  promo: PromoRow,
): Promise<StartApproval | undefined> {
  const kind = await startKindOf(tx, promo, actor.id);
  if (kind === undefined) return undefined;
  if (promo.open_usd === null) return 'NONE';
  const value = startValueOf(deps, promo, 'a start');
  if (kind === 'START' && value.usdAmount === null && startsWithoutCost(promo.type))
    return 'SECOND_PERSON_LATER';
  return approvalNeeded(tx, deps, actor, value);
}

const startValueOf = ({ currencies }: PromoServices, promo: PromoRow, reason: string) => ({
  operation: 'promo.start',
  input: { ...startInputOf(promo) },
  usdAmount: mostOfPromo(currencies, promo),
  recipients: [] as const,
  reason,
  setUpBy: [promo.terms_set_by ?? promo.created_by],
});

/**
 * Returns the people who set the terms or started the promotion. If all of them count as the same person as the caller, the caller's grants
 * and codes need a second approver, unless the caller is a superadmin.
 */
export const setUpOf = (promo: PromoRow) => ({
  setUpBy: [promo.terms_set_by ?? promo.created_by, promo.activated_by],
});

const HASHED = [
  ...(['type', 'kind', 'currency_id', 'amount', 'percent_bp', 'max_amount', 'free_spins'] as const),
  ...(['free_spin_value_usd', 'game_slug', 'wager_multiplier_e2', 'wager_base', 'max_bet_usd'] as const),
  ...(['max_withdrawal_multiplier_e2', 'validity_hours', 'max_grants', 'max_total_usd'] as const),
] satisfies (keyof PromoRow)[];

/** Returns a hash of the terms, which ensures that both people approve the same terms. */
export const termsHash = (promo: PromoRow): string =>
  createHash('sha256')
    .update(HASHED.map((name) => String(promo[name])).join('|'))
    .digest('hex')
    .slice(0, 16);

/** Returns true if a change affects what a promotion pays or may cost. */
export const changesTerms = (before: PromoRow, after: PromoRow): boolean =>
  termsHash(before) !== termsHash(after);

/**
 * Computes the value of the codes of a promotion whose budget is not approved. If it is within the caller's own limit, this part of the
 * budget is opened. More codes can be created, but they pay nothing until a second approver approves the promotion. Returns the USD value
 * to open.
 */
export async function openByCodes(
  tx: Tx,
  deps: PromoServices,
  by: StaffCall,
  { promo, uses, each }: { promo: PromoRow; uses: number | null; each: Units | null },
): Promise<Units> {
  const usdAmount = uses === null || each === null ? null : BigInt(uses) * each;
  const value: StaffValue = {
    operation: 'promo.codes',
    input: { promoId: String(promo.id), uses },
    usdAmount,
    recipients: [],
    reason: `Codes of promotion ${promo.id}`,
    ...setUpOf(promo),
  };
  try {
    await assertValue(tx, deps, by, value);
    return usdAmount!;
  } catch (error) {
    const { APPROVAL_NEEDED, STAFF_VALUE_LIMIT } = staffValueErrors;
    const needsApproval = [APPROVAL_NEEDED.code, STAFF_VALUE_LIMIT.code];
    if (error instanceof AppError && needsApproval.includes(error.code)) return 0n;
    throw error;
  }
}

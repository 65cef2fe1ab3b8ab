import { z } from 'zod';
import type { StaffCall } from '../../../../../http/access.ts';
import { operation } from '../../../../../http/operation.ts';
import { CurrencyId, strictObject } from '../../../../../http/schemas.ts';
import type { Db, Tx } from '../../../../../platform/database/db.ts';
import { AppError } from '../../../../../platform/errors.ts';
import { currencyToUsdDown, parseUnits, type Units } from '../../../../../platform/money.ts';
import { lockPlayers } from '../../../../base/players/service.ts';
import {
  assertValue,
  type Leave,
  pairOf,
  type StaffValueDeps,
  staffValueErrors,
  withProposals,
} from '../../../../base/staff-value/service.ts';
import type { Currencies } from '../../../../money/currencies/service.ts';
import { releaseHeld } from '../../../../money/ledger/post.ts';
import { SUSPENSE } from '../../../../money/ledger/rules.ts';
import type { Settlement } from '../../../betting/settlement.ts';
import type { Action, WalletCall } from '../../engine/call.ts';
import { userIdOf } from '../../engine/rules.ts';
import type { GameProviders } from '../dialects/registry.ts';
import type { FreeRoundsService } from '../free-rounds.ts';
import type { KnownProvider } from '../provider.ts';
import { requestOf, type WalletRequestDeps } from '../wallet.ts';
import {
  decideFinding,
  decision,
  decisionErrors,
  FINDINGS,
  type FindingRow,
  findingErrors,
} from './findings.ts';
import { isLastMissing } from './queries.ts';

export type ApplyDeps = WalletRequestDeps &
  StaffValueDeps & {
    db: Db;
    currencies: Pick<Currencies, 'find' | 'rateOf'>;
    settlement: Pick<Settlement, 'settleWithin'>;
    gameProviders: Pick<GameProviders, 'all'>;
    freeRounds: Pick<FreeRoundsService, 'follow'>;
    /** Accepts the length of a game list that was rejected as too short, so that the next list of this length is applied. */
    acceptList: (tx: Tx, providerId: number, codes: number) => Promise<void>;
  };

/** A transaction in a provider's report that can be booked. */
const BookableTransaction = z.object({
  type: z.enum(['BET', 'WIN', 'ROLLBACK', 'FREE_SPIN_WIN', 'PROMO_WIN', 'JACKPOT', 'ADJUSTMENT']),
  playerId: z.string(),
  currencyId: CurrencyId,
  amount: z.string(),
  round: z.string().nullable(),
  reference: z.string().nullable(),
  gameCode: z.string().nullable(),
  isRoundClosed: z.boolean().nullable(),
  isFree: z.boolean().nullable(),
});

/**
 * Applies a finding and stores the decision in one transaction. A transaction that only the provider's report contains is booked under its
 * own id, as its call would have booked it, but without session and gate, because the game was played in the past. For a suspiciously short
 * game list, accepts its length. A suspended credit is released.
 */
export const applyFinding = operation({
  ...decision,
  path: `${FINDINGS.path}/{id}/apply`,
  access: { permission: 'casino.pay' },
  gate: 'staff',
  stepUp: true,
  createsValue: 'pays',
  idempotent: true,
  summary: 'Resolve a finding by making the change that it reports',
  description:
    'For MISSING_HERE, books a transaction that only the provider has. It gets its usual id, as if the provider had called, but ' +
    'needs no session and ignores limits. Book a bet before the wins of its round. A bet that may be a free bet is not booked. ' +
    'For SHORT_LIST, accepts the next game list of that length. For SUSPENSE, releases a credit that exceeded the maximum ' +
    'balance, once it fits. Staff cannot apply findings about their own account.',
  errors: [
    findingErrors.FINDING_NOT_APPLICABLE,
    findingErrors.FINDING_MAY_BE_FREE,
    staffValueErrors.APPROVAL_NEEDED,
    staffValueErrors.STAFF_VALUE_LIMIT,
    ...decisionErrors,
  ],
  handler: (deps: ApplyDeps, { by, params: { id }, idempotencyKey: key }) =>
    withProposals(deps.db, by, () =>
      decideFinding(
        deps.db,
        { by, id, operation: 'finding.apply', key, status: 'APPLIED' },
        async (tx, row) => {
          const leave = await assertFinding(tx, deps, by, row);
          return { ...(await book(deps, tx, { row, by })), ...pairOf(leave) };
        },
      ),
    ),
});

/**
 * Checks the value of applying a finding. For a transaction that only the provider's report contains, the value is its amount, regardless
 * of direction. For a credit released from suspense it is zero, because the ledger determines the player and the amount.
 */
async function assertFinding(tx: Tx, deps: ApplyDeps, by: StaffCall, row: FindingRow): Promise<Leave> {
  const theirs = BookableTransaction.safeParse((row.facts as { theirs?: unknown }).theirs);
  const userId = theirs.success && row.kind === 'MISSING_HERE' ? userIdOf(theirs.data.playerId) : undefined;
  const amount = theirs.success ? unitsOf(theirs.data.amount) : undefined;
  const isKnown = theirs.success && userId !== undefined && amount !== undefined;
  const usdAmount = isKnown ? usdOf(deps, theirs.data.currencyId, amount) : 0n;
  const isPlayer = isKnown && (await lockPlayers(tx, [userId])).has(userId);
  return assertValue(tx, deps, by, {
    operation: 'finding.apply',
    input: { findingId: String(row.id) },
    usdAmount,
    recipients: isPlayer ? [{ userId, usdAmount }] : [],
    reason: `Finding ${row.id} of provider ${row.slug}`,
  });
}

/** Null if the currency does not exist or has no reliable rate. */
function usdOf({ currencies }: ApplyDeps, currencyId: string, amount: Units): Units | null {
  if (!currencies.find(currencyId)) return null;
  const { rate, stale } = currencies.rateOf(currencyId);
  return stale || rate === 0n ? null : currencyToUsdDown(amount < 0n ? -amount : amount, rate);
}

async function book(
  deps: ApplyDeps,
  tx: Tx,
  { row, by }: { row: FindingRow; by: StaffCall },
): Promise<object> {
  if (row.kind === SUSPENSE) return release(tx, row, by);
  if (row.kind === 'SHORT_LIST') {
    const { codes } = row.facts as { codes: number };
    await deps.acceptList(tx, row.provider_id, codes);
    return { accepted: codes };
  }
  const provider = deps.gameProviders.all.find(({ id }) => id === row.provider_id);
  const call = provider && row.kind === 'MISSING_HERE' ? callOf(row, provider) : undefined;
  const userId = call && userIdOf(call.playerId);
  if (!provider || !call || userId === undefined)
    throw findingErrors.FINDING_NOT_APPLICABLE({ kind: row.kind });
  if (mayBeFree(row)) throw findingErrors.FINDING_MAY_BE_FREE();
  const closes = call.closes && (await isLastMissing(tx, row, call));
  const request = requestOf(deps, { provider, userId, call: { ...call, closes }, origin: 'STAFF' });
  const { status, isRepeated, freeRounds } = await deps.settlement.settleWithin(tx, request);
  if (status !== 'OK') throw findingErrors.FINDING_NOT_APPLICABLE({ status });
  if (isRepeated) throw findingErrors.FINDING_NOT_APPLICABLE({ status: 'BOOKED_MEANWHILE' });
  if (freeRounds) await deps.freeRounds.follow(tx, provider.id, freeRounds);
  const { facts } = row;
  return { booked: (facts as { theirs: object }).theirs };
}

/** Posts a suspended credit to its original account. Throws 409 FINDING_NOT_APPLICABLE while the amount would overflow that account. */
async function release(tx: Tx, { subject, user_id, facts }: FindingRow, by: StaffCall): Promise<object> {
  try {
    const held = { subject, userId: user_id!, facts, actorId: by.user.id };
    const { entryId } = await releaseHeld(tx, held);
    return { released: facts, entryId: String(entryId) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'AMOUNT_OUT_OF_RANGE')
      throw findingErrors.FINDING_NOT_APPLICABLE({ status: 'BALANCE_FULL' });
    throw error;
  }
}

/** Builds the missing call, or returns undefined if the reported transaction cannot be booked. */
function callOf(row: FindingRow, provider: KnownProvider): WalletCall | undefined {
  const read = BookableTransaction.safeParse((row.facts as { theirs?: unknown }).theirs);
  const amount = read.success ? unitsOf(read.data.amount) : undefined;
  if (!read.success || amount === undefined) return undefined;
  const { type, playerId, currencyId, round, gameCode, reference, isRoundClosed, isFree } = read.data;
  if (type === 'ROLLBACK' && reference === null) return undefined;
  if (amount < 0n && type !== 'ADJUSTMENT') return undefined;
  const isNamed = type === 'ROLLBACK' || (type === 'WIN' && namesBets(provider));
  const action: Action = {
    type,
    id: row.subject,
    // Only our own dialect includes an amount in rollbacks.
    amount: type === 'ROLLBACK' && provider.dialect !== 'generic' ? 0n : amount,
    isFree: isFree ?? false,
    // SOFTSWISS uses the reference of the free spins as the id of the total win.
    ...(type === 'FREE_SPIN_WIN' ? { freeRounds: row.subject } : {}),
    ...(isNamed && reference !== null ? { reference } : {}),
  };
  const call = { playerId, currencyId, gameCode: gameCode ?? undefined, round: round ?? undefined };
  return { ...call, actions: [action], closes: isRoundClosed === true };
}

/** Returns true if the report does not show whether the player has paid the stake. */
function mayBeFree({ facts }: FindingRow): boolean {
  const { type, amount, isFree } = BookableTransaction.parse((facts as { theirs: unknown }).theirs);
  return type === 'BET' && isFree === null && unitsOf(amount) !== 0n;
}

/** Returns true if a provider's wins contain the id of their bet. */
const namesBets = ({ policy, dialect }: KnownProvider): boolean => policy.winsName || dialect === 'generic';

function unitsOf(text: string): Units | undefined {
  if (!text.startsWith('-')) return parseUnits(text);
  const amount = parseUnits(text.slice(1));
  return amount === undefined ? undefined : -amount;
}

export const closeFinding = operation({
  ...decision,
  path: `${FINDINGS.path}/{id}/close`,
  access: { permission: 'casino.write' },
  gate: 'none',
  summary: 'Close a finding without booking anything',
  body: strictObject('FindingClosure', { reason: z.string().trim().min(1).max(500) }),
  errors: [findingErrors.FINDING_HOLDS_MONEY, ...decisionErrors],
  handler: ({ db }: { db: Db }, { by, params: { id }, body: { reason } }) =>
    decideFinding(
      db,
      { by, id, operation: 'finding.close', key: undefined, status: 'CLOSED', reason },
      async (_tx, { kind }) => {
        if (kind === SUSPENSE) throw findingErrors.FINDING_HOLDS_MONEY();
        return undefined;
      },
    ),
});

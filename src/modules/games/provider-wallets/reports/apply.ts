import type { StaffCall } from '../../../../http/access.ts';
import type { Db, Tx } from '../../../../platform/db.ts';
import { parseUnits, type Units } from '../../../../platform/money.ts';
import type { Settlement } from '../../betting/settlement.ts';
import type { Action, WalletCall } from '../call.ts';
import type { FreeRoundsService } from '../free-rounds/service.ts';
import type { KnownProvider } from '../provider.ts';
import { userIdOf } from '../rules.ts';
import { requestOf } from '../service.ts';
import { decideFinding } from './decide.ts';
import { findingErrors } from './errors.ts';
import type { FindingRow } from './list.ts';
import { isLastMissing } from './queries.ts';
import { BookableTransaction } from './schemas.ts';

type Deps = Parameters<typeof requestOf>[0] & {
  db: Db;
  settlement: Pick<Settlement, 'settleWithin'>;
  providers: () => readonly KnownProvider[];
  freeRounds: Pick<FreeRoundsService, 'follow'>;
  /** Lets the next list of games in that has so many. */
  acceptList: (tx: Tx, providerId: number, codes: number) => Promise<void>;
};

/**
 * Books what a provider's report has and we have not, under its own id, as its call would have: without session and gate, since it was
 * played long ago. Of a list of games that was too short to be believed: accepts its length. What is done and the decision are one transaction. Throws 409 FINDING_NOT_APPLICABLE and FINDING_MAY_BE_FREE, and as decideFinding does.
 */
export const applyFinding = (
  deps: Deps,
  by: StaffCall,
  { id, key }: { id: string; key: string | undefined },
) =>
  decideFinding(deps.db, { by, id, operation: 'finding.apply', key, status: 'APPLIED' }, (tx, row) =>
    book(deps, tx, row),
  );

async function book(deps: Deps, tx: Tx, row: FindingRow): Promise<object> {
  if (row.kind === 'SHORT_LIST') {
    const { codes } = row.facts as { codes: number };
    await deps.acceptList(tx, row.provider_id, codes);
    return { accepted: codes };
  }
  const provider = deps.providers().find(({ id }) => id === row.provider_id);
  const call = provider && row.kind === 'MISSING_HERE' ? callOf(row, provider) : undefined;
  const userId = call && userIdOf(call.playerId);
  if (!provider || !call || userId === undefined)
    throw findingErrors.FINDING_NOT_APPLICABLE({ kind: row.kind });
  if (mayBeFree(row)) throw findingErrors.FINDING_MAY_BE_FREE();
  const closes = call.closes && (await isLastMissing(tx, row, call));
  const request = requestOf(deps, { provider, userId, call: { ...call, closes }, asks: 'STAFF' });
  const { status, isRepeated, freeRounds } = await deps.settlement.settleWithin(tx, request);
  if (status !== 'OK') throw findingErrors.FINDING_NOT_APPLICABLE({ status });
  if (isRepeated) throw findingErrors.FINDING_NOT_APPLICABLE({ status: 'BOOKED_MEANWHILE' });
  if (freeRounds) await deps.freeRounds.follow(tx, provider.id, freeRounds);
  const { facts } = row;
  return { booked: (facts as { theirs: object }).theirs };
}

/** The call that never came. Undefined: what is reported is no transaction that could be booked. */
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
    // In other dialects than our own a rollback says no amount.
    amount: type === 'ROLLBACK' && provider.dialect !== 'generic' ? 0n : amount,
    isFree: isFree ?? false,
    // SOFTSWISS calls the sum of free spins as it calls these.
    ...(type === 'FREE_SPIN_WIN' ? { freeRounds: row.subject } : {}),
    ...(isNamed && reference !== null ? { reference } : {}),
  };
  const call = { playerId, currencyId, gameCode: gameCode ?? undefined, round: round ?? undefined };
  return { ...call, actions: [action], closes: isRoundClosed === true };
}

/** A bet of which nobody here knows whether its stake was the player's. */
function mayBeFree({ facts }: FindingRow): boolean {
  const { type, amount, isFree } = BookableTransaction.parse((facts as { theirs: unknown }).theirs);
  return type === 'BET' && isFree === null && unitsOf(amount) !== 0n;
}

/** Whether calls say which bet a win belongs to. */
const namesBets = ({ policy, dialect }: KnownProvider): boolean => policy.winsName || dialect === 'generic';

function unitsOf(text: string): Units | undefined {
  if (!text.startsWith('-')) return parseUnits(text);
  const amount = parseUnits(text.slice(1));
  return amount === undefined ? undefined : -amount;
}

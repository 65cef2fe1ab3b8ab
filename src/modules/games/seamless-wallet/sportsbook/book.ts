import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object } from '../../../../http/schemas.ts';
import type { Config } from '../../../../platform/config/config.ts';
import { type Db, transaction } from '../../../../platform/database/db.ts';
import { AppError, commonErrors } from '../../../../platform/errors.ts';
import { within } from '../../../../platform/jobs/timers.ts';
import type { Metrics } from '../../../../platform/observability/metrics.ts';
import type { PartnerReports } from '../../../base/findings/service.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import type { Currencies } from '../../../money/currencies/service.ts';
import { openWallet } from '../../../money/ledger/balances.ts';
import type { Settlement } from '../../betting/settlement.ts';
import type { Policy } from '../engine/call.ts';
import type { CallContext } from '../engine/draft.ts';
import { userIdOf } from '../engine/rules.ts';
import { WALLET_STORE, type WalletRequest } from '../engine/store.ts';
import { type Decision, decideTransaction } from './decide.ts';
import { isStake, type ReadTransaction, readCall, type UnreadReport } from './read.ts';
import {
  type DeclineCode,
  PlayerPath,
  SportsbookBalance,
  SportsbookCall,
  sportsbookErrors,
  TRANSACTION,
} from './schemas.ts';
import { balanceOf, balancesIn, type Sportsbook, sportsbookCall } from './service.ts';

export type BookDeps = {
  db: Db;
  settlement: Pick<Settlement, 'settle'>;
  currencies: Pick<Currencies, 'freshRate' | 'ids'>;
  sportsbook: Sportsbook;
  /** The sportsbook waits two seconds for a response, and then resends the transaction. */
  config: Pick<Config, 'SPORTSBOOK_CALL_DEADLINE_MS'>;
  metrics: Metrics;
  partnerReports: PartnerReports;
};

const SportsbookTransactionResult = object('SportsbookTransactionResult', {
  ...TRANSACTION,
  balances: z.array(SportsbookBalance),
  alreadyProcessed: z.boolean(),
});
type Result = z.input<typeof SportsbookTransactionResult>;

export const bookTransaction = operation({
  ...sportsbookCall,
  method: 'POST',
  path: '/sportsbook/external/wallet/{playerId}/transactions',
  gate: 'none',
  isRaw: true,
  summary: "Book a transaction on a player's balance",
  description:
    'A repeated `id` with the same content returns the first result, with `alreadyProcessed`. Status codes 200 and 400 are final. ' +
    'After any other status code, send the transaction again.',
  params: PlayerPath,
  body: SportsbookCall,
  status: 200,
  response: SportsbookTransactionResult,
  errors: [commonErrors.API_KEY_INVALID, ...Object.values(sportsbookErrors)],
  async handler(deps: BookDeps, { params: { playerId }, notice }): Promise<Result> {
    const { config, metrics, sportsbook } = deps;
    const count = (status: string) =>
      metrics.providerCalls.inc({ provider: sportsbook.game.get().providerSlug, status });
    try {
      const result = await within(config.SPORTSBOOK_CALL_DEADLINE_MS, book(deps, playerId, notice!.raw));
      if (!result) throw commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: 1 });
      count('OK');
      return result;
    } catch (error) {
      const reported = reportedOf(error);
      count(reported instanceof AppError ? reported.code : 'INTERNAL_ERROR');
      throw reported;
    }
  },
});

/** Converts all of our own 4xx errors to 503, because a retry may succeed and the sportsbook treats 400 as final. */
function reportedOf(error: unknown): unknown {
  const isOurs =
    error instanceof AppError && error.status < 500 && !Object.hasOwn(sportsbookErrors, error.code);
  return isOurs ? commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: 1 }) : error;
}

async function book(deps: BookDeps, playerId: string, raw: Buffer): Promise<Result> {
  const userId = userIdOf(playerId);
  const call = readCall(raw);
  if (userId === undefined) throw sportsbookErrors['error.user.not-found']();
  if ('unread' in call) return storeReport(deps, { userId, raw }, call.unread);
  const { currencyId, action, meaning, unknown } = call;
  const partner = partnerOf(deps);
  if (unknown) deps.partnerReports.countFields(partner.slug, unknown);
  const unbooked = () => storeReport(deps, { userId, raw }, unbookable(call));
  if (!deps.currencies.ids().includes(currencyId)) {
    if (!isStake(meaning)) return unbooked();
    const fields = [{ path: 'currency', message: 'is not a known currency' }];
    throw sportsbookErrors['error.request.invalid']({ fields });
  }
  const decision = await decided(deps, userId, call);
  if ('declined' in decision) {
    if (decision.declined === 'error.request.invalid' && !isStake(meaning)) return unbooked();
    throw refusalOf(decision.declined, balanceOf(currencyId, decision.balance));
  }
  if (action.said !== undefined && !decision.isRepeated) {
    const facts = { type: action.named, said: action.said, bookedUnits: String(action.amount), currencyId };
    await deps.partnerReports.storeCut(deps.db, partner, { subject: action.id, userId, facts });
  }
  return {
    id: action.id,
    playerId,
    currency: currencyId,
    ...decision.said,
    balances: [balanceOf(currencyId, decision.balance)],
    alreadyProcessed: decision.isRepeated,
  };
}

function partnerOf({ sportsbook }: BookDeps) {
  const { providerSlug: slug, providerId } = sportsbook.game.get();
  return { slug, providerId };
}

const unbookable = ({ action, currencyId }: ReadTransaction) => ({
  reason: 'UNBOOKABLE' as const,
  type: action.named ?? action.type,
  id: action.id,
  currency: currencyId,
  said: action.payload,
});

type Unbookable = Omit<UnreadReport, 'reason'> & { reason: UnreadReport['reason'] | 'UNBOOKABLE' };

/**
 * Stores a report that cannot be booked as a finding for staff. Responds with success, because the sportsbook would otherwise resend or
 * drop the report.
 */
async function storeReport(
  deps: BookDeps,
  { userId, raw }: { userId: number; raw: Buffer },
  { reason, type, id, currency, said }: Unbookable,
): Promise<Result> {
  const balances = await balancesIn(deps, String(userId), currency === '' ? undefined : [currency]);
  await deps.partnerReports.store(deps.db, partnerOf(deps), { reason, type, subject: id, userId, raw });
  const transaction = { id, playerId: String(userId), currency, ...said };
  return { ...transaction, balances, alreadyProcessed: false };
}

const refusalOf = (code: DeclineCode, balance: ReturnType<typeof balanceOf>) =>
  sportsbookErrors[code](code === 'decline.lowbalance' ? { balances: [balance] } : undefined);

/** Processes a transaction. If the player has no wallet in its currency, opens one and processes the transaction again. */
async function decided(deps: BookDeps, userId: number, read: ReadTransaction) {
  const settle = (): Promise<Decision> => deps.settlement.settle(requestOf(deps, userId, read));
  const first = await settle();
  if (!('lacksWallet' in first)) return first;
  await transaction(deps.db, async (tx) => {
    await lockPlayers(tx, [userId]);
    await openWallet(tx, userId, read.currencyId);
  });
  const second = await settle();
  if ('lacksWallet' in second) throw new Error(`the wallet of user ${userId} was not opened`);
  return second;
}

const POLICY: Policy = {
  repeatShows: 'then',
  rollsBackEnded: true,
  rollsBackWins: true,
  rollsBackWon: true,
  tombstone: 'TRANSACTION_CONFLICT',
  winsName: false,
  isCashAlone: true,
};

/** Maximum number of ids that a call takes: a transaction, its postings, a claim or its payment, and a tombstone. */
const MAX_IDS = 5;

function requestOf(deps: BookDeps, userId: number, read: ReadTransaction): WalletRequest<Decision> {
  const game = deps.sportsbook.game.get();
  const { providerId, providerSlug: slug } = game;
  const provider = { id: providerId, slug, policy: POLICY };
  const { betId, action, currencyId } = read;
  const context: CallContext = {
    provider,
    userId,
    call: { playerId: String(userId), currencyId, round: betId, actions: [action], closes: false },
    tokenHash: undefined,
    findGame: () => game,
    getGame: () => game,
    freshRate: deps.currencies.freshRate,
  };
  const ids = action.reference === undefined ? [action.id] : [action.id, action.reference];
  const transactions = ids.map((transactionId) => ({ providerId, transactionId }));
  return {
    userId,
    // Countries are not needed here, because those stored at launch are used.
    country: null,
    game: { id: 0, slug },
    repeat: undefined,
    ids: MAX_IDS,
    store: WALLET_STORE,
    plan: {
      // The transaction's own id is also passed as a reference, so that the round of a repeated transaction is read.
      ids: [],
      references: transactions,
      rounds: betId === undefined ? [] : [{ userId, providerId, ref: betId }],
      tokenHash: undefined,
      providerId,
      repaysClaims: true,
    },
    decide: (batch, state) => decideTransaction({ context, read }, batch, state),
  };
}

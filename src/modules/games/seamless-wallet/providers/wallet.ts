import type { Notice } from '../../../../http/route.ts';
import type { Config } from '../../../../platform/config/config.ts';
import { type Db, transaction } from '../../../../platform/database/db.ts';
import { AppError, commonErrors, messageOf } from '../../../../platform/errors.ts';
import { within } from '../../../../platform/jobs/timers.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import type { Metrics } from '../../../../platform/observability/metrics.ts';
import { hexOfToken } from '../../../../platform/secrets/encryption.ts';
import type { PartnerReports } from '../../../base/findings/service.ts';
import { webhookErrors } from '../../../base/webhooks/schemas.ts';
import type { Currencies } from '../../../money/currencies/service.ts';
import type { BetGrants } from '../../betting/lane.ts';
import type { Settlement } from '../../betting/settlement.ts';
import { emptyResponse, type WalletCall, type WalletResponse, type WalletStatus } from '../engine/call.ts';
import type { BetGame, CallContext } from '../engine/draft.ts';
import { userIdOf } from '../engine/rules.ts';
import { planRead, WALLET_STORE, type WalletRequest } from '../engine/store.ts';
import { decideCall, idsOf } from './decide.ts';
import type { FreeRoundsService } from './free-rounds.ts';
import { createInquiry } from './inquiry.ts';
import type { KnownProvider, UnreadReport, WireResponse } from './provider.ts';

/** The services needed to convert a call into a settlement request. */
export type WalletRequestDeps = {
  currencies: Pick<Currencies, 'freshRate'>;
  bettable: {
    find(providerId: number, code: string): BetGame | undefined;
    get(id: number): BetGame | undefined;
  };
};

export type WalletOptions = WalletRequestDeps & {
  db: Db;
  settlement: Pick<Settlement, 'settle'>;
  /** Throws 404 PROVIDER_NOT_FOUND. */
  getProvider: (slug: string) => KnownProvider;
  betGrants: Pick<BetGrants, 'factsOf' | 'lowRisk'>;
  freeRounds: Pick<FreeRoundsService, 'follow'>;
  config: Pick<Config, 'PROVIDER_CALL_DEADLINE_MS'>;
  log: Log;
  metrics: Metrics;
  partnerReports: PartnerReports;
};

/**
 * Creates the wallet that game providers call. The wallet verifies the raw bytes, and settles calls in the same batches as all other bets.
 */
export function createProviderWallets(deps: WalletOptions) {
  const { log, metrics, config, db, betGrants, bettable, partnerReports } = deps;
  const inquire = createInquiry({ db, terms: betGrants, findGame: bettable.find });
  const booking = createBooking(deps, inquire);

  return {
    /**
     * Returns the response to a callback in the format of its dialect. Throws 404 PROVIDER_NOT_FOUND for an unknown slug and for a path of
     * another dialect, before anything is verified or parsed. Also throws the errors of our own format (400, 401).
     */
    async receive(slug: string, action: string, { raw, headers }: Notice): Promise<WireResponse> {
      const provider = deps.getProvider(slug);
      // A caller that uses another dialect would not understand the response.
      if (!provider.actions.includes(action)) throw webhookErrors.PROVIDER_NOT_FOUND();
      const count = (status: WalletStatus) => metrics.providerCalls.inc({ provider: slug, status });
      if (!provider.verify(raw, headers)) {
        count('BAD_SIGNATURE');
        return { ...provider.answer(action, emptyResponse('BAD_SIGNATURE'), undefined), isUnsigned: true };
      }
      const read = provider.read(action, raw);
      if (read.unknown) partnerReports.countFields(slug, read.unknown);
      if ('refused' in read) {
        count('INVALID_REQUEST');
        return read.refused;
      }
      const message: Message = { provider, action, raw };
      const work = 'report' in read ? booking.report(message, read.report) : booking.call(message, read.call);
      const response = await inTime(config, work).catch((error: unknown) => {
        // Too many bets of this player are waiting, the queue is full, or the rate is stale. The provider is expected to retry.
        if (!(error instanceof AppError))
          log.error({ provider: slug, error: messageOf(error) }, 'a callback failed');
        return emptyResponse('INTERNAL_ERROR');
      });
      count(response.status);
      return provider.answer(action, response, read.context);
    },
  };
}

async function inTime<T>(config: WalletOptions['config'], work: Promise<T>): Promise<T> {
  const done = await within(config.PROVIDER_CALL_DEADLINE_MS, work);
  if (done === undefined) throw commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: 1 });
  return done;
}

type Inquire = ReturnType<typeof createInquiry>;

/** Books calls, and stores the reports that cannot be booked. */
function createBooking(deps: WalletOptions, inquire: Inquire) {
  const { db, freeRounds } = deps;
  /** Responds only after the grant of the free rounds has been updated, because the provider resends a call that gets no response. */
  async function settle(provider: KnownProvider, call: WalletCall): Promise<WalletResponse> {
    const response = await settleCall(deps, inquire, { provider, call });
    const { freeRounds: played } = response;
    if (played) await transaction(db, (tx) => freeRounds.follow(tx, provider.id, played));
    return response;
  }

  /** Stores a report that cannot be booked, for staff. Responds with success, because the provider would otherwise resend the report. */
  async function storeUnbooked({ provider, raw }: Message, report: UnreadReport): Promise<WalletResponse> {
    await storeReport(deps, { provider, raw }, report);
    const { playerId = '', transactionId = '' } = report;
    const inquiry = { playerId, actions: [], closes: false };
    const { balance, currencyId } = await settleCall(deps, inquire, { provider, call: inquiry });
    const done = { id: transactionId, transactionId: 'unbooked', at: new Date(), isRepeated: false };
    return { status: 'OK', balance, currencyId, actions: [done], isRepeated: false };
  }

  async function book({ provider, action, raw }: Message, call: WalletCall): Promise<WalletResponse> {
    const response = await settle(provider, call);
    const report = unbookable(action, call, response.status);
    if (report) return storeUnbooked({ provider, action, raw }, report);
    if (response.status === 'OK' && !response.isRepeated) await storeCuts(deps, provider, call);
    return response;
  }

  return { call: book, report: storeUnbooked };
}

async function settleCall(
  deps: WalletOptions,
  inquire: Inquire,
  { provider, call }: { provider: KnownProvider; call: WalletCall },
): Promise<WalletResponse> {
  const isInquiry = call.actions.length === 0 && !call.closes;
  const userId = isInquiry && call.playerId === '' ? 0 : userIdOf(call.playerId);
  if (userId === undefined) return emptyResponse('PLAYER_NOT_FOUND');
  if (isInquiry) return inquire({ userId, providerId: provider.id, tokenHash: hashOf(call), call });
  return deps.settlement.settle(requestOf(deps, { provider, userId, call }));
}

type Message = { provider: KnownProvider; action: string; raw: Buffer };

const hashOf = ({ token }: WalletCall): string | undefined =>
  token === undefined ? undefined : hexOfToken(token);

/** Converts a provider's call into a settlement request. */
export function requestOf(
  { currencies, bettable }: WalletRequestDeps,
  {
    provider,
    userId,
    call,
    origin,
  }: Pick<CallContext, 'userId' | 'call' | 'origin'> & {
    provider: KnownProvider;
  },
): WalletRequest<WalletResponse> {
  const tokenHash = hashOf(call);
  const context: CallContext = {
    provider,
    userId,
    call,
    origin,
    tokenHash,
    findGame: (code: string) => bettable.find(provider.id, code),
    getGame: bettable.get,
    freshRate: currencies.freshRate,
  };
  return {
    userId,
    // Countries are not needed here, because those stored at launch are used.
    country: null,
    // Metrics have one label per provider instead of one per game, because there are thousands of games.
    game: { id: 0, slug: provider.slug },
    repeat: undefined,
    ids: idsOf(call),
    store: WALLET_STORE,
    plan: {
      ...planRead(call, { userId, providerId: provider.id, tokenHash }),
      ...(origin ? { mayUseCache: undefined } : {}),
    },
    decide: (batch, state) => decideCall(context, batch, state),
  };
}

/** Statuses with which a report can never be booked. With any other status, a retry may succeed or the dialect defines the response. */
const UNBOOKABLE: ReadonlySet<WalletStatus> = new Set([
  'INVALID_REQUEST',
  'INVALID_TYPE',
  'INVALID_CURRENCY',
]);

/** Returns true if a call only reports events that have already happened and places no stake. */
const isReport = ({ actions }: WalletCall): boolean =>
  actions.length > 0 && actions.every(({ type }) => type !== 'BET');

/** Returns the report to store for a call that can never be booked, or undefined if the call was booked or failed for another reason. */
function unbookable(action: string, call: WalletCall, status: WalletStatus): UnreadReport | undefined {
  if (!UNBOOKABLE.has(status) || !isReport(call)) return undefined;
  const [first] = call.actions;
  return {
    reason: 'UNBOOKABLE',
    type: action || first!.type,
    transactionId: first!.id,
    playerId: call.playerId,
  };
}

/** Stores a report that cannot be booked as a finding, once per transaction, or per message if it has no transaction id. */
const storeReport = (
  { db, partnerReports }: Pick<WalletOptions, 'db' | 'partnerReports'>,
  { provider: { id: providerId, slug }, raw }: { provider: KnownProvider; raw: Buffer },
  { reason, type, transactionId: subject, playerId }: UnreadReport,
): Promise<void> => {
  const userId = (playerId === undefined ? undefined : userIdOf(playerId)) ?? null;
  return partnerReports.store(db, { slug, providerId }, { reason, type, subject, userId, raw });
};

/** Stores a finding for each amount of a call whose digits below our smallest unit were truncated. */
async function storeCuts(
  { db, partnerReports }: Pick<WalletOptions, 'db' | 'partnerReports'>,
  { id: providerId, slug }: KnownProvider,
  { actions, currencyId, playerId }: WalletCall,
): Promise<void> {
  for (const { id: subject, type, amount, said } of actions) {
    if (said === undefined) continue;
    const facts = { type, said, bookedUnits: String(amount), currencyId: currencyId ?? null };
    const userId = userIdOf(playerId) ?? null;
    await partnerReports.storeCut(db, { slug, providerId }, { subject, userId, facts });
  }
}

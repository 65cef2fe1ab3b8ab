import type { Notice } from '../../../http/route.ts';
import type { Config } from '../../../platform/config.ts';
import { type Db, transaction } from '../../../platform/db.ts';
import { hexOfToken } from '../../../platform/encryption.ts';
import { AppError, commonErrors, messageOf } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { Settlement } from '../betting/settlement.ts';
import type { BetGrants } from '../betting/transaction.ts';
import type { WalletAnswer, WalletCall, WalletStatus } from './call.ts';
import { decideCall, idsOf } from './decide.ts';
import type { FreeRoundsService } from './free-rounds/service.ts';
import { createLook } from './look.ts';
import { within } from './patience.ts';
import type { KnownProvider, WireAnswer } from './provider.ts';
import { userIdOf } from './rules.ts';
import { type ProviderRequest, WALLET, wantedOf } from './state.ts';
import type { BetGame, Known } from './work.ts';

type Deps = {
  db: Db;
  settlement: Pick<Settlement, 'settle'>;
  currencies: Pick<Currencies, 'freshRate'>;
  /** Throws 404 PROVIDER_NOT_FOUND. */
  getProvider: (slug: string) => KnownProvider;
  games: {
    find(providerId: number, code: string): BetGame | undefined;
    get(id: number): BetGame | undefined;
  };
  /** What the terms of grants ask about a game. */
  betGrants: Pick<BetGrants, 'factsOf'>;
  freeRounds: Pick<FreeRoundsService, 'follow'>;
  config: Pick<Config, 'PROVIDER_CALL_DEADLINE_MS'>;
  log: Log;
  metrics: Metrics;
};

/** The wallet that providers of games call: verified over the raw bytes, then settled in the batches of all bets. */
export function createProviderWallets(deps: Deps) {
  const { log, metrics, config } = deps;
  const { db, betGrants, games } = deps;
  const look = createLook({ db, factsOf: betGrants.factsOf, findGame: games.find });

  const { freeRounds } = deps;
  /** Answered once the grant of free rounds knows of it: the provider repeats what was not answered. */
  async function settle(provider: KnownProvider, call: WalletCall): Promise<WalletAnswer> {
    const answer = await settleCall(deps, look, { provider, call });
    const { freeRounds: played } = answer;
    if (played) await transaction(db, (tx) => freeRounds.follow(tx, provider.id, played));
    return answer;
  }

  return {
    /**
     * Answers a callback in the words of its dialect. Throws 404 PROVIDER_NOT_FOUND, and what our own form answers as an error (400, 401).
     */
    async receive(slug: string, action: string, { raw, headers }: Notice): Promise<WireAnswer> {
      const provider = deps.getProvider(slug);
      const count = (status: WalletStatus) => metrics.providerCalls.inc({ provider: slug, status });
      if (!provider.verify(raw, headers)) {
        count('BAD_SIGNATURE');
        return provider.answer(action, unanswered('BAD_SIGNATURE'), undefined);
      }
      const read = provider.read(action, raw);
      if ('refused' in read) {
        count('INVALID_REQUEST');
        return read.refused;
      }
      const answer = await within(config.PROVIDER_CALL_DEADLINE_MS, settle(provider, read.call), late).catch(
        (error: unknown) => {
          // A player with too many bets, a full queue, a rate that is too old: the provider tries again.
          if (!(error instanceof AppError))
            log.error({ provider: slug, error: messageOf(error) }, 'a callback failed');
          return unanswered('INTERNAL_ERROR');
        },
      );
      count(answer.status);
      return provider.answer(action, answer, read.context);
    },
  };
}

async function settleCall(
  deps: Deps,
  look: ReturnType<typeof createLook>,
  { provider, call }: { provider: KnownProvider; call: WalletCall },
): Promise<WalletAnswer> {
  const isAsked = call.actions.length === 0 && !call.closes;
  const userId = isAsked && call.playerId === '' ? 0 : userIdOf(call.playerId);
  if (userId === undefined) return unanswered('PLAYER_NOT_FOUND');
  if (isAsked) return look({ userId, providerId: provider.id, tokenHash: hashOf(call), call });
  return deps.settlement.settle(requestOf(deps, { provider, userId, call }));
}

const hashOf = ({ token }: WalletCall): string | undefined =>
  token === undefined ? undefined : hexOfToken(token);

/** A call as the settlement takes it. */
export function requestOf(
  { currencies, games }: Pick<Deps, 'currencies' | 'games'>,
  { provider, userId, call, asks }: Pick<Known, 'userId' | 'call' | 'asks'> & { provider: KnownProvider },
): ProviderRequest<WalletAnswer> {
  const tokenHash = hashOf(call);
  const known: Known = {
    provider,
    userId,
    call,
    asks,
    tokenHash,
    findGame: (code: string) => games.find(provider.id, code),
    getGame: games.get,
    freshRate: currencies.freshRate,
  };
  return {
    userId,
    // What holds for a country is asked with that of the launch.
    country: null,
    // Thousands of games would be thousands of labels in the metrics.
    game: { id: 0, slug: provider.slug },
    repeat: undefined,
    ids: idsOf(call),
    store: WALLET,
    wants: {
      ...wantedOf(call, { userId, providerId: provider.id, tokenHash }),
      ...(asks ? { trusts: undefined } : {}),
    },
    decide: (batch, state) => decideCall(known, batch, state),
  };
}

const late = () => commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: 1 });

const unanswered = (status: WalletStatus): WalletAnswer => ({
  status,
  balance: null,
  currencyId: null,
  actions: [],
  isRepeated: false,
});

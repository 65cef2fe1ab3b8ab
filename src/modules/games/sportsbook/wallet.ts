import type { z } from 'zod';
import type { Notice } from '../../../http/route.ts';
import type { Config } from '../../../platform/config.ts';
import { type Db, transaction } from '../../../platform/db.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { openWallet } from '../../money/ledger/balances.ts';
import { betErrors } from '../bets/errors.ts';
import type { Settlement } from '../betting/settlement.ts';
import type { Policy } from '../provider-wallets/call.ts';
import { within } from '../provider-wallets/patience.ts';
import { userIdOf } from '../provider-wallets/rules.ts';
import type { Known } from '../provider-wallets/work.ts';
import { type Decision, decideTransaction } from './decide.ts';
import { type DeclineCode, sportsbookErrors, transactionErrors } from './errors.ts';
import type { SportsbookGame } from './game.ts';
import { balanceOf } from './players.ts';
import { findBet, findCarriedOut, type TransactionRow, transactionsOfBet } from './queries.ts';
import { type ReadTransaction, readTransaction, type Said } from './read.ts';
import type { SportsbookBet, SportsbookTransaction, SportsbookTransactionResult } from './schemas.ts';
import { requestOf } from './work.ts';

type Deps = {
  db: Db;
  settlement: Pick<Settlement, 'settle'>;
  currencies: Pick<Currencies, 'freshRate' | 'ids'>;
  game: SportsbookGame;
  /** The sportsbook waits two seconds. What it does not hear in time it sends again, and finds out then. */
  config: Pick<Config, 'SPORTSBOOK_CALL_DEADLINE_MS'>;
  metrics: Metrics;
};

/** The transactions of the sportsbook, through the settlement that all bets share. */
export function createSportsbookWallet(deps: Deps) {
  const { db, game, metrics, config } = deps;
  const count = (status: string) => metrics.providerCalls.inc({ provider: game.get().providerSlug, status });
  return {
    /** Throws the sportsbook's own refusals (400), and 500 or 503 where it has to ask again. */
    async take(
      playerId: string,
      { raw }: Pick<Notice, 'raw'>,
    ): Promise<z.input<typeof SportsbookTransactionResult>> {
      try {
        const late = () => commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: 1 });
        const answer = await within(config.SPORTSBOOK_CALL_DEADLINE_MS, settle(deps, playerId, raw), late);
        count('OK');
        return answer;
      } catch (error) {
        const told = toldOf(error);
        count(told instanceof AppError ? told.code : 'INTERNAL_ERROR');
        throw told;
      }
    },

    /** Throws 404 TRANSACTION_NOT_FOUND, for one that was refused too. */
    async get(playerId: string, transactionId: string): Promise<z.input<typeof SportsbookTransaction>> {
      const userId = userIdOf(playerId);
      const { providerId } = game.get();
      const row =
        userId === undefined ? undefined : await findCarriedOut(db, { providerId, transactionId, userId });
      if (!row) throw transactionErrors.TRANSACTION_NOT_FOUND();
      return shown(row);
    },

    /** Throws 404 BET_NOT_FOUND. */
    async bet(betId: string): Promise<z.input<typeof SportsbookBet>> {
      const bet = await findBet(db, game.get().providerId, betId);
      if (!bet) throw betErrors.BET_NOT_FOUND();
      const transactions = (await transactionsOfBet(db, bet.id)).map(shown);
      return { betId, playerId: String(bet.userId), status: bet.status, transactions };
    },
  };
}

const shown = ({ id, userId, currencyId, payload }: TransactionRow) => ({
  id,
  playerId: String(userId),
  currency: currencyId,
  ...(payload as Said),
});

/** 400 is final to the sportsbook: what may turn out otherwise in a moment is none. */
function toldOf(error: unknown): unknown {
  const isOurs =
    error instanceof AppError && error.status < 500 && !Object.hasOwn(sportsbookErrors, error.code);
  return isOurs ? commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: 1 }) : error;
}

async function settle(deps: Deps, playerId: string, raw: Buffer) {
  const read = readTransaction(raw);
  const userId = userIdOf(playerId);
  if (userId === undefined) throw sportsbookErrors['error.user.not-found']();
  const { currencyId, action } = read;
  if (!deps.currencies.ids().includes(currencyId))
    throw sportsbookErrors['error.request.invalid']({
      fields: [{ path: 'currency', message: 'is no currency' }],
    });
  const decision = await decided(deps, userId, read);
  if ('declined' in decision) throw refusalOf(decision.declined, balanceOf(currencyId, decision.balance));
  return {
    id: action.id,
    playerId,
    currency: currencyId,
    ...decision.said,
    balances: [balanceOf(currencyId, decision.balance)],
    alreadyProcessed: decision.isRepeated,
  };
}

const refusalOf = (code: DeclineCode, balance: ReturnType<typeof balanceOf>) =>
  sportsbookErrors[code](code === 'decline.lowbalance' ? { balances: [balance] } : undefined);

async function decided(deps: Deps, userId: number, read: ReadTransaction) {
  const ask = (): Promise<Decision> => deps.settlement.settle(request(deps, userId, read));
  const first = await ask();
  if (!('lacksWallet' in first)) return first;
  await transaction(deps.db, async (tx) => {
    await lockPlayers(tx, [userId]);
    await openWallet(tx, userId, read.currencyId);
  });
  const second = await ask();
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

function request(deps: Deps, userId: number, read: ReadTransaction) {
  const book = deps.game.get();
  const { providerId, providerSlug: slug } = book;
  const provider = { id: providerId, slug, policy: POLICY };
  const { betId, action, currencyId } = read;
  const known: Known = {
    provider,
    userId,
    call: { playerId: String(userId), currencyId, round: betId, actions: [action], closes: false },
    tokenHash: undefined,
    findGame: () => book,
    getGame: () => book,
    freshRate: deps.currencies.freshRate,
  };
  const ids = action.reference === undefined ? [action.id] : [action.id, action.reference];
  return requestOf({ userId, provider, betId, ids }, (batch, state) =>
    decideTransaction({ known, read }, batch, state),
  );
}

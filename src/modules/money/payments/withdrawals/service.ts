import type { Clock } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config/config.ts';
import type { Db, Tx } from '../../../../platform/database/db.ts';
import { AppError } from '../../../../platform/errors.ts';
import { newId } from '../../../../platform/ids.ts';
import type { Units } from '../../../../platform/money.ts';
import { createEncryption, dataSecret } from '../../../../platform/secrets/encryption.ts';
import type { Mfa } from '../../../accounts/auth/second-factor/prove.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import type { SiteConfig } from '../../../base/site-config/service.ts';
import type { WebhookEvent } from '../../../base/webhooks/service.ts';
import type { PlayerCountries } from '../../../compliance/countries/service.ts';
import type { Gate } from '../../../compliance/gate/service.ts';
import type { Currencies } from '../../currencies/service.ts';
import { applyReport } from '../deposits/apply.ts';
import type { PayoutDeps } from '../deps.ts';
import { withdrawalErrors } from '../errors.ts';
import { type PaymentProvider, type PayoutReport, unreadable } from '../provider.ts';
import type { PaymentProviders } from '../providers/registry.ts';
import { isReturn } from '../reviews/rules.ts';
import { applyReturnReport } from '../reviews/send-return.ts';
import type { Rollover } from '../rollover/service.ts';
import { findWithdrawal } from './queries.ts';
import { idIn } from './rules.ts';
import { createSending } from './send.ts';
import { type ApplyStatus, createApplyStatus, lockWithdrawal } from './transition.ts';

/** Returns a player's active bonus grant in a currency. */
type OpenGrantIn = (
  tx: Tx,
  userId: number,
  currencyId: string,
) => Promise<{ grantId: string; wagerRemaining: string; currencyId: string } | undefined>;

export type WithdrawalDeps = {
  db: Db;
  config: Config;
  currencies: Currencies;
  siteConfig: SiteConfig;
  gate: Gate;
  grants: { openIn: OpenGrantIn };
  mfa: Pick<Mfa, 'prove' | 'stepUp'>;
  playerCountries: Pick<PlayerCountries, 'of'>;
  providers: PaymentProviders;
  rollover: Rollover;
  withdrawals: Withdrawals;
};

type Withdrawals = ReturnType<typeof createWithdrawals>;

/** The stateful parts of withdrawals: encrypted quotes, sending by the worker, and provider reports. */
export function createWithdrawals(given: PayoutDeps) {
  const applyStatus = createApplyStatus(given);
  const deps = { ...given, applyStatus };
  return {
    quotes: createQuotes(given),
    applyStatus,
    sending: createSending(deps),
    receive: createPayoutWebhooks(deps),
  };
}

/** The order for which a quote is made. */
type Quoted = { userId: number; currencyId: string; networkId: string; amount: Units };

const QUOTE_LIFE_MS = 60_000;

/**
 * Quotes fix the fee of one withdrawal for a minute. They are not stored. Instead, the quote id contains the quote itself, encrypted and
 * authenticated, with the id of the withdrawal. Withdrawal ids are unique, so a quote is used at most once.
 */
function createQuotes({ config, clock }: { config: Config; clock: Clock }) {
  const encryption = createEncryption(dataSecret(config), 'withdrawal quotes');
  const factsOf = (q: Quoted) => [q.userId, q.currencyId, q.networkId, String(q.amount)];
  return {
    make(quoted: Quoted, fee: Units): { quoteId: string; expiresAt: Date } {
      const expiresAt = clock.now() + QUOTE_LIFE_MS;
      const text = JSON.stringify([...factsOf(quoted), String(fee), expiresAt, newId()]);
      return {
        quoteId: encryption.seal(Buffer.from(text)).toString('base64url'),
        expiresAt: new Date(expiresAt),
      };
    },

    /** Returns the fee of a quote and the id of its withdrawal. Throws 409 QUOTE_EXPIRED if it has expired or is for another order. */
    read(quoteId: string, quoted: Quoted): { fee: Units; withdrawalId: string } {
      const [userId, currencyId, networkId, amount, fee, expiresAt, withdrawalId] = open(quoteId) ?? [];
      const facts = [userId, currencyId, networkId, amount];
      const isSame = factsOf(quoted).every((fact, i) => fact === facts[i]);
      const isUsable = isSame && Number(expiresAt) > clock.now() && typeof withdrawalId === 'string';
      if (!isUsable) throw withdrawalErrors.QUOTE_EXPIRED();
      return { fee: BigInt(fee as string), withdrawalId };
    },
  };

  function open(quoteId: string): unknown[] | undefined {
    try {
      return JSON.parse(encryption.open(Buffer.from(quoteId, 'base64url')).toString()) as unknown[];
    } catch {
      return undefined;
    }
  }
}

type WebhookDeps = PayoutDeps & { applyStatus: ApplyStatus };

/** Returns the receiver of payout webhooks. It throws 404 PROVIDER_NOT_FOUND and 401 SIGNATURE_INVALID. */
function createPayoutWebhooks(deps: WebhookDeps) {
  const { webhooks, providers } = deps;
  webhooks.on('withdrawal', (tx, event) => applyWebhook(tx, deps, event));
  return webhooks.receiver('withdrawal', providers.get);
}

async function applyWebhook(tx: Tx, deps: WebhookDeps, { provider, raw }: WebhookEvent): Promise<void> {
  const { providers, applyStatus, log, partnerReports } = deps;
  const updates = readPayouts(providers.get(provider), raw);
  if (!updates) {
    const report = unreadable(raw, 'PAYOUT_REPORT_UNREADABLE');
    await applyReport(tx, deps, { providerId: provider, report });
    return;
  }
  const ours = [];
  for (const update of updates) {
    if (update.unknownType !== undefined) partnerReports.countType(provider, update.unknownType);
    if (isReturn(update.reference) && (await applyReturnReport(tx, deps, provider, update))) continue;
    const id = idIn(update.reference);
    const row = id === undefined ? undefined : await findWithdrawal(tx, id);
    // A new attempt without a provider has not been sent yet, so the report is about the previous attempt.
    if (row && (row.provider_id ?? provider) === provider) ours.push({ row, update });
    else log.warn({ provider, reference: update.reference }, 'webhook about an unknown payout ignored');
  }
  await lockPlayers(
    tx,
    ours.map(({ row }) => row.user_id),
  );
  for (const { row, update } of ours) await applyStatus(tx, await lockWithdrawal(tx, row.id), update);
}

/** Returns the payouts in a signed webhook, or undefined if it cannot be read. */
function readPayouts(provider: PaymentProvider, raw: Buffer): PayoutReport[] | undefined {
  try {
    return provider.readPayouts(raw);
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return undefined;
  }
}

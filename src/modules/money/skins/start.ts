import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import { type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { countryOfIp } from '../../../platform/geo.ts';
import { newId } from '../../../platform/ids.ts';
import { parseUnits } from '../../../platform/money.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { getUser } from '../../base/users/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { skinErrors } from './errors.ts';
import type { Marketplace } from './marketplace.ts';
import { findDeposit, insertDeposit, type SkinDepositRow } from './queries.ts';
import { isPageOf } from './rules.ts';
import type { SkinDepositRequest, SkinDepositStart } from './schemas.ts';
import { publishChange, storeSession } from './webhooks.ts';

/** `marketplace` undefined: none is configured. */
type Deps = PaymentDeps & { marketplace: Marketplace | undefined };
/** Who sells skins, from where, with which Idempotency-Key. */
type Seller = { userId: number; ip: string; key: string | undefined };
type Input = z.output<typeof SkinDepositRequest>;

/**
 * Opens a session at the marketplace. The deposit is stored first and its id is the reference of the session, so that the repeat of a
 * request whose answer was lost finds the same session instead of opening a second one.
 */
export function createStart(deps: Deps) {
  const { db, currencies, config, marketplace } = deps;

  const assertMay = (tx: Tx, { userId, ip }: Seller) =>
    deps.depositGate.assertMay(tx, { userId, country: countryOfIp(ip) });

  const store = async (tx: Tx, by: Seller, input: Input): Promise<{ depositId: string }> => {
    await assertMay(tx, by);
    assertTradable(await getUser(tx, by.userId));
    const id = newId();
    const deposit = await insertDeposit(tx, {
      id,
      user_id: by.userId,
      currency_id: input.currencyId,
      game: input.game,
      ...wishesOf(input, config),
    });
    await publishChange(tx, undefined, deposit);
    return { depositId: id };
  };

  const ask = async (deposit: SkinDepositRow, market: Marketplace): Promise<SkinDepositRow> => {
    const { platform_id, platform_trade_link } = assertTradable(await getUser(db, deposit.user_id));
    const session = await market.open({
      reference: deposit.id,
      game: deposit.game,
      minUsdAmount: deposit.min_usd_amount,
      platformId: platform_id,
      tradeLink: platform_trade_link,
      successUrl: deposit.success_url,
      failUrl: deposit.fail_url,
    });
    return storeSession(deps, deposit, session);
  };

  /**
   * Throws what the gate throws, 409 DEPOSIT_DISABLED and TRADE_LINK_REQUIRED, 404 CURRENCY_NOT_FOUND, 400 for pages that are not
   * ours, 503 when the marketplace does not answer: a repeat with the same key asks it again.
   */
  return async function start(by: Seller, input: Input): Promise<z.input<typeof SkinDepositStart>> {
    if (!marketplace) throw gateErrors.DEPOSIT_DISABLED();
    currencies.get(input.currencyId);
    wishesOf(input, config);
    let isNew = false;
    const request = { userId: by.userId, key: by.key, operation: 'skins.deposit', input };
    const { depositId } = await runIdempotently(db, request, (tx) => {
      isNew = true;
      return store(tx, by, input);
    });
    const deposit = (await findDeposit(db, depositId))!;
    const askGate = () => transaction(db, (tx) => assertMay(tx, by));
    // The player may have been excluded since the first attempt, or while the marketplace is asked.
    if (!isNew) await askGate();
    if (deposit.url !== null) return toStart(deposit);
    const opened = await ask(deposit, marketplace);
    await askGate();
    return toStart(opened);
  };
}

type Tradable = { platform_id: string | null; platform_trade_link: string | null };

function assertTradable({ platform_id, platform_trade_link }: Tradable) {
  if (!platform_id || !platform_trade_link) throw skinErrors.TRADE_LINK_REQUIRED();
  return { platform_id, platform_trade_link };
}

function wishesOf({ minAmountUsd, successUrl, failUrl }: Input, config: Config) {
  const minimum = minAmountUsd === undefined ? null : parseUnits(minAmountUsd);
  if (minimum === undefined || minimum === 0n) throw commonErrors.AMOUNT_OUT_OF_RANGE({ decimals: 8 });
  const page = (path: string, address: string | undefined): string => {
    if (address === undefined) return config.SITE_URL;
    if (isPageOf(config.siteOrigins, address)) return address;
    throw commonErrors.VALIDATION_FAILED({ fields: [{ path, message: 'needs to be a page of the site' }] });
  };
  return {
    min_usd_amount: minimum,
    success_url: page('successUrl', successUrl),
    fail_url: page('failUrl', failUrl),
  };
}

const toStart = ({ id, url, transaction_id, expires_at }: SkinDepositRow) => ({
  depositId: id,
  url: url!,
  transactionId: transaction_id!,
  expiresAt: iso(expires_at!),
});

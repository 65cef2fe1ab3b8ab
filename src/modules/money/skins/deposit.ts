import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Amount, CurrencyId, Decimal, Id, object, strictObject, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import { countryOfIp } from '../../../platform/countries/geo.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { AppError, commonErrors, errors } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { formatUnits, parseUnits } from '../../../platform/money.ts';
import { isPageOf } from '../../../platform/net/rules.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { getUser } from '../../base/users/service.ts';
import { webhookErrors, webhookRoute } from '../../base/webhooks/schemas.ts';
import { gateErrors, moneyInErrors } from '../../compliance/gate/errors.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { paymentErrors } from '../payments/errors.ts';
import {
  applyReport,
  findDeposit,
  findOwner,
  flag,
  lockDeposit,
  lockTransaction,
  publishChange,
  type SkinDepositRow,
  updateDeposit,
} from './apply.ts';
import { type Marketplace, parseReport, type Session } from './marketplace.ts';
import { SKIN_STATUSES, type SkinStatus } from './rules.ts';
import { type SkinDeps, SkinWebhook } from './service.ts';

const skinErrors = errors({
  TRADE_LINK_REQUIRED: [
    409,
    'Sign in through the game platform, then save your trade link with PATCH /user/me.',
  ],
});

const SkinGame = z.enum(['cs2', 'dota2', 'rust', 'tf2']);
const PageUrl = z.string().max(500).meta({ example: 'https://play.example.com/wallet' });

const SkinDepositRequest = strictObject('SkinDepositRequest', {
  currencyId: CurrencyId,
  game: SkinGame.default('cs2'),
  minAmountUsd: Amount.optional(),
  successUrl: PageUrl.optional(),
  failUrl: PageUrl.optional(),
});
type SkinDepositRequest = z.output<typeof SkinDepositRequest>;

const SkinDepositStart = object('SkinDepositStart', {
  depositId: Id,
  url: z.string(),
  transactionId: z.string(),
  expiresAt: Timestamp,
});

export const startSkinDeposit = operation({
  method: 'POST',
  path: '/payments/skins/deposit',
  tag: 'Payments (skin marketplace)',
  access: 'auth',
  gate: 'deposit',
  idempotent: true,
  summary: 'Start a skin deposit at the marketplace',
  description:
    'The amount is known once the marketplace has received the items. After a 503, repeat the request with the same Idempotency-Key.',
  body: SkinDepositRequest,
  response: SkinDepositStart,
  errors: [
    ...moneyInErrors,
    gateErrors.KYC_REQUIRED,
    skinErrors.TRADE_LINK_REQUIRED,
    gateErrors.DEPOSIT_DISABLED,
    commonErrors.CURRENCY_NOT_FOUND,
    commonErrors.AMOUNT_OUT_OF_RANGE,
    commonErrors.SERVICE_UNAVAILABLE,
  ],
  handler: ({ payments, skins: { marketplace } }: SkinDeps, { user, ip, body, idempotencyKey: key }) =>
    startDeposit({ ...payments, marketplace }, { userId: user.id, ip, key }, body),
});

/** `marketplace` is undefined if none is configured. */
type StartDeps = PaymentDeps & { marketplace: Marketplace | undefined };
/** The player who sends a request, with the request's IP address and Idempotency-Key. */
type Seller = { userId: number; ip: string; key: string | undefined };

/**
 * Opens a session at the marketplace. The deposit is stored first, and its id is used as the reference of the session. If a player repeats
 * a request because the response was lost, the same session is therefore returned.
 */
export async function startDeposit(
  deps: StartDeps,
  by: Seller,
  input: SkinDepositRequest,
): Promise<z.input<typeof SkinDepositStart>> {
  const { db, currencies, config, marketplace } = deps;
  if (!marketplace) throw gateErrors.DEPOSIT_DISABLED();
  currencies.get(input.currencyId);
  settingsOf(input, config);
  let isNew = false;
  const request = { userId: by.userId, key: by.key, operation: 'skins.deposit', input };
  const { depositId } = await runIdempotently(db, request, async (tx) => {
    isNew = true;
    return { depositId: await storeDeposit(tx, deps, by, input) };
  });
  const deposit = (await findDeposit(db, depositId))!;
  const checkGate = () => transaction(db, (tx) => assertMay(tx, deps, by));
  // The player may have been excluded since the first attempt, or during the call to the marketplace.
  if (!isNew) await checkGate();
  if (deposit.url !== null) return toStart(deposit);
  const opened = await openSession(deps, marketplace, deposit);
  await checkGate();
  return toStart(opened);
}

const assertMay = (tx: Tx, { depositGate }: StartDeps, { userId, ip }: Seller) =>
  depositGate.assertMay(tx, { userId, country: countryOfIp(ip) });

async function storeDeposit(tx: Tx, deps: StartDeps, by: Seller, input: SkinDepositRequest): Promise<string> {
  await assertMay(tx, deps, by);
  assertTradable(await getUser(tx, by.userId));
  const deposit = await tx
    .insertInto('skin_deposits')
    .values({
      id: newId(),
      user_id: by.userId,
      currency_id: input.currencyId,
      game: input.game,
      ...settingsOf(input, deps.config),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await publishChange(tx, undefined, deposit);
  return deposit.id;
}

async function openSession(
  deps: StartDeps,
  marketplace: Marketplace,
  deposit: SkinDepositRow,
): Promise<SkinDepositRow> {
  const { platform_id, platform_trade_link } = assertTradable(await getUser(deps.db, deposit.user_id));
  const session = await marketplace.open({
    reference: deposit.id,
    game: deposit.game,
    minUsdAmount: deposit.min_usd_amount,
    platformId: platform_id,
    tradeLink: platform_trade_link,
    successUrl: deposit.success_url,
    failUrl: deposit.fail_url,
  });
  return storeSession(deps, deposit, session);
}

/** Stores a deposit's marketplace session and applies the webhooks that arrived before it. */
const storeSession = (
  deps: PaymentDeps,
  { id, user_id }: SkinDepositRow,
  session: Session,
): Promise<SkinDepositRow> =>
  transaction(deps.db, async (tx) => {
    await lockPlayers(tx, [user_id]);
    const deposit = await lockDeposit(tx, id);
    // A concurrent duplicate of the request has already stored the session.
    if (deposit.url !== null) return deposit;
    const { transactionId, url, expiresAt } = session;
    await lockTransaction(tx, transactionId);
    if (await findOwner(tx, transactionId)) {
      deps.log.error({ depositId: id, transactionId }, 'skin marketplace reused a transaction id');
      throw commonErrors.SERVICE_UNAVAILABLE();
    }
    const change = { transaction_id: transactionId, url, expires_at: new Date(expiresAt) };
    const stored = await updateDeposit(tx, id, change);
    const early = (await deleteStoredWebhooks(tx, transactionId)).map(parseReport);
    early.sort((a, b) => a.occurredAt.localeCompare(b.occurredAt));
    for (const report of early)
      await applyReport(tx, deps, stored, report).catch(async (error: unknown) => {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        await flag(tx, deps, stored, 'NOTICE_UNUSABLE');
      });
    return stored;
  });

/** Deletes the stored webhooks about a transaction and returns them in order of arrival. */
async function deleteStoredWebhooks(tx: Tx, transactionId: string): Promise<Buffer[]> {
  const rows = await tx
    .deleteFrom('skin_notices')
    .where('transaction_id', '=', transactionId)
    .returning(['id', 'body'])
    .execute();
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ body }) => body);
}

type PlatformAccount = { platform_id: string | null; platform_trade_link: string | null };

function assertTradable({ platform_id, platform_trade_link }: PlatformAccount) {
  if (!platform_id || !platform_trade_link) throw skinErrors.TRADE_LINK_REQUIRED();
  return { platform_id, platform_trade_link };
}

function settingsOf({ minAmountUsd, successUrl, failUrl }: SkinDepositRequest, config: Config) {
  const minimum = minAmountUsd === undefined ? null : parseUnits(minAmountUsd);
  if (minimum === undefined || minimum === 0n) throw commonErrors.AMOUNT_OUT_OF_RANGE({ decimals: 8 });
  const page = (path: string, address: string | undefined): string => {
    if (address === undefined) return config.SITE_URL;
    if (isPageOf(config.siteOrigins, address)) return address;
    throw commonErrors.VALIDATION_FAILED({ fields: [{ path, message: 'must be a page of this site' }] });
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

const SkinItem = object('SkinItem', { name: z.string(), priceUsd: Decimal });

const SkinDeposit = object('SkinDeposit', {
  id: Id,
  status: z.enum(SKIN_STATUSES),
  items: z.array(SkinItem),
  usdAmount: Decimal.nullable(),
  creditedAmount: Decimal.nullable(),
  currencyId: CurrencyId,
  holdUntil: Timestamp.nullable(),
  failReason: z.string().nullable(),
});
type SkinDeposit = z.input<typeof SkinDeposit>;

export const getSkinDeposit = operation({
  method: 'GET',
  path: '/payments/skins/deposit/{id}',
  tag: 'Payments (skin marketplace)',
  access: 'auth',
  summary: 'Get one of your skin deposits',
  params: z.object({ id: z.uuid() }),
  response: SkinDeposit,
  errors: [paymentErrors.DEPOSIT_NOT_FOUND],
  handler: async ({ db }: SkinDeps, { user, params: { id } }) => {
    const deposit = await findDeposit(db, id);
    if (deposit?.user_id !== user.id) throw paymentErrors.DEPOSIT_NOT_FOUND();
    return toSkinDeposit(deposit);
  },
});

const toSkinDeposit = (deposit: SkinDepositRow): SkinDeposit => ({
  id: deposit.id,
  status: deposit.status as SkinStatus,
  items: deposit.items as SkinDeposit['items'],
  usdAmount: deposit.usd_amount === null ? null : formatUnits(deposit.usd_amount),
  creditedAmount: deposit.credited_amount === null ? null : formatUnits(deposit.credited_amount),
  currencyId: deposit.currency_id,
  holdUntil: deposit.hold_until && iso(deposit.hold_until),
  failReason: deposit.fail_reason,
});

export const receiveSkinWebhook = operation({
  ...webhookRoute,
  path: '/webhooks/skins/{provider}',
  summary: 'Receive a webhook from the skin marketplace',
  body: SkinWebhook,
  errors: [webhookErrors.SIGNATURE_INVALID, webhookErrors.PROVIDER_NOT_FOUND],
  handler: ({ skins }: SkinDeps, { params, notice }) => skins.receive(params.provider, notice!),
});

import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { CurrencyId, Decimal, Id, object, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import { countryOfIp } from '../../../../platform/countries/geo.ts';
import { type DbOrTx, type Tx, transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { gateErrors, moneyInErrors } from '../../../compliance/gate/errors.ts';
import type { Currencies } from '../../currencies/service.ts';
import type { PaymentDeps } from '../deps.ts';
import { paymentErrors } from '../errors.ts';
import { orUnavailable } from '../providers/client.ts';
import { type Method, methodOf } from '../recipient.ts';
import { addressKey, addressPatternOf } from './rules.ts';
import type { DepositDeps } from './service.ts';

const MethodQuery = z.strictObject({ direction: z.enum(['DEPOSIT', 'WITHDRAW']).optional() });

const PaymentMethod = object('PaymentMethod', {
  type: z.enum(['CRYPTO', 'FIAT', 'SKINS']),
  currencyId: z.string().meta({ example: 'USDT' }),
  networkId: z.string().nullable(),
  depositEnabled: z.boolean(),
  withdrawEnabled: z.boolean(),
  minDeposit: Decimal.nullable(),
  minWithdraw: Decimal.nullable(),
  withdrawFee: Decimal.nullable(),
  confirmations: z.number().int(),
  memoRequired: z.boolean(),
  addressPattern: z.string().nullable(),
});
type PaymentMethod = z.input<typeof PaymentMethod>;

export const listPaymentMethods = operation({
  method: 'GET',
  path: '/payments/methods',
  tag: 'Payments',
  access: 'auth',
  summary: 'List payment methods',
  description:
    'Returns every currency and network for deposits and withdrawals. With `direction`, returns only methods that are currently ' +
    'open in that direction.',
  query: MethodQuery,
  response: z.array(PaymentMethod),
  handler: ({ payments }: DepositDeps, { query }) => methodsFor(payments, query.direction),
});

type MethodDeps = Pick<PaymentDeps, 'config' | 'currencies' | 'siteConfig'> & {
  providers: Pick<PaymentDeps['providers'], 'active'>;
};

/** Returns all payment methods, or only those that are open for deposits or for withdrawals. */
export function methodsFor(
  { config, currencies, siteConfig, providers }: MethodDeps,
  direction?: 'DEPOSIT' | 'WITHDRAW',
): PaymentMethod[] {
  const { isDepositOpen } = siteConfig.get('COMMON');
  const isConnected = providers.active !== undefined;
  const open = {
    deposits: isConnected && isDepositOpen,
    withdrawals: isConnected && siteConfig.get('WITHDRAWALS').isEnabled,
  };
  const all = currencies.list();
  const skins = config.SKINS_API_URL ? all.filter(({ type }) => type === 'CRYPTO') : [];
  const rows: PaymentMethod[] = [
    ...all.flatMap((currency) => networkMethods(currency, open)),
    ...skins.map(({ id }) => ({ ...SKINS, currencyId: id, depositEnabled: isDepositOpen })),
  ];
  if (direction === 'DEPOSIT') return rows.filter((row) => row.depositEnabled);
  return direction === 'WITHDRAW' ? rows.filter((row) => row.withdrawEnabled) : rows;
}

type Currency = ReturnType<Currencies['list']>[number];

const networkMethods = (
  currency: Currency,
  open: { deposits: boolean; withdrawals: boolean },
): PaymentMethod[] =>
  currency.networks.map((network) => ({
    type: currency.type,
    currencyId: currency.id,
    networkId: network.id,
    depositEnabled: open.deposits && network.depositEnabled,
    withdrawEnabled: open.withdrawals && network.withdrawEnabled,
    minDeposit: formatUnits(network.minDeposit),
    minWithdraw: formatUnits(network.minWithdraw),
    withdrawFee: formatUnits(network.withdrawFee),
    confirmations: network.confirmations,
    memoRequired: network.memoRequired,
    addressPattern: network.addressKind && addressPatternOf(network.addressKind),
  }));

const SKINS = {
  type: 'SKINS',
  networkId: null,
  withdrawEnabled: false,
  minDeposit: null,
  minWithdraw: null,
  withdrawFee: null,
  confirmations: 0,
  memoRequired: false,
  addressPattern: null,
} as const;

const AddressQuery = z.strictObject({ currencyId: CurrencyId, networkId: Id });

const DepositAddress = object('DepositAddress', {
  payAddress: z.string(),
  payMemo: z.string().nullable(),
  currencyId: z.string(),
  networkId: z.string(),
  minAmount: Decimal,
  confirmations: z.number().int(),
  issuedAt: Timestamp,
});

export const getDepositAddress = operation({
  method: 'GET',
  path: '/payments/deposit/address',
  tag: 'Payments',
  access: 'auth',
  gate: 'deposit',
  summary: 'Get your deposit address',
  description: 'A player always gets the same address for a currency on a network.',
  query: AddressQuery,
  response: DepositAddress,
  errors: [
    ...moneyInErrors,
    gateErrors.KYC_REQUIRED,
    gateErrors.DEPOSIT_DISABLED,
    paymentErrors.PAYMENT_METHOD_NOT_FOUND,
  ],
  handler: ({ payments }: DepositDeps, { user: { id: userId }, ip, query }) =>
    provideAddress(payments, { userId, ip }, query),
});

type AddressDeps = Pick<PaymentDeps, 'db' | 'log' | 'currencies' | 'depositGate'> & {
  providers: Pick<PaymentDeps['providers'], 'active'>;
};

/** Returns a player's address and creates it on the first call. The provider is called outside transactions. */
export async function provideAddress(
  { db, log, currencies, depositGate, providers }: AddressDeps,
  { userId, ip }: { userId: number; ip: string },
  { currencyId, networkId }: z.output<typeof AddressQuery>,
): Promise<z.input<typeof DepositAddress>> {
  const method = methodOf(currencies, currencyId, networkId);
  const provider = method.network.depositEnabled ? providers.active : undefined;
  const of = { userId, currencyId, networkId, providerId: provider?.id ?? '' };
  const existing = await transaction(db, async (tx) => {
    await depositGate.assertMay(tx, { userId, country: countryOfIp(ip) });
    if (!provider) throw gateErrors.DEPOSIT_DISABLED();
    return findAddress(tx, of);
  });
  if (existing) return toAddress(existing, method);
  // Every call uses the same reference, so that concurrent requests get the same address.
  const reference = `${userId}:${currencyId}:${networkId}`;
  const created = await orUnavailable(
    () => provider!.createAddress({ reference, userId, currencyId, networkId }),
    (error) => log.warn({ provider: provider!.id, error }, 'provider created no deposit address'),
  );
  const stored = await transaction(db, async (tx) => {
    // The player may have been excluded while the provider was called.
    await depositGate.assertMay(tx, { userId, country: countryOfIp(ip) });
    await insertAddress(tx, of, { ...created, key: addressKey(created.address) });
    return findAddress(tx, of);
  });
  if (stored) return toAddress(stored, method);
  log.error(
    { provider: provider!.id, userId, currencyId, networkId },
    'deposit address of another player received',
  );
  throw commonErrors.SERVICE_UNAVAILABLE();
}

type Stored = NonNullable<Awaited<ReturnType<typeof findAddress>>>;

const toAddress = (row: Stored, { network }: Method): z.input<typeof DepositAddress> => ({
  payAddress: row.address,
  payMemo: row.memo,
  currencyId: row.currency_id,
  networkId: row.network_id,
  minAmount: formatUnits(network.minDeposit),
  confirmations: network.confirmations,
  issuedAt: iso(row.issued_at),
});

type AddressOwner = { userId: number; currencyId: string; networkId: string; providerId: string };

const findAddress = (db: DbOrTx, of: AddressOwner) =>
  db
    .selectFrom('deposit_addresses')
    .selectAll()
    .where('user_id', '=', of.userId)
    .where('currency_id', '=', of.currencyId)
    .where('network_id', '=', of.networkId)
    .where('provider_id', '=', of.providerId)
    .executeTakeFirst();

/**
 * Stores an address unless the player has one already. An address of another player, in any currency, is not stored, because coins that
 * arrive there belong to that player.
 */
async function insertAddress(
  tx: Tx,
  of: AddressOwner,
  made: { address: string; key: string; memo: string | null; externalId: string | null },
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`deposit address:${made.key}`}, 0))`.execute(tx);
  const others = await tx
    .selectFrom('deposit_addresses')
    .select('user_id')
    .where('address_key', '=', made.key)
    .where('user_id', '<>', of.userId)
    .$if(made.memo !== null, (q) =>
      q.where((eb) => eb.or([eb('memo', 'is', null), eb('memo', '=', made.memo)])),
    )
    .limit(1)
    .execute();
  if (others.length > 0) return;
  await tx
    .insertInto('deposit_addresses')
    .values({
      user_id: of.userId,
      currency_id: of.currencyId,
      network_id: of.networkId,
      provider_id: of.providerId,
      address: made.address,
      address_key: made.key,
      memo: made.memo,
      external_id: made.externalId,
    })
    .onConflict((oc) => oc.doNothing())
    .execute();
}

import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { Decimal, object } from '../../../../http/schemas.ts';
import { formatUnits } from '../../../../platform/money.ts';
import type { Currencies } from '../../currencies/service.ts';
import type { PaymentDeps } from '../deps.ts';
import { addressPatternOf } from './rules.ts';
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
    'Every currency and network for deposits and withdrawals. With `direction`, only methods that are open in that direction.',
  query: MethodQuery,
  response: z.array(PaymentMethod),
  handler: ({ payments }: DepositDeps, { query }) => methodsFor(payments, query.direction),
});

type MethodDeps = Pick<PaymentDeps, 'config' | 'currencies' | 'siteConfig'> & {
  providers: Pick<PaymentDeps['providers'], 'active'>;
};

/** Returns all methods, or those that are open in a direction. */
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

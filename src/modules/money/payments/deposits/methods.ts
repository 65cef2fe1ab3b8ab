import type { z } from 'zod';
import { formatUnits } from '../../../../platform/money.ts';
import type { Currencies } from '../../currencies/service.ts';
import type { PaymentDeps } from '../deps.ts';
import type { AddressDeps } from './address.ts';
import { addressPatternOf } from './rules.ts';
import type { MethodQuery, PaymentMethod } from './schemas.ts';

type Shown = z.input<typeof PaymentMethod>;
type Currency = ReturnType<Currencies['list']>[number];

export type MethodDeps = Pick<PaymentDeps, 'config' | 'currencies' | 'siteConfig'> &
  Pick<AddressDeps, 'providers'>;

/** How money can be paid in and out; each row says what of it is open at the moment. */
export function createMethods({ config, currencies, siteConfig, providers }: MethodDeps) {
  const onNetwork = (currency: Currency, open: { in: boolean; out: boolean }): Shown[] =>
    currency.networks.map((network) => ({
      type: currency.type,
      currencyId: currency.id,
      networkId: network.id,
      depositEnabled: open.in && network.depositEnabled,
      withdrawEnabled: open.out && network.withdrawEnabled,
      minDeposit: formatUnits(network.minDeposit),
      minWithdraw: formatUnits(network.minWithdraw),
      withdrawFee: formatUnits(network.withdrawFee),
      confirmations: network.confirmations,
      memoRequired: network.memoRequired,
      addressPattern: network.addressKind && addressPatternOf(network.addressKind),
    }));

  /** All methods, or those that are open in a direction. */
  return function methods({ direction }: z.output<typeof MethodQuery>): Shown[] {
    const { isDepositOpen } = siteConfig.get('COMMON');
    const isConnected = providers.active !== undefined;
    const open = {
      in: isConnected && isDepositOpen,
      out: isConnected && siteConfig.get('WITHDRAWALS').isEnabled,
    };
    const all = currencies.list();
    const skins = config.SKINS_API_URL ? all.filter(({ type }) => type === 'CRYPTO') : [];
    const rows: Shown[] = [
      ...all.flatMap((currency) => onNetwork(currency, open)),
      ...skins.map(({ id }) => ({ ...SKINS, currencyId: id, depositEnabled: isDepositOpen })),
    ];
    if (direction === 'DEPOSIT') return rows.filter((row) => row.depositEnabled);
    return direction === 'WITHDRAW' ? rows.filter((row) => row.withdrawEnabled) : rows;
  };
}

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

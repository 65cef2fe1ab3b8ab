import type { z } from 'zod';
import type { Config } from '../../../../platform/config.ts';
import { formatUnits } from '../../../../platform/money.ts';
import type { SiteConfig } from '../../../base/site-config/service.ts';
import type { Currencies } from '../../currencies/service.ts';
import { addressPatternOf } from './rules.ts';
import type { MethodQuery, PaymentMethod } from './schemas.ts';

type Shown = z.input<typeof PaymentMethod>;
type Currency = ReturnType<Currencies['list']>[number];

export type MethodDeps = {
  config: Config;
  currencies: Currencies;
  siteConfig: SiteConfig;
  providers: { active: unknown };
};

/** How money comes in and goes out: what of it is open at the moment is said on each row. */
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

  /** Without a direction all; with one those that are open in it. */
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

import type { ComponentProps } from 'react';
import type { CurrencyDto } from '../../../../client/call.ts';
import {
  currencyToUsdDown,
  formatUnits,
  parseRate,
  roundDown,
  type Units,
  units,
} from '../../../../src/platform/money.ts';
import { Field, type Filled } from '../../../kit/form.tsx';
import { useRead } from '../../../kit/query.ts';
import { Tabs } from '../../../kit/tabs.tsx';
import { words } from '../../words.ts';

export const WalletTabs = () => {
  const { money } = words;
  return (
    <Tabs
      label={money.title}
      of={{
        [money.balances]: '/wallet',
        [money.deposit.title]: '/wallet/deposit',
        [money.withdraw.title]: '/wallet/withdraw',
        [money.history.title]: '/wallet/history',
        [money.skins.title]: '/wallet/skins',
        [money.kyc.title]: '/wallet/identity',
      }}
    />
  );
};

/** A field for an exact amount. The decimal separator may be a point or a comma. */
export const Sum = (props: ComponentProps<typeof Field>) => (
  <Field inputMode="decimal" pattern="(0|[1-9][0-9]{0,11})([.,][0-9]{1,18})?" required {...props} />
);
export const sumOf = (filled: Filled, name: string) => filled.text(name).replace(',', '.');

const RARELY = { staleMs: 300_000 };
export const useCurrencies = () => useRead('GET /currency', {}, RARELY);

/** Returns the display name of a network. */
export const networkName = (all: readonly CurrencyDto[] | undefined, currencyId: string, networkId: string) =>
  all?.find(({ id }) => id === currencyId)?.networks.find(({ id }) => id === networkId)?.name ?? networkId;

/** Converts an amount to US dollars, rounded down as on the server. Returns undefined without a rate. */
export function dollarsOf(amount: string, usdRate: string | undefined): Units | undefined {
  const rate = usdRate === undefined ? undefined : parseRate(usdRate);
  return rate === undefined ? undefined : currencyToUsdDown(units(amount), rate);
}

export const inCents = (usd: Units): string => formatUnits(roundDown(usd, 2));

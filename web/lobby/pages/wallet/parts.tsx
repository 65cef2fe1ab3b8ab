import type { ComponentProps } from 'react';
import {
  currencyToUsdDown,
  formatUnits,
  parseRate,
  parseUnits,
  roundDown,
  type Units,
} from '../../../../src/platform/money.ts';
import { Coin } from '../../../kit/amount.tsx';
import { Segmented } from '../../../kit/form/toggle.tsx';
import { figures, money } from '../../../kit/intl.ts';
import { Pick } from '../../../kit/pick/pick.tsx';
import { useRead } from '../../../kit/query.ts';
import { words } from '../../words.ts';

const RARELY = { staleMs: 300_000 };
export const useCurrencies = () => useRead('GET /currency', {}, RARELY);
/** The decimals of a currency. Undefined until they are known. */
export const useDecimals = (currencyId: string): number | undefined =>
  useCurrencies().data?.find(({ id }) => id === currencyId)?.decimals;
export const useMethods = (direction: 'DEPOSIT' | 'WITHDRAW') =>
  useRead('GET /payments/methods', { query: { direction } }, { staleMs: 60_000 });

/** Converts an amount to US dollars, rounded down as on the server. Returns undefined without an amount or a rate. */
export function dollarsOf(amount: string, usdRate: string | undefined): Units | undefined {
  const rate = usdRate === undefined ? undefined : parseRate(usdRate);
  const parsed = parseUnits(amount);
  return rate === undefined || parsed === undefined ? undefined : currencyToUsdDown(parsed, rate);
}

export const downToCents = (usd: Units): string => formatUnits(roundDown(usd, 2));

/** Returns a function that gives the worth of an amount in words, such as ≈ $250.00, or undefined if it is not known. */
export function useWorth() {
  const rates = useRead('GET /exchange-rates', {}, { staleMs: 60_000 });
  return (amount: string, currencyId: string): string | undefined => {
    const rate = rates.data?.find((one) => one.currencyId === currencyId)?.usdRate;
    const usd = dollarsOf(amount, rate);
    return usd === undefined ? undefined : words.money.about(money(downToCents(usd)));
  };
}

type CoinPickProps = {
  label: string;
  /** The currencies with the amounts that are shown beside them. */
  of: Readonly<Record<string, string | undefined>>;
  value: string;
  onChange: (id: string) => void;
};

/** A list of currencies with the player's balance in each. */
export function CoinPick({ label, of, value, onChange }: CoinPickProps) {
  const { data } = useCurrencies();
  const nameOf = (id: string) => data?.find((one) => one.id === id)?.name;
  const named = (id: string) => (
    <>
      <Coin of={id} /> <strong translate="no">{id}</strong> <span className="dim clip">{nameOf(id)}</span>
    </>
  );
  const amount = (id: string) => of[id] && <span className="amount dim">{figures(of[id], id)}</span>;
  return (
    <Pick
      label={label}
      value={value}
      onChange={onChange}
      className="input pick coin-pick"
      options={Object.keys(of).map((id) => ({
        value: id,
        text: `${id} ${nameOf(id) ?? ''}`,
        shown: named(id),
        note: amount(id),
      }))}
    >
      {named(value)}
      <span className="grow end">{amount(value)}</span>
    </Pick>
  );
}

/** Buttons of which one is chosen, with their label above them. They wrap. */
export const Options = <T extends string>(props: ComponentProps<typeof Segmented<T>>) => (
  <div className="field options">
    <span className="label" aria-hidden="true">
      {props.label}
    </span>
    <Segmented {...props} />
  </div>
);

/** A value in the place of a field, where there is nothing to choose. */
export const Fixed = ({ label, children }: { label: string; children: string }) => (
  <div className="field">
    <span className="label">{label}</span>
    <span className="input pick">{children}</span>
  </div>
);

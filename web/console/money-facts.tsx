import type { ReactNode } from 'react';
import { exactMoney } from '../kit/intl.ts';
import { Facts } from '../kit/page.tsx';
import { usePlayerName } from './player-name.ts';

type MoneyFactsProps = {
  /** The player by id or name. Null if no player gets or loses the money. */
  player: number | string | null;
  /** Null if the amount is not known. */
  amount: string | null | undefined;
  currencyId: string | undefined;
  /** The label of the amount. */
  label?: string;
  /** Other facts by label. */
  of?: Readonly<Record<string, ReactNode>>;
};

/** The facts of a confirmation before money moves: the person, and the amount with its currency. */
export const MoneyFacts = ({ player, amount, currencyId, label = 'Amount', of = {} }: MoneyFactsProps) => (
  <Facts
    isRows
    of={{
      ...(player !== null && { Player: typeof player === 'number' ? <Name id={player} /> : player }),
      [label]: amount && currencyId ? exactMoney(amount, currencyId) : '–',
      ...of,
    }}
  />
);

/** The name tells staff who typed an id whose account it is. */
function Name({ id }: { id: number }) {
  const name = usePlayerName(id);
  return name === `#${id}` ? name : `${name} (#${id})`;
}

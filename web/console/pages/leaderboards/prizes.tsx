import type { ReactNode } from 'react';
import type { LeaderboardConfig, PrizeOfPlace } from '../../../../client/call.ts';
import { formatUnits, parseUnits, units } from '../../../../src/platform/money.ts';
import { Usd } from '../../../kit/amount.tsx';
import { TextArea } from '../../../kit/form/field.tsx';
import type { Filled } from '../../../kit/form/read.ts';
import { exactMoney } from '../../../kit/intl.ts';
import { Facts } from '../../../kit/page.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';

type Prizes = LeaderboardConfig['prizes'];

const COLUMNS: Columns<Prizes[number]> = [
  { head: 'Rank', of: ({ place }) => place },
  { head: 'Prize', of: ({ usdAmount }) => <Usd of={usdAmount} />, end: true },
];

const EXACT: Columns<PrizeOfPlace> = [
  { head: 'Rank', of: ({ place }) => place },
  {
    head: 'Prize',
    of: ({ usdAmount }) => (isAmount(usdAmount) ? exactMoney(usdAmount, 'USD') : usdAmount),
    end: true,
  },
];

type StakeProps = {
  prizes: readonly PrizeOfPlace[];
  currencyId: string;
  of?: Readonly<Record<string, ReactNode>>;
};

export const PrizeTable = ({ of }: { of: Prizes }) => (
  <Table rows={of} columns={COLUMNS} caption="Prizes" keyOf={({ place }) => place} empty="No prizes" />
);

/** The exact total of all prizes. */
export const poolOf = (prizes: readonly PrizeOfPlace[]): string =>
  formatUnits(prizes.reduce((sum, { usdAmount }) => sum + units(usdAmount), 0n));

export const Pool = ({ of }: { of: Prizes }) => <Usd of={poolOf(of)} />;

const isAmount = (text: string): boolean => parseUnits(text) !== undefined;

/** The amounts at stake before prizes are saved: the total, and each prize. `of`: further facts. */
export function Stake({ prizes, currencyId, of = {} }: StakeProps) {
  // Staff may have typed a prize that is not an amount.
  const areAmounts = prizes.every(({ usdAmount }) => isAmount(usdAmount));
  return (
    <>
      <Facts
        isRows
        of={{
          'Prize pool': areAmounts ? exactMoney(poolOf(prizes), 'USD') : '–',
          'Paid in': currencyId,
          ...of,
        }}
      />
      <Table rows={prizes} columns={EXACT} caption="Prizes" keyOf={({ place }) => place} empty="No prizes" />
    </>
  );
}

export const prizesOf = (f: Filled): PrizeOfPlace[] =>
  f.pairs('prizes').map(([place, usdAmount]) => ({ place: Number(place), usdAmount }));

export const PrizeField = ({ of = [] }: { of?: Prizes }) => (
  <TextArea
    name="prizes"
    label="Prizes (USD)"
    hint="One line per rank: 1 500"
    placeholder={'1 500\n2 250\n3 100'}
    defaultValue={of.map(({ place, usdAmount }) => `${place} ${usdAmount}`).join('\n')}
    required
    rows={6}
  />
);

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
    of: ({ usdAmount }) => (parseUnits(usdAmount) === undefined ? usdAmount : exactMoney(usdAmount, 'USD')),
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

/** The total of all prizes. */
export const poolOf = (prizes: Prizes): string =>
  formatUnits(prizes.reduce((sum, { usdAmount }) => sum + units(usdAmount), 0n));

export const Pool = ({ of }: { of: Prizes }) => <Usd of={poolOf(of)} />;

/** The exact total of prizes that staff have typed. Undefined if one of them is not an amount. */
function totalOf(prizes: readonly PrizeOfPlace[]): string | undefined {
  const amounts = prizes.map(({ usdAmount }) => parseUnits(usdAmount));
  if (amounts.length === 0 || amounts.some((amount) => amount === undefined)) return undefined;
  return formatUnits(amounts.reduce<bigint>((sum, amount) => sum + amount!, 0n));
}

/** The amounts at stake before prizes are saved: the total, and each prize. `of`: further facts. */
export function Stake({ prizes, currencyId, of = {} }: StakeProps) {
  const total = totalOf(prizes);
  return (
    <>
      <Facts
        isRows
        of={{
          'Prize pool': total === undefined ? '–' : exactMoney(total, 'USD'),
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

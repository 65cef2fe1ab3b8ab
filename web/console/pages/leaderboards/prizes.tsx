import type { LeaderboardConfig, PrizeOfPlace } from '../../../../client/call.ts';
import { formatUnits, units } from '../../../../src/platform/money.ts';
import { Usd } from '../../../kit/amount.tsx';
import { TextArea } from '../../../kit/form/field.tsx';
import type { Filled } from '../../../kit/form/read.ts';
import { type Columns, Table } from '../../../kit/table.tsx';

type Prizes = LeaderboardConfig['prizes'];

const COLUMNS: Columns<Prizes[number]> = [
  { head: 'Rank', of: ({ place }) => place },
  { head: 'Prize', of: ({ usdAmount }) => <Usd of={usdAmount} />, end: true },
];

export const PrizeTable = ({ of }: { of: Prizes }) => (
  <Table rows={of} columns={COLUMNS} caption="Prizes" keyOf={({ place }) => place} empty="No prizes" />
);

/** The total of all prizes. */
export const Pool = ({ of }: { of: Prizes }) => (
  <Usd of={formatUnits(of.reduce((sum, { usdAmount }) => sum + units(usdAmount), 0n))} />
);

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

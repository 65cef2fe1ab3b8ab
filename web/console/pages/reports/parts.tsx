import type { ReactNode } from 'react';
import { percent } from '../../../kit/intl.ts';
import { Lines, type LinesProps } from '../../../kit/lines.tsx';
import { Card } from '../../../kit/page.tsx';
import { Table, type TableProps } from '../../../kit/table.tsx';
import { type Days, rowsOf, SaveCsv } from './save-csv.tsx';

/** A chart whose values can be exported. */
export const Curve = ({ days, actions, ...chart }: LinesProps & { days: Days }) => (
  <Lines
    {...chart}
    actions={
      <>
        {actions}
        <SaveCsv title={chart.title} days={days} rows={rowsOf(chart)} />
      </>
    }
  />
);

type TableCardProps<T> = TableProps<T> & {
  title: string;
  days: Days;
  /** Reads the rows of the export, if the table shows only some of them. */
  readAll?: () => Promise<readonly T[]>;
  actions?: ReactNode;
  below?: ReactNode;
};

/** A card with a table that can be exported. */
export const TableCard = <T extends object>({
  title,
  days,
  readAll,
  actions,
  below,
  ...table
}: TableCardProps<T>) => (
  <Card
    title={title}
    actions={
      <>
        {actions}
        <SaveCsv title={table.caption} days={days} rows={readAll ?? table.rows} />
      </>
    }
  >
    <Table {...table} />
    {below}
  </Card>
);

type KeyFiguresProps = { title: string; days: Days; rows: readonly object[]; children: ReactNode };

/** Key figures that can be exported. */
export const KeyFigures = ({ title, days, rows, children }: KeyFiguresProps) => (
  <section className="stack">
    <div className="line between">
      <h2>{title}</h2>
      <SaveCsv title={title} days={days} rows={rows} />
    </div>
    {children}
  </section>
);

/** The change of a figure against the previous period, for its card. Nothing if there is nothing to compare with. */
export function changeOf(
  current: string | number,
  previous: string | number | undefined,
  goodIs: 'up' | 'down' = 'up',
) {
  // Floating-point numbers are exact enough for a percentage that is only shown.
  const [now, before] = [Number(current), Number(previous ?? 0)];
  if (before === 0) return {};
  const change = ((now - before) / Math.abs(before)) * 100;
  return { change: { text: percent(Math.abs(change)), isUp: change >= 0, goodIs } };
}

import type { ReactNode } from 'react';
import { Lines, type LinesProps, type Point } from '../../../kit/lines.tsx';
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

/** A chart: its title, the names of its lines with the fields of their values, and the unit. */
export type Chart<Name extends string> = {
  title: string;
  lines: Readonly<Record<string, Name>>;
  in: LinesProps['in'];
};

type CurvesProps<Name extends string> = {
  of: readonly Chart<Name>[];
  now: Series<NoInfer<Name>>;
  before: Series<NoInfer<Name>> | undefined;
  days: Days;
};
type Series<Name extends string> = Readonly<Record<Name, readonly Point[]>>;

/** Charts of a response, with the lines of the previous period. */
export const Curves = <Name extends string>({ of: charts, now, before, days }: CurvesProps<Name>) => (
  <div className="cards">
    {charts.map(({ title, lines, in: unit }) => (
      <Curve
        key={title}
        title={title}
        days={days}
        of={linesOf(lines, now)}
        before={before && linesOf(lines, before)}
        in={unit}
      />
    ))}
  </div>
);

const linesOf = <Name extends string>(lines: Chart<Name>['lines'], series: Series<Name>) =>
  Object.fromEntries(Object.entries(lines).map(([label, name]) => [label, series[name]]));

type TableCardProps<T> = Omit<TableProps<T>, 'caption'> & {
  title: string;
  /** Default: `title`. */
  caption?: string;
  days: Days;
  /** Reads the rows of the export, if the table shows only some of them. */
  readAll?: () => Promise<readonly T[]>;
  actions?: ReactNode;
  below?: ReactNode;
};

/** A card with a table that can be exported. */
export const TableCard = <T extends object>({
  title,
  caption = title,
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
        <SaveCsv title={caption} days={days} rows={readAll ?? table.rows} />
      </>
    }
  >
    <Table {...table} caption={caption} />
    {below}
  </Card>
);

import type { ReactNode } from 'react';
import { Usd } from '../../../kit/amount.tsx';
import { number, percent } from '../../../kit/intl.ts';
import { Kpi } from '../../../kit/measures.tsx';
import { changeOf, type Value } from './changes.ts';
import { daysBefore, shortDays } from './period.ts';
import { type Days, SaveCsv } from './save-csv.tsx';

/** A figure of a report. */
export type Figure = {
  label: string;
  show: (value: Value) => ReactNode;
  goodIs?: 'up' | 'down';
  /** True if the figure describes the present, so that it has no value of the previous period. */
  isOfNow?: boolean;
};

export const usd = (label: string, more?: Pick<Figure, 'goodIs' | 'isOfNow'>): Figure => ({
  label,
  show: (value) => <Usd of={value} />,
  ...more,
});
export const count = (label: string): Figure => ({ label, show: (value) => number(value ?? 0) });
/** A figure that the response contains in percent. */
export const percentage = (label: string): Figure => ({ label, show: (value) => percent(value ?? 0) });

type Values<Name extends string> = Readonly<Record<Name, Value>>;
type FiguresProps<Name extends string> = {
  of: Readonly<Record<Name, Figure>>;
  now: Values<NoInfer<Name>>;
  before: Values<NoInfer<Name>> | undefined;
};
type KeyFiguresProps<Name extends string> = FiguresProps<Name> & {
  title: string;
  days: Days;
  /** The addresses of the rows behind the figures. */
  to?: Readonly<Partial<Record<NoInfer<Name>, string | undefined>>>;
};

/** Key figures of a report, each with its previous value. They can be exported. */
export function KeyFigures<Name extends string>({ title, days, to, ...figures }: KeyFiguresProps<Name>) {
  return (
    <section className="stack">
      <div className="line between">
        <h2>{title}</h2>
        <SaveCsv title={title} days={days} rows={rowsOfFigures(figures)} />
      </div>
      <div className="kpis">
        {valuesOf(figures).map(({ name, label, show, goodIs, now, before }) => (
          <Kpi
            key={name}
            label={label}
            {...(before !== undefined && { below: <Before days={days} of={show(before)} /> })}
            {...changeOf(now, before, goodIs)}
            to={to?.[name]}
          >
            {show(now)}
          </Kpi>
        ))}
      </div>
    </section>
  );
}

/** The rows of an export: each figure now and before. */
export const rowsOfFigures = <Name extends string>(figures: FiguresProps<Name>) =>
  valuesOf(figures).map(({ label, now, before = null }) => ({ figure: label, now, before }));

const valuesOf = <Name extends string>({ of, now, before }: FiguresProps<Name>) =>
  (Object.keys(of) as Name[]).map((name) => ({
    ...of[name],
    name,
    now: now[name],
    before: of[name].isOfNow ? undefined : before?.[name],
  }));

/** A figure of the previous period. `days`: the days of the current one. */
const Before = ({ days, of: figure }: { days: Days; of: ReactNode }) => (
  <>
    before ({shortDays(daysBefore(days))}): {figure}
  </>
);

import './lines.css';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { Button } from './button.tsx';
import type { Line } from './chart.tsx';
import { day, moment, money, number, percent, short, shortDay, shortMoney, time } from './intl.ts';
import { Imported, lazily } from './load.tsx';
import { Loading } from './page.tsx';
import { type Columns, Table } from './table.tsx';

/** Loads the chart library only on pages that draw charts. */
const Chart = lazily(async () => (await import('./chart.tsx')).Chart);

export type Point = { at: string; value: number | string };

const wholeTick = (value: number) => (Number.isInteger(value) ? short(value) : '');
/** The kinds of values in a chart, each with its label, its exact format and the short one of the axis. */
const UNITS = {
  usd: { name: 'USD', exact: (value: string) => money(value), tick: shortMoney },
  count: { name: 'Number', exact: (value: string) => number(value), tick: wholeTick },
  ratio: { name: 'Ratio', exact: (value: string) => number(value), tick: short },
  percent: { name: '%', exact: (value: string) => percent(value), tick: (value: number) => percent(value) },
} as const;
export type Unit = keyof typeof UNITS;

export type LinesProps = {
  title: string;
  of: Readonly<Record<string, readonly Point[]>>;
  in: Unit;
  /** The lines of the previous period of the same length, with the same keys as `of`. */
  before?: LinesProps['of'] | undefined;
  actions?: ReactNode;
};

/**
 * A card with a chart of lines over the same timestamps, and the table behind it. The chart is redrawn only when a list of points
 * changes. Amounts become floating-point numbers here, but only to
 * draw them: the tooltip and the table contain the exact ones.
 */
export function Lines({ title, of: given, before: givenBefore, in: unit, actions }: LinesProps) {
  const [isTable, setTable] = useState(false);
  const of = useSame(given);
  const before = useSame(givenBefore ?? NO_LINES);
  const { name, exact, tick } = UNITS[unit];
  const { names, ticks, zone } = useMemo(() => namesOf(Object.values(of)[0] ?? []), [of]);
  const lines = useMemo(() => {
    const now = Object.entries(of).map(([label, points]) => lineOf(label, points, exact));
    // The periods can have a different number of weeks or months.
    const earlier = Object.entries(before).map(([label, points]) => {
      const place = (of[label] ?? []).map((_, at) => points[at]);
      return { ...lineOf(beforeOf(label, now.length), place, exact), isBefore: true };
    });
    return [...now, ...earlier];
  }, [of, before, exact]);
  return (
    <section className="card lines">
      <header>
        <div>
          <h2>{title}</h2>
          <p className="faint xs">
            {name} · {zone}
          </p>
          {lines.length > 1 && <Legend of={lines} />}
        </div>
        <div className="actions">
          {actions}
          <Button
            kind="ghost"
            size="sm"
            aria-label={`${isTable ? 'Show chart' : 'Show table'}: ${title}`}
            onClick={() => setTable(!isTable)}
          >
            {isTable ? 'Show chart' : 'Show table'}
          </Button>
        </div>
      </header>
      {isTable ? (
        <Values title={title} names={names} zone={zone} lines={lines} />
      ) : (
        <Imported fallback={<Loading />}>
          <Chart title={title} names={names} ticks={ticks} lines={lines} tick={tick} />
        </Imported>
      )}
    </section>
  );
}

const NO_LINES: LinesProps['of'] = {};

const PREVIOUS = 'Previous period';

/** The name of the line of the previous period. */
const beforeOf = (label: string, lines: number): string =>
  lines === 1 ? PREVIOUS : `${label}, previous period`;

const lineOf = (
  label: string,
  points: readonly (Point | undefined)[],
  exact: (value: string) => string,
): Line => ({
  label,
  values: points.map((point) => (point ? Number(point.value) : null)),
  texts: points.map((point) => (point ? exact(String(point.value)) : '–')),
});

/** Returns the previous object while its lists are the same, so callers need no useMemo. */
function useSame<T extends LinesProps['of']>(given: T): T {
  const last = useRef(given);
  const names = Object.keys(given);
  const isSame =
    names.join() === Object.keys(last.current).join() &&
    names.every((name) => given[name] === last.current[name]);
  if (!isSame) last.current = given;
  return last.current;
}

/** The lines of the previous period look the same, so they are one item. */
const Legend = ({ of: lines }: { of: readonly Line[] }) => (
  <ul className="legend">
    {lines.map(({ label, isBefore }, at) => !isBefore && <Swatch key={label} line={at} label={label} />)}
    {lines.some(({ isBefore }) => isBefore) && <Swatch line="before" label={PREVIOUS} />}
  </ul>
);

const Swatch = ({ line, label }: { line: number | 'before'; label: string }) => (
  <li>
    <svg className={`swatch line-${line}`} viewBox="0 0 18 2" aria-hidden="true">
      <path d="M0 1H18" />
    </svg>
    {label}
  </li>
);

function Values({
  title,
  names,
  zone,
  lines,
}: {
  title: string;
  names: readonly string[];
  zone: string;
  lines: readonly Line[];
}) {
  const columns: Columns<number> = [
    { head: `Time (${zone})`, of: (at) => names[at], isMain: true },
    ...lines.map(({ label, texts }) => ({
      head: label,
      of: (at: number) => <span className="amount">{texts[at]}</span>,
      end: true,
      isMain: true,
    })),
  ];
  return (
    <div className="chart-table">
      <Table rows={names.map((_, at) => at)} columns={columns} caption={title} />
    </div>
  );
}

const DAY_MS = 86_400_000;

/**
 * The names of points. Points of whole days are named by their date: reports of the platform count UTC days, others the reader's days. The
 * first step of a period may be shorter than the others.
 */
function namesOf(points: readonly Point[]): {
  names: readonly string[];
  ticks: readonly string[];
  zone: string;
} {
  const times = points.map(({ at }) => Date.parse(at));
  const isDaily = times.every(
    (at, i) => i === 0 || (i === 1 && times.length > 2) || at - times[i - 1]! > DAY_MS / 2,
  );
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = isDaily && times.every((at) => at % DAY_MS === 0) ? 'UTC' : own;
  if (!isDaily) {
    const isOneDay = times.at(-1)! - times[0]! < DAY_MS;
    return {
      names: times.map((at) => moment(at)),
      ticks: times.map((at) => (isOneDay ? time : moment)(at)),
      zone,
    };
  }
  return { names: times.map((at) => day(at, zone)), ticks: times.map((at) => shortDay(at, zone)), zone };
}

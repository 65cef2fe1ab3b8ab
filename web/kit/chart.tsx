import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from './theme.ts';

/** A line of a chart. `texts`: its values as the tooltip shows them. */
export type Line = {
  label: string;
  values: readonly (number | null)[];
  texts: readonly string[];
  /** The line shows the previous period. It is drawn fainter. */
  isBefore?: boolean;
};

type ChartProps = {
  title: string;
  /** The names of the points, in full and short for the axis. */
  names: readonly string[];
  ticks: readonly string[];
  lines: readonly Line[];
  /** Formats a value on the axis. */
  tick: (value: number) => string;
};

/** The theme's colours of Okabe and Ito, which colour-blind people can distinguish. Lines also differ in their dash patterns. */
const COLOURS = ['--c1', '--c2', '--c3', '--c4'];
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
const HEIGHT = 220;
/** The alpha channel of the area below the first line, about 10%. */
const AREA = '1a';
const TICK_WIDTH = 88;

type Hovered = { at: number; left: number; isLate: boolean };

/** Draws lines over time, with a tooltip at the cursor. The exact amounts are in the table next to the chart. */
export function Chart({ title, names, ticks, lines, tick }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<Hovered>();
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours depend on the theme
  useEffect(() => {
    const element = place.current!;
    const plot = new uPlot(
      { ...optionsOf({ ticks, lines, tick }, setHovered), width: element.clientWidth, height: HEIGHT },
      [ticks.map((_, at) => at), ...lines.map(({ values }) => [...values])],
      element,
    );
    const follow = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    follow.observe(element);
    return () => {
      follow.disconnect();
      plot.destroy();
    };
  }, [ticks, lines, tick, theme]);
  return (
    <figure className="chart">
      <div ref={place} role="img" aria-label={summaryOf(title, lines)} />
      {hovered && names[hovered.at] !== undefined && (
        <div
          className={hovered.isLate ? 'chart-tip before' : 'chart-tip'}
          style={{ left: hovered.left }}
          aria-hidden="true"
        >
          <b>{names[hovered.at]}</b>
          {lines.map(({ label, texts }) => (
            <span key={label}>
              <span className="dim">{label}</span>
              <b>{texts[hovered.at]}</b>
            </span>
          ))}
        </div>
      )}
    </figure>
  );
}

/** The points are at 0, 1, 2 …, so that the axis has the names of points and no time zone of its own. */
function optionsOf(
  { ticks, lines, tick }: Pick<ChartProps, 'ticks' | 'lines' | 'tick'>,
  onHover: (hovered: Hovered | undefined) => void,
): Omit<uPlot.Options, 'width' | 'height'> {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: colour('--dim'),
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
    ticks: { show: false },
  };
  return {
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { x: { time: false } },
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        splits: ({ width }) => {
          const step = Math.ceil(ticks.length / Math.max(1, Math.floor(width / TICK_WIDTH)));
          return ticks.flatMap((_, at) => (at % step === 0 ? [at] : []));
        },
        values: (_, splits) => splits.map((at) => ticks[at] ?? ''),
      },
      {
        ...axis,
        size: 64,
        space: 44,
        grid: { stroke: colour('--line'), width: 1 },
        values: (_, splits) => splits.map(tick),
      },
    ],
    series: [
      {},
      ...lines.map(({ isBefore }, at) => {
        if (isBefore)
          return { stroke: colour('--faint'), dash: [3, 3], width: 1, points: { show: ticks.length === 1 } };
        const stroke = colour(COLOURS[at % COLOURS.length]!);
        return {
          stroke,
          dash: DASHES[at % DASHES.length]!,
          width: 2,
          points: { show: ticks.length === 1 },
          ...(at === 0 && { fill: `${stroke}${AREA}` }),
        };
      }),
    ],
    hooks: { setCursor: [(plot) => onHover(hoveredIn(plot))] },
  };
}

function hoveredIn({ cursor: { idx, left = -1 }, bbox, width }: uPlot): Hovered | undefined {
  if (idx === null || idx === undefined || left < 0) return undefined;
  const shown = left + bbox.left / devicePixelRatio;
  return { at: idx, left: shown, isLate: shown > width / 2 };
}

function summaryOf(title: string, lines: readonly Line[]): string {
  const ends = lines.map(({ label, texts }) => `${label}: ${texts.at(-1) ?? 'nothing'} at the end`);
  return `${title}. ${ends.join('; ')}`;
}

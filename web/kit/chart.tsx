import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

type Series = { label: string; values: readonly (number | null)[] };

/** The theme's colours of Okabe and Ito, which colour-blind people can distinguish. Lines also differ in their dash patterns. */
const COLOURS = ['--c1', '--c2', '--c3', '--c4'];
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
const HEIGHT = 220;

/**
 * Draws lines over time. `at`: timestamps in ISO 8601. Amounts become floating-point numbers here, but only to draw them. The exact amounts
 * are in the table next to the chart.
 */
export function Chart({
  title,
  at,
  series,
}: {
  title: string;
  at: readonly string[];
  series: readonly Series[];
}) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current!;
    const style = getComputedStyle(document.documentElement);
    const axis = {
      stroke: style.getPropertyValue('--dim'),
      grid: { stroke: style.getPropertyValue('--line') },
    };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: true, live: true },
        axes: [axis, { ...axis, size: 64 }],
        series: [
          {},
          ...series.map(({ label }, i) => ({
            label,
            stroke: style.getPropertyValue(COLOURS[i % COLOURS.length]!),
            dash: DASHES[i % DASHES.length]!,
            width: 2,
          })),
        ],
      },
      [at.map((moment) => Date.parse(moment) / 1000), ...series.map(({ values }) => [...values])],
      element,
    );
    const follow = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    follow.observe(element);
    return () => {
      follow.disconnect();
      plot.destroy();
    };
  }, [at, series]);
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <div ref={place} role="img" aria-label={summaryOf(title, series)} />
    </figure>
  );
}

function summaryOf(title: string, series: readonly Series[]): string {
  const ends = series.map(({ label, values }) => {
    const last = values.findLast((value) => value !== null);
    return `${label}: ${last ?? 'nothing'} at the end`;
  });
  return `${title}. ${ends.join('; ')}`;
}

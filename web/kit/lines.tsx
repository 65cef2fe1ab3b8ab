import { Suspense, useMemo } from 'react';
import { lazily } from './load.tsx';
import { Card, Loading } from './page.tsx';

/** Loads the chart library only on pages that draw charts. */
const Chart = lazily(async () => (await import('./chart.tsx')).Chart);

type Point = { at: string; value: number | string };

/** A card with a chart of lines over the same timestamps. Amounts become floating-point numbers here, but only to draw them. */
export function Lines({ title, of }: { title: string; of: Readonly<Record<string, readonly Point[]>> }) {
  const at = useMemo(() => Object.values(of)[0]?.map((point) => point.at) ?? [], [of]);
  const series = useMemo(
    () =>
      Object.entries(of).map(([label, points]) => ({
        label,
        values: points.map(({ value }) => Number(value)),
      })),
    [of],
  );
  return (
    <Card>
      <Suspense fallback={<Loading />}>
        <Chart title={title} at={at} series={series} />
      </Suspense>
    </Card>
  );
}

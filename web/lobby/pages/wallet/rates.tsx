import { useState } from 'react';
import type { ExchangeRate } from '../../../../client/call.ts';
import { Amount, When } from '../../../kit/amount.tsx';
import { Empty, Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { words } from '../../words.ts';

/** Exchange rates, and the chart of one currency. */
export function Rates({ of }: { of: readonly ExchangeRate[] }) {
  const { rates } = words.money;
  const [shown, show] = useState<string>();
  const columns: Columns<ExchangeRate> = [
    { head: words.frame.currency, of: ({ currencyId }) => currencyId },
    { head: rates.rate, of: ({ usdRate }) => <Amount of={usdRate} in="USD" />, end: true },
    {
      head: rates.at,
      of: ({ updatedAt, stale }) => (
        <>
          <When at={updatedAt} /> {stale && `● ${rates.stale}`}
        </>
      ),
    },
    {
      head: rates.course,
      of: ({ currencyId }) => (
        <button
          type="button"
          className="quiet"
          aria-pressed={shown === currencyId}
          aria-label={`${rates.course} ${currencyId}`}
          onClick={() => show(shown === currencyId ? undefined : currencyId)}
        >
          {rates.course}
        </button>
      ),
    },
  ];
  return (
    <div className="stack">
      <Table rows={of} columns={columns} caption={rates.title} keyOf={({ currencyId }) => currencyId} />
      {shown && <Course key={shown} currencyId={shown} />}
    </div>
  );
}

const WIDTH = 600;
const HEIGHT = 120;

type Point = { at: string; usdRate: string };

function Course({ currencyId }: { currencyId: string }) {
  const { rates } = words.money;
  const detail = useRead('GET /exchange-rates/{currencyId}', { path: { currencyId } });
  return (
    <Loaded of={detail}>
      {({ points }) =>
        points.length < 2 ? (
          <Empty>{rates.noCourse}</Empty>
        ) : (
          <figure className="course">
            <figcaption>{rates.of(currencyId, points[0]!.usdRate, points.at(-1)!.usdRate)}</figcaption>
            <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
              <polyline points={lineOf(points)} fill="none" stroke="currentColor" strokeWidth="2" />
            </svg>
          </figure>
        )
      }
    </Loaded>
  );
}

/** Rates become floating-point numbers here, but only to draw them. */
function lineOf(points: readonly Point[]): string {
  const values = points.map(({ usdRate }) => Number(usdRate));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const y = (value: number) => (high === low ? 0.5 : (value - low) / (high - low)) * (HEIGHT - 8) + 4;
  return values
    .map((value, i) => `${((i / (values.length - 1)) * WIDTH).toFixed(1)},${(HEIGHT - y(value)).toFixed(1)}`)
    .join(' ');
}

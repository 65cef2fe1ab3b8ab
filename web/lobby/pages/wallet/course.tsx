import { money } from '../../../kit/intl.ts';
import { useRead } from '../../../kit/query.ts';
import { words } from '../../words.ts';

const WIDTH = 600;
const HEIGHT = 64;

type Point = { at: string; usdRate: string };

/** The price of a currency in the past days, where there is one. A price that does not move needs no chart. */
export function Course({ currencyId }: { currencyId: string }) {
  const { data } = useRead('GET /exchange-rates/{currencyId}', { path: { currencyId } }, { staleMs: 60_000 });
  const points = data?.points ?? [];
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || new Set(points.map(({ usdRate }) => usdRate)).size < 2) return null;
  return (
    <figure className="course">
      <figcaption>
        {words.money.overview.chart(currencyId, money(first.usdRate), money(last.usdRate))}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <polyline points={lineOf(points)} />
      </svg>
    </figure>
  );
}

/** Rates become floating-point numbers here, but only to draw them. */
function lineOf(points: readonly Point[]): string {
  const values = points.map(({ usdRate }) => Number(usdRate));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const y = (value: number) => ((value - low) / (high - low)) * (HEIGHT - 8) + 4;
  return values
    .map(
      (value, at) => `${((at / (values.length - 1)) * WIDTH).toFixed(1)},${(HEIGHT - y(value)).toFixed(1)}`,
    )
    .join(' ');
}

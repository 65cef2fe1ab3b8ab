import { money } from '../../../kit/intl.ts';
import { useRead } from '../../../kit/query.ts';
import { Spark } from '../../../kit/spark.tsx';
import { words } from '../../words.ts';

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
      {/* Rates become floating-point numbers here, but only to draw them. */}
      <Spark of={points.map(({ usdRate }) => Number(usdRate))} />
    </figure>
  );
}

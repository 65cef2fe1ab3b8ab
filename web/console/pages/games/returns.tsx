import './returns.css';
import { useState } from 'react';
import { Usd, When } from '../../../kit/amount.tsx';
import { Select } from '../../../kit/form/select.tsx';
import { number, percent } from '../../../kit/intl.ts';
import { Kpi } from '../../../kit/measures.tsx';
import { Card, Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';

const RTP = 'GET /admin/casino/games/{slug}/rtp';
const DAYS = {
  '1': 'the last day',
  '7': 'the last 7 days',
  '30': 'the last 30 days',
  '365': 'the last year',
};

const share = (value: number | null) => (value === null ? '–' : percent(value));

const range = (low: number | null, high: number | null) =>
  low === null || high === null ? '–' : `${percent(low)} to ${percent(high)}`;

/** A game's actual RTP and its theoretical RTP. They are reloaded when the server sends an alert. */
export function Returns({ slug }: { slug: string }) {
  const [days, setDays] = useState('30');
  const [now] = useState(() => Date.now());
  const query = { startDate: new Date(now - Number(days) * 86_400_000).toISOString() };
  const report = useRead(RTP, { path: { slug }, query });
  return (
    <Card title="Actual RTP">
      <div className="stack">
        <div className="fields">
          <Select
            name="days"
            label="Period"
            of={Object.entries(DAYS).map(([value, label]) => ({ value, label }))}
            value={days}
            onChange={setDays}
          />
        </div>
        <Loaded of={report}>
          {(r) => (
            <div className="stack">
              <div className="kpis">
                <Kpi label="Actual RTP" below={`Configured: ${share(r.configuredRtp)}`}>
                  {share(r.actualRtp)}
                </Kpi>
                <Kpi
                  label="95% range"
                  below={r.withinBand === null ? 'not known' : r.withinBand ? '✓ it is' : '✕ it is outside'}
                >
                  {range(r.bandLow, r.bandHigh)}
                </Kpi>
                <Kpi label="Bets">{number(r.rounds)}</Kpi>
                <Kpi
                  label="Turnover"
                  below={
                    <>
                      paid out <Usd of={r.payoutUsd} />
                    </>
                  }
                >
                  <Usd of={r.turnoverUsd} />
                </Kpi>
              </div>
              <Band low={r.bandLow} high={r.bandHigh} actual={r.actualRtp} />
              <p className="dim">
                From <When at={r.startDate} /> to <When at={r.endDate} />
              </p>
            </div>
          )}
        </Loaded>
      </div>
    </Card>
  );
}

type BandProps = { low: number | null; high: number | null; actual: number | null };

/** Draws the actual RTP and the range in which it is expected. The figures are above the chart. */
function Band({ low, high, actual }: BandProps) {
  if (low === null || high === null || actual === null) return null;
  const [from, to] = [Math.min(low, actual) - 2, Math.max(high, actual) + 2];
  const at = (value: number) => ((value - from) / (to - from)) * 100;
  const isIn = actual >= low && actual <= high;
  return (
    <svg className="band" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect className="whole" x="0" y="3" width="100" height="2" />
      <rect className="within" x={at(low)} y="2" width={at(high) - at(low)} height="4" />
      <rect className={isIn ? 'good' : 'bad'} x={at(actual) - 0.4} y="0" width="0.8" height="8" />
    </svg>
  );
}

import './protection.css';
import { use } from 'react';
import { Usd } from '../../../kit/amount.tsx';
import { Segmented } from '../../../kit/form/toggle.tsx';
import { duration, money } from '../../../kit/intl.ts';
import { Card, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { say } from '../../../kit/toast.tsx';
import { chooseRealityCheck, EVERY, useRealityCheckMinutes } from '../../reality-check.tsx';
import { SatContext } from '../../sat.ts';
import { netOf } from '../../sitting.ts';
import { words } from '../../words.ts';
import { Exclusion, Running } from './exclusion.tsx';
import { Limits } from './limits.tsx';
import { Talk } from './talk.tsx';

/** Responsible gambling: the player's time and result, limits, reality checks and exclusions. */
export function Protection() {
  const { protection } = words;
  return (
    <div className="safer">
      <Page title={protection.title} about={protection.hint}>
        <div className="stack">
          <Running />
          <Now />
          <div className="columns">
            <div className="stack">
              <Limits />
              <Reality />
            </div>
            <div className="stack">
              <Exclusion />
              <Talk />
            </div>
          </div>
        </div>
      </Page>
    </div>
  );
}

/** Time and result: of this session, and since the account was opened. */
function Now() {
  const { now } = words.protection;
  const sat = use(SatContext);
  const { data } = useRead('GET /user/me/stats', {}, { staleMs: 60_000 });
  const unknown = <span className="dim">–</span>;
  return (
    <section className="card now" aria-label={now.title}>
      <div>
        <b>{sat ? duration(Math.max(60_000, Date.now() - sat.since)) : unknown}</b>
        <span>{now.time}</span>
      </div>
      <div>
        <b>{sat ? netOf(sat.net) : unknown}</b>
        <span>{now.net}</span>
      </div>
      <div>
        <b>{data ? <Usd of={data.wageredUsd} /> : unknown}</b>
        <span>{now.wagered}</span>
      </div>
      <div>
        <b>{data ? money(data.profitUsd, 'USD', true) : unknown}</b>
        <span>{now.all}</span>
      </div>
    </section>
  );
}

/** The interval of the reality check. */
function Reality() {
  const { reality } = words.protection;
  const chosen = useRealityCheckMinutes();
  const of = Object.fromEntries(EVERY.map((minutes) => [minutes, words.protect.minutes(String(minutes))]));
  return (
    <Card title={reality.title}>
      <div className="stack">
        <p className="dim">{reality.hint}</p>
        <Segmented
          label={reality.every}
          of={of}
          value={String(chosen)}
          onChange={(minutes) => {
            chooseRealityCheck(Number(minutes));
            say(reality.saved(Number(minutes)));
          }}
        />
        <p className="xs faint">{reality.here}</p>
      </div>
    </Card>
  );
}

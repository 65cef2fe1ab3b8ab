import { Link } from 'wouter';
import { Card, Page } from '../../../kit/page.tsx';
import { say } from '../../../kit/toast.tsx';
import { chooseRealityCheck, EVERY, useRealityCheckMinutes } from '../../reality-check.tsx';
import { words } from '../../words.ts';
import { Exclusion } from './exclusion.tsx';
import { Limits } from './limits.tsx';

/** Responsible gambling: limits, reality checks and exclusions. */
export function Protection() {
  const { protection } = words;
  return (
    <Page title={protection.title}>
      <div className="stack">
        <p>
          {protection.hint} <Link href="/help">{protection.help.title}</Link>
        </p>
        <Limits />
        <Reality />
        <Exclusion />
      </div>
    </Page>
  );
}

/** The interval of the reality check. */
function Reality() {
  const { reality } = words.protection;
  const chosen = useRealityCheckMinutes();
  return (
    <Card title={reality.title}>
      <p>{reality.hint}</p>
      <fieldset>
        <legend>{reality.every}</legend>
        <div className="checks">
          {EVERY.map((minutes) => (
            <label key={minutes} className="check">
              <input
                type="radio"
                name="reality"
                checked={chosen === minutes}
                onChange={() => {
                  chooseRealityCheck(minutes);
                  say(reality.saved(minutes));
                }}
              />
              {words.protect.minutes(String(minutes))}
            </label>
          ))}
        </div>
      </fieldset>
      <p className="dim">{reality.here}</p>
    </Card>
  );
}

import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Check } from '../../../kit/form/choice.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { moment } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Card } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { Rich } from '../../../kit/rich.tsx';
import { beginExclusion } from '../../exclusion.ts';
import { words } from '../../words.ts';
import { Options } from './options.tsx';

const EXCLUSION = 'GET /user-limits/self-exclusion';
/** Durations of cooling-off in days. Self-exclusions last 180 days or longer, and play resumes one day after their end. */
const PAUSES = [1, 7, 30] as const;
const EXCLUSIONS = [183, 365, 730, 1826] as const;
type Days = (typeof PAUSES)[number] | (typeof EXCLUSIONS)[number];

/** Blocks play for a time. The player selects the duration, reads the consequences, and confirms. */
export function Exclusion() {
  const { exclusion } = words.protection;
  const [days, choose] = useState<Days>();
  return (
    <div id="exclusion" className="stack">
      <Card title={exclusion.pause}>
        <div className="stack">
          <p className="sm dim">{exclusion.pauseHint}</p>
          <div className="pauses">
            {PAUSES.map((pause) => (
              <Button key={pause} kind="line" onClick={() => choose(pause)}>
                {exclusion.days[pause]}
              </Button>
            ))}
          </div>
        </div>
      </Card>
      <Card title={exclusion.exclude}>
        <div className="stack">
          <p className="sm dim">{exclusion.excludeHint}</p>
          <Button kind="danger" isWide onClick={() => choose(EXCLUSIONS[0])}>
            {exclusion.open}
          </Button>
        </div>
      </Card>
      {days !== undefined && <Confirm first={days} onClose={() => choose(undefined)} />}
    </div>
  );
}

/** The exclusion that is in force. */
export function Running() {
  const { exclusion } = words.protection;
  const { data } = useRead(EXCLUSION, {});
  if (!data?.isActive) return null;
  const { createdAt, expiresAt, reason } = data;
  const since = createdAt ? moment(createdAt) : '';
  return (
    <Card title={exclusion.running}>
      <div className="stack tight">
        <p>
          {expiresAt ? (
            <Rich
              of={exclusion.until(since, moment(expiresAt))}
              parts={{ strong: (text) => <strong>{text}</strong> }}
            />
          ) : (
            exclusion.forGood(since)
          )}
        </p>
        {reason && <p className="dim">{reason}</p>}
        <Note>{exclusion.longer}</Note>
      </div>
    </Card>
  );
}

function Confirm({ first, onClose }: { first: Days; onClose: () => void }) {
  const { exclusion } = words.protection;
  const [days, setDays] = useState(first);
  const isLong = EXCLUSIONS.some((long) => long === days);
  const exclude = useAct('POST /user-limits/self-exclusion', {
    stale: [EXCLUSION, 'GET /user/me', 'GET /promo/my'],
    said: exclusion.began,
    onDone: ({ expiresAt }) => beginExclusion(expiresAt),
  });
  return (
    <Dialog title={isLong ? exclusion.exclude : exclusion.title} onClose={onClose}>
      <Form
        act={exclude}
        input={(f) => {
          const reason = f.optional('reason');
          return { body: { durationDays: days, ...(reason ? { reason } : {}) } };
        }}
        submit={exclusion.submit(exclusion.days[days])}
        kind="danger"
        onDone={onClose}
      >
        <Options
          label={exclusion.howLong}
          of={(isLong ? EXCLUSIONS : PAUSES).map((one) => ({
            value: String(one),
            text: exclusion.days[one],
          }))}
          value={String(days)}
          onChange={(one) => setDays(Number(one) as Days)}
        />
        <div>
          <p>{exclusion.means}</p>
          <ul className="consequences">
            {[...exclusion.consequences, isLong ? exclusion.afterLong : exclusion.afterShort].map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
        <Field name="reason" label={exclusion.reason} maxLength={500} />
        <Check name="understood" label={exclusion.understood} required />
      </Form>
    </Dialog>
  );
}

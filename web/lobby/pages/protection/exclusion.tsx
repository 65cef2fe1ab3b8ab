import { useState } from 'react';
import type { SelfExcludeDto } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Check, Field, Form } from '../../../kit/form.tsx';
import { Card, Loaded } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { beginExclusion } from '../../exclusion.ts';
import { words } from '../../words.ts';

const EXCLUSION = 'GET /user-limits/self-exclusion';
/** Durations of cooling-off in days. Self-exclusions last 180 days or longer, and play resumes one day after their end. */
const PAUSES = [1, 7, 30] as const;
const EXCLUSIONS = [183, 365, 730, 1826] as const;
type Days = (typeof PAUSES)[number] | (typeof EXCLUSIONS)[number];

/** Blocks play for a time. The player first selects the duration, then reads the consequences and confirms. */
export function Exclusion() {
  const { exclusion } = words.protection;
  const own = useRead(EXCLUSION, {});
  const [days, choose] = useState<Days>();
  return (
    <div id="exclusion" className="stack">
      <Loaded of={own}>{(found) => (found.isActive ? <Running of={found} /> : null)}</Loaded>
      <div className="cards">
        <Card title={exclusion.pause}>
          <p>{exclusion.pauseHint}</p>
          <Choices of={PAUSES} onChoose={choose} />
        </Card>
        <Card title={exclusion.exclude}>
          <p>{exclusion.excludeHint}</p>
          <Choices of={EXCLUSIONS} onChoose={choose} />
        </Card>
      </div>
      {days !== undefined && <Confirm days={days} onClose={() => choose(undefined)} />}
    </div>
  );
}

function Running({ of: { expiresAt, createdAt, reason } }: { of: SelfExcludeDto }) {
  const { exclusion } = words.protection;
  return (
    <Card title={exclusion.running}>
      <p>
        {exclusion.since} <When at={createdAt} />, {exclusion.until}{' '}
        <strong>
          <When at={expiresAt} />
        </strong>
      </p>
      {reason && <p className="dim">{reason}</p>}
      <p>{exclusion.longer}</p>
    </Card>
  );
}

function Choices({ of, onChoose }: { of: readonly Days[]; onChoose: (days: Days) => void }) {
  return (
    <div className="actions">
      {of.map((days) => (
        <button key={days} type="button" onClick={() => onChoose(days)}>
          {words.protection.exclusion.days[days]}
        </button>
      ))}
    </div>
  );
}

function Confirm({ days, onClose }: { days: Days; onClose: () => void }) {
  const { exclusion } = words.protection;
  const isLong = EXCLUSIONS.some((long) => long === days);
  const exclude = useAct('POST /user-limits/self-exclusion', {
    stale: [EXCLUSION, 'GET /user/me', 'GET /promo/my'],
    said: exclusion.began,
    onDone: ({ expiresAt }) => beginExclusion(expiresAt),
  });
  const consequences = [...exclusion.consequences, isLong ? exclusion.afterLong : exclusion.afterShort];
  return (
    <Dialog title={exclusion.title(exclusion.days[days])} onClose={onClose}>
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
        <p>{exclusion.means}</p>
        <ul>
          {consequences.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
        <Field name="reason" label={exclusion.reason} maxLength={500} />
        <Check name="understood" label={exclusion.understood} required />
      </Form>
    </Dialog>
  );
}

import { useState } from 'react';
import { Link } from 'wouter';
import type { Op, TimelineEntry } from '../../../../client/call.ts';
import { Button } from '../../../kit/button.tsx';
import { useFilters } from '../../../kit/filters.ts';
import { Chip } from '../../../kit/form/toggle.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { date, exactly, relativeDay, time } from '../../../kit/intl.ts';
import { Card, Empty, Loaded, Status } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { May, missingRight, useMe } from '../../../kit/session.tsx';
import { kit } from '../../../kit/words.ts';
import { BalanceFacts } from '../../balance-facts.tsx';
import { UserLink } from '../../user-link.tsx';
import { Gate } from './gate.tsx';
import { TIMELINE, useRow } from './shared.ts';
import { viewOf } from './timeline-entries.tsx';

type Kind = TimelineEntry['kind'];

/** An operation with the same permission as each kind of entry. */
const NEEDS: Readonly<Record<Kind, Op>> = {
  'sign-up': 'GET /admin/user/{id}',
  'sign-in': 'GET /admin/user/{id}',
  deposit: 'GET /admin/payments/deposit',
  withdrawal: 'GET /admin/payments/withdraw',
  bets: 'POST /admin/bets',
  limit: 'GET /admin/user-limits/gambling-limits/{id}',
  exclusion: 'GET /admin/user-limits/user-exclusion/{id}',
  note: 'GET /admin/user-notes',
  verification: 'GET /admin/kyc',
  bonus: 'GET /admin/promo/grants',
  staff: 'GET /admin/user/admin-audit',
};

const GROUPS: readonly { name: string; label: string; kinds: readonly Kind[] }[] = [
  { name: 'money', label: 'Money', kinds: ['deposit', 'withdrawal', 'bonus'] },
  { name: 'play', label: 'Play', kinds: ['bets'] },
  { name: 'security', label: 'Security', kinds: ['sign-up', 'sign-in', 'verification'] },
  { name: 'protection', label: 'Safer play', kinds: ['limit', 'exclusion'] },
  { name: 'staff', label: 'Staff', kinds: ['note', 'staff'] },
];

/** The groups of entries that this account may see. */
function useGroups() {
  const me = useMe();
  return GROUPS.map((group) => ({
    ...group,
    kinds: group.kinds.filter((kind) => missingRight(me, NEEDS[kind]) === undefined),
  })).filter(({ kinds }) => kinds.length > 0);
}

/** Everything that happened to a user, next to what matters now. */
export function UserTimeline({ id }: { id: number }) {
  const { text, change } = useFilters({});
  const groups = useGroups();
  const shown = groups.find(({ name }) => name === text('show'));
  return (
    <div className="with-side">
      <section className="card" aria-label="Timeline">
        <div className="line wrap">
          <Chip kind={shown ? undefined : 'set'} onClick={() => change({ show: '' })}>
            Everything
          </Chip>
          {groups.map(({ name, label }) => (
            <Chip
              key={name}
              kind={shown?.name === name ? 'set' : undefined}
              onClick={() => change({ show: name })}
            >
              {label}
            </Chip>
          ))}
        </div>
        <Entries key={shown?.name} id={id} kinds={shown?.kinds} />
      </section>
      <div className="stack">
        <Gate id={id} />
        <Balances id={id} />
      </div>
    </div>
  );
}

type EntriesProps = {
  id: number;
  /** Undefined for all. */
  kinds: readonly Kind[] | undefined;
  /** The end of the previous page: its cursor and the day of its last entry. */
  after?: { cursor: string; day: string };
};

const dayOf = ({ at }: TimelineEntry): string => new Date(at).toDateString();

/** A page of entries, which renders the next one below itself. */
function Entries({ id, kinds, after }: EntriesProps) {
  const query = { kinds: kinds && [...kinds], before: after?.cursor, take: 30 };
  const page = useRead(TIMELINE, { path: { id }, query });
  const [hasMore, setMore] = useState(false);
  return (
    <Loaded of={page}>
      {({ entries, next }) => {
        const last = entries.at(-1);
        return (
          <>
            {!last && !after && <Empty art="no-results" title="Nothing has happened yet" />}
            <ol className="timeline">
              {entries.map((entry, at) => {
                const before = at > 0 ? dayOf(entries[at - 1]!) : after?.day;
                return (
                  <Entry key={`${entry.kind} ${entry.id}`} of={entry} hasDay={dayOf(entry) !== before} />
                );
              })}
            </ol>
            {next !== null && !hasMore && <Button onClick={() => setMore(true)}>Show older</Button>}
            {next !== null && hasMore && last && (
              <Entries id={id} kinds={kinds} after={{ cursor: next, day: dayOf(last) }} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function Entry({ of: entry, hasDay }: { of: TimelineEntry; hasDay: boolean }) {
  const { icon, tone, title, text, state, to } = viewOf(entry);
  return (
    <li>
      {hasDay && <h3 className="day faint">{relativeDay(entry.at) ?? date(entry.at)}</h3>}
      <span className={`mark ${tone ?? ''}`}>
        <Icon name={icon} size={16} />
      </span>
      <div>
        <p className="line wrap">
          <strong>{to === undefined ? title : <Link href={to}>{title}</Link>}</strong>
          {state && <Status of={state} />}
        </p>
        {(text || entry.by) && (
          <p className="dim xs">
            {text}
            {text && entry.by && ' · '}
            {entry.by && (
              <>
                by <UserLink of={entry.by} />
              </>
            )}
          </p>
        )}
      </div>
      <time className="faint xs" dateTime={entry.at} title={exactly(entry.at)} lang={kit.locale}>
        {time(entry.at)}
      </time>
    </li>
  );
}

function Balances({ id }: { id: number }) {
  const balances = useRow(id).data?.balances;
  if (!balances) return null;
  return (
    <Card
      title="Balances"
      actions={
        <May op="GET /admin/accounting/balances">
          <Link href={`/users/${id}/money`}>Money</Link>
        </May>
      }
    >
      <BalanceFacts of={balances} />
    </Card>
  );
}

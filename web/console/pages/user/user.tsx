import type { Op } from '../../../../client/call.ts';
import { Imported, lazily } from '../../../kit/load.tsx';
import { Loading, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { missingRight, useMe } from '../../../kit/session.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { UserHead } from './head.tsx';
import { CONNECTIONS, TIMELINE, USER } from './shared.ts';
import { UserTimeline } from './timeline.tsx';

/** Tabs of a user's page after the first one, by the last part of their URL. Each tab is loaded on first visit. */
const PARTS = {
  money: lazily(async () => (await import('./money.tsx')).UserMoney),
  growth: lazily(async () => (await import('./growth.tsx')).UserGrowth),
  protection: lazily(async () => (await import('./protection.tsx')).UserProtection),
  connections: lazily(async () => (await import('./connections.tsx')).UserConnections),
  notes: lazily(async () => (await import('./notes.tsx')).UserNotes),
  account: lazily(async () => (await import('./account.tsx')).UserAccount),
} as const;

/** The tabs, and the operations whose permissions they need. */
const TABS: readonly { name: string; part?: keyof typeof PARTS; of: Op }[] = [
  { name: 'Timeline', of: TIMELINE },
  { name: 'Money', part: 'money', of: 'GET /admin/accounting/balances' },
  { name: 'Rewards', part: 'growth', of: USER },
  { name: 'Safer play', part: 'protection', of: 'GET /admin/user-limits/gambling-limits/{id}' },
  { name: 'Connected accounts', part: 'connections', of: CONNECTIONS },
  { name: 'Notes', part: 'notes', of: 'GET /admin/user-notes' },
  { name: 'Account', part: 'account', of: USER },
];

function useTabs(id: number) {
  const me = useMe();
  const shown = TABS.filter(({ of }) => missingRight(me, of) === undefined);
  return Object.fromEntries(
    shown.map(({ name, part }) => [name, part ? `/users/${id}/${part}` : `/users/${id}`]),
  );
}

export function UserPage({ params }: { params: { id?: string; part?: string } }) {
  const id = Number(params.id);
  const one = useRead(USER, { path: { id } });
  const tabs = useTabs(id);
  const Part = PARTS[params.part as keyof typeof PARTS] ?? UserTimeline;
  return (
    <Page title={one.data?.username ?? 'User'} isTitleHidden of={one}>
      {(user) => (
        <>
          <UserHead of={user} />
          <Tabs label="Parts of the user" of={tabs} />
          <Imported fallback={<Loading />}>
            <Part id={id} />
          </Imported>
        </>
      )}
    </Page>
  );
}

import { Suspense } from 'react';
import { lazily } from '../../../kit/load.tsx';
import { Loading, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { Tabs } from '../../../kit/tabs.tsx';
import { UserHead } from './head.tsx';
import { USER } from './shared.ts';
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

export function UserPage({ params }: { params: { id?: string; part?: string } }) {
  const id = Number(params.id);
  const one = useRead(USER, { path: { id } });
  const at = `/users/${id}`;
  const Part = PARTS[params.part as keyof typeof PARTS] ?? UserTimeline;
  return (
    <Page title={one.data?.username ?? 'User'} isTitleHidden of={one}>
      {(user) => (
        <>
          <UserHead of={user} />
          <Tabs
            label="Parts of the user"
            of={{
              Timeline: at,
              Money: `${at}/money`,
              Rewards: `${at}/growth`,
              'Safer play': `${at}/protection`,
              'Connected accounts': `${at}/connections`,
              Notes: `${at}/notes`,
              Account: `${at}/account`,
            }}
          />
          <Suspense fallback={<Loading />}>
            <Part id={id} />
          </Suspense>
        </>
      )}
    </Page>
  );
}

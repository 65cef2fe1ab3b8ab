import { Suspense } from 'react';
import { When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Check } from '../../../kit/form/choice.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { lazily } from '../../../kit/load.tsx';
import { Card, Facts, Loaded, Loading, Page, YesNo } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { Access } from './access.tsx';

const ONE = 'GET /admin/user/{id}';
const LIST = 'POST /admin/user/all';

/** Tabs of a user's page, by the last part of their URL. Each tab is loaded on first visit. */
const PARTS = {
  money: lazily(async () => (await import('./money.tsx')).UserMoney),
  growth: lazily(async () => (await import('./growth.tsx')).UserGrowth),
  protection: lazily(async () => (await import('./protection.tsx')).UserProtection),
  notes: lazily(async () => (await import('./notes.tsx')).UserNotes),
} as const;

export function UserPage({ params }: { params: { id?: string; part?: string } }) {
  const id = Number(params.id);
  const one = useRead(ONE, { path: { id } });
  const at = `/users/${id}`;
  const Part = PARTS[params.part as keyof typeof PARTS] ?? Profile;
  return (
    <Page title={one.data?.username ?? 'User'} of={one}>
      {() => (
        <>
          <Tabs
            label="Parts of the user"
            of={{
              Profile: at,
              Money: `${at}/money`,
              Growth: `${at}/growth`,
              Protection: `${at}/protection`,
              Notes: `${at}/notes`,
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

function Profile({ id }: { id: number }) {
  const one = useRead(ONE, { path: { id } });
  return (
    <Loaded of={one}>
      {(user) => (
        <div className="stack">
          <Card title="Account">
            <Facts
              of={{
                ID: user.id,
                Email: user.email,
                Verified: <YesNo of={user.emailVerified} />,
                VIP: user.vipLevel,
                Staff: <YesNo of={user.isStaff} />,
                Streamer: <YesNo of={user.isStreamer} />,
                Private: <YesNo of={user.isPrivate} />,
                'Signed up': <When at={user.createdAt} />,
                'Last sign-in': <When at={user.lastLoginAt} />,
                Permissions: user.permissions.join(', '),
              }}
            />
          </Card>
          <Registration id={id} />
          <div className="cards">
            <Change
              id={id}
              isPrivate={user.isPrivate}
              isStreamer={user.isStreamer}
              username={user.username}
            />
            <Ban id={id} />
            <Access id={id} />
          </div>
        </div>
      )}
    </Loaded>
  );
}

function Registration({ id }: { id: number }) {
  const info = useRead('GET /admin/registration-info/{userId}', { path: { userId: id } });
  return (
    <May op="GET /admin/registration-info/{userId}">
      <Card title="Sign-up details">
        <Loaded of={info}>
          {(found) => (
            <Facts
              of={{
                'IP address': found.ipAddress,
                Country: found.countryCode,
                Language: found.language,
                Browser: found.browser,
                System: found.os,
                Referrer: found.referrer,
              }}
            />
          )}
        </Loaded>
      </Card>
    </May>
  );
}

type ChangeProps = { id: number; username: string; isPrivate: boolean; isStreamer: boolean };

function Change({ id, username, isPrivate, isStreamer }: ChangeProps) {
  const change = useAct('PATCH /admin/user/{id}', { stale: [ONE, LIST], said: 'User saved' });
  const avatar = useAct('PATCH /admin/user/{id}/avatar/reset', { said: 'Picture removed' });
  return (
    <May op={change.op}>
      <Card
        title="Edit user"
        actions={
          <ActButton
            act={avatar}
            input={{ path: { id } }}
            kind="ghost"
            confirm="Remove the picture of this user?"
          >
            Remove picture
          </ActButton>
        }
      >
        <Form
          act={change}
          input={(f) => ({
            path: { id },
            body: {
              username: f.text('username') === username ? undefined : f.text('username'),
              isPrivate: f.flag('isPrivate'),
              isStreamer: f.flag('isStreamer'),
              canUseChat: f.flag('mayNotChat') ? false : undefined,
            },
          })}
        >
          <Field name="username" label="Username" defaultValue={username} required />
          <Check name="isPrivate" label="Private" defaultChecked={isPrivate} />
          <Check name="isStreamer" label="Streamer" defaultChecked={isStreamer} />
          <Check name="mayNotChat" label="Disable chat" />
        </Form>
      </Card>
    </May>
  );
}

function Ban({ id }: { id: number }) {
  const ban = useAct('PATCH /admin/user/{id}/ban', {
    stale: [ONE, LIST],
    said: 'Banned. All sessions have ended.',
  });
  const unban = useAct('PATCH /admin/user/{id}/unban', { stale: [ONE, LIST], said: 'Ban lifted' });
  return (
    <May op={ban.op}>
      <Card
        title="Ban"
        actions={
          <ActButton act={unban} input={{ path: { id } }} confirm="Lift the ban of this user?">
            Lift ban
          </ActButton>
        }
      >
        <Form
          act={ban}
          input={(f) => ({ path: { id }, body: { banReason: f.optional('banReason') } })}
          submit="Ban user"
          kind="danger"
          confirm="Ban this user? All their sessions end immediately."
          isEmptied
        >
          <TextArea name="banReason" label="Reason" maxLength={500} />
        </Form>
      </Card>
    </May>
  );
}

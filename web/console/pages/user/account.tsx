import type { Answer } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Check } from '../../../kit/form/choice.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Facts, Loaded, YesNo } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { FormButton } from '../../form-button.tsx';
import { Access } from './access.tsx';
import { STALE, USER } from './shared.ts';

const CHANGE = 'PATCH /admin/user/{id}';
const SIGN_UP = 'GET /admin/registration-info/{userId}';

/** The account itself: its settings, the sign-up and the ways to sign in. */
export function UserAccount({ id }: { id: number }) {
  const one = useRead(USER, { path: { id } });
  return (
    <div className="stack">
      <Loaded of={one}>
        {(user) => (
          <Card title="Account" actions={<Actions of={user} />}>
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
                Permissions: user.permissions.join(', ') || 'None',
              }}
            />
          </Card>
        )}
      </Loaded>
      <May op={SIGN_UP}>
        <Registration id={id} />
      </May>
      <Access id={id} />
    </div>
  );
}

function Registration({ id }: { id: number }) {
  const info = useRead(SIGN_UP, { path: { userId: id } });
  return (
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
  );
}

type User = Answer<typeof USER>;

function Actions({ of: user }: { of: User }) {
  const { id, username } = user;
  const avatar = useAct('PATCH /admin/user/{id}/avatar/reset', { stale: STALE, said: 'Picture removed' });
  return (
    <>
      <May op={avatar.op}>
        <ActButton
          act={avatar}
          input={{ path: { id } }}
          kind="ghost"
          confirm={`Remove the picture of ${username}?`}
        >
          Remove picture
        </ActButton>
      </May>
      <FormButton op={CHANGE} label="Edit" icon="pencil" title={`Edit ${username}`}>
        {(close) => <Change of={user} onDone={close} />}
      </FormButton>
    </>
  );
}

function Change({ of, onDone }: { of: User; onDone: () => void }) {
  const { id, username, isPrivate, isStreamer } = of;
  const change = useAct(CHANGE, { stale: STALE, said: 'User saved', onDone });
  return (
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
  );
}

import { useState } from 'react';
import type { MfaAuthGenerateResponse, SessionDto } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { ActButton, Field, Form } from '../../kit/form.tsx';
import { Card, Copy, Facts, Loaded, Page, Refusal, YesNo } from '../../kit/page.tsx';
import { refresh, useAct, useRead } from '../../kit/query.ts';
import { Button, useMe } from '../../kit/session.tsx';
import { type Columns, Table } from '../../kit/table.tsx';

/** Who is signed in: second factor, password, sessions. Where a second factor is forced this is the only page that works before there is one. */
export function Account() {
  const me = useMe();
  return (
    <Page title="Own account">
      <div className="stack">
        <Card title="You">
          <Facts
            of={{
              Username: me.username,
              'E-mail': me.email,
              Verified: <YesNo of={me.emailVerified} />,
              Roles: me.roles.join(', '),
              Rights: me.permissions.join(', '),
            }}
          />
        </Card>
        <div className="cards">
          <SecondFactor />
          <Password />
        </div>
        <Sessions />
      </div>
    </Page>
  );
}

function SecondFactor() {
  const { mfaEnabled } = useMe();
  return <Card title="Second factor">{mfaEnabled ? <TurnOff /> : <TurnOn />}</Card>;
}

function TurnOn() {
  const [shown, setShown] = useState<MfaAuthGenerateResponse>();
  const [recovery, setRecovery] = useState<readonly string[]>();
  const begin = useAct('GET /user/generate-2fa', { onDone: setShown });
  const confirm = useAct('POST /user/enable-2fa', { said: 'The second factor is on' });
  if (recovery) return <RecoveryCodes of={recovery} />;
  if (!shown)
    return (
      <>
        <p>Without one, staff can do nothing here but turn it on.</p>
        {begin.refused && <Refusal of={begin.refused} />}
        <Button kind="main" isBusy={begin.isBusy} onClick={() => void begin.run({})}>
          Turn it on
        </Button>
      </>
    );
  return (
    <Form
      act={confirm}
      input={(f) => ({ body: { mfaCode: f.text('mfaCode').replace(/\s/g, '') } })}
      submit="Confirm"
      onDone={({ recoveryCodes }) => setRecovery(recoveryCodes)}
    >
      <p>Read this with an authenticator app, or type the key. It is shown once.</p>
      <img src={shown.qrDataUrl} alt="QR code of the key" width={200} height={200} />
      <Copy text={shown.secret} />
      <Field
        name="mfaCode"
        label="The code that the app shows"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
      />
    </Form>
  );
}

/** They are shown once: the page goes on when they were kept. */
function RecoveryCodes({ of }: { of: readonly string[] }) {
  return (
    <>
      <p>
        Each of these signs you in once when the app is lost. Keep them elsewhere: they are not shown again.
      </p>
      <Copy text={of.join(' ')} />
      <div className="actions">
        <Button kind="main" onClick={() => void refresh('GET /user/me')}>
          I have kept them
        </Button>
      </div>
    </>
  );
}

function TurnOff() {
  const off = useAct('POST /user/disable-2fa', { stale: ['GET /user/me'], said: 'The second factor is off' });
  return (
    <Form
      act={off}
      input={(f) => ({ body: { mfaCode: f.text('mfaCode') } })}
      submit="Turn it off"
      kind="danger"
      confirm="Turn the second factor off?"
    >
      <Field name="mfaCode" label="Its code" inputMode="numeric" autoComplete="one-time-code" required />
    </Form>
  );
}

function Password() {
  const { mfaEnabled } = useMe();
  const change = useAct('PATCH /user/change-password', {
    said: 'The password is changed; other sessions have ended',
  });
  return (
    <Card title="Password">
      <Form
        act={change}
        input={(f) => ({
          body: {
            currentPassword: f.exact('currentPassword'),
            newPassword: f.exact('newPassword'),
            mfaCode: f.optional('mfaCode'),
          },
        })}
        submit="Change it"
        isEmptied
      >
        <Field
          name="currentPassword"
          label="The present one"
          type="password"
          autoComplete="current-password"
          required
        />
        <Field name="newPassword" label="The new one" type="password" autoComplete="new-password" required />
        {mfaEnabled && (
          <Field name="mfaCode" label="Code of the second factor" autoComplete="one-time-code" required />
        )}
      </Form>
    </Card>
  );
}

const SESSIONS = 'GET /session';

const COLUMNS: Columns<SessionDto> = [
  { head: 'Program', of: (s) => [s.browser, s.os].filter(Boolean).join(', ') || s.device || 'unknown' },
  { head: 'From', of: (s) => [s.ipAddress, s.countryCode].filter(Boolean).join(', ') },
  { head: 'Signed in', of: (s) => <When at={s.createdAt} /> },
  { head: 'Last used', of: (s) => <When at={s.lastUsedAt} /> },
  { head: 'Ends', of: (s) => <When at={s.expiresAt} /> },
  { head: '', of: (s) => (s.current ? 'this one' : <End id={s.id} />) },
];

function Sessions() {
  const sessions = useRead(SESSIONS, {});
  const others = useAct('DELETE /session/log-out/others', {
    stale: [SESSIONS],
    said: ({ revoked }) => `${revoked} ended`,
  });
  return (
    <Card
      title="Sessions"
      actions={
        <ActButton act={others} input={{}} confirm="End every session but this one?">
          End the others
        </ActButton>
      }
    >
      <Loaded of={sessions}>
        {(all) => <Table rows={all} columns={COLUMNS} caption="Sessions" keyOf={({ id }) => id} />}
      </Loaded>
    </Card>
  );
}

function End({ id }: { id: string }) {
  const end = useAct('DELETE /session/{id}', { stale: [SESSIONS], said: 'Ended' });
  return (
    <ActButton act={end} input={{ path: { id } }} kind="quiet">
      End it
    </ActButton>
  );
}

import { useState } from 'react';
import type { MfaAuthGenerateResponse, SessionDto } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { Button } from '../../kit/button.tsx';
import { ActButton } from '../../kit/form/act-button.tsx';
import { CodeField, Field } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { Refusal } from '../../kit/note.tsx';
import { Card, Copy, Facts, Loaded, Page, YesNo } from '../../kit/page.tsx';
import { useAct, useRead, wantsFactor } from '../../kit/query.ts';
import { useMe } from '../../kit/session.tsx';
import { type Columns, Table } from '../../kit/table.tsx';
import { Passkeys, type WithCodes } from './passkeys.tsx';

const ME = 'GET /user/me';
const FACTORS = 'GET /user/passkeys';
const SESSIONS = 'GET /session';

/** The signed-in account: second factors, password, sessions. If a second factor is required, only this page works until one is set up. */
export function Account() {
  const me = useMe();
  const [codes, setCodes] = useState<readonly string[]>();
  const keep = () => {
    setCodes(undefined);
    wantsFactor.set(false);
  };
  return (
    <Page title="My account">
      <div className="stack">
        {codes && <RecoveryCodes of={codes} onKept={keep} />}
        <Card title="You">
          <Facts
            of={{
              Username: me.username,
              Email: me.email,
              Verified: <YesNo of={me.emailVerified} />,
              Roles: me.roles.join(', '),
              Permissions: me.permissions.join(', '),
            }}
          />
        </Card>
        <div className="cards">
          <App onCodes={setCodes} />
          <Password />
        </div>
        <Passkeys onCodes={setCodes} />
        <Sessions />
      </div>
    </Page>
  );
}

function App({ onCodes }: WithCodes) {
  const { mfaEnabled } = useMe();
  const factors = useRead(FACTORS, {});
  return (
    <Card title="Authenticator app">
      {!mfaEnabled && <p>Turn on two-step verification to use the console.</p>}
      <Loaded of={factors}>
        {({ isAppEnabled }) => (isAppEnabled ? <TurnOff /> : <TurnOn onCodes={onCodes} />)}
      </Loaded>
    </Card>
  );
}

function TurnOn({ onCodes }: WithCodes) {
  const [shown, setShown] = useState<MfaAuthGenerateResponse>();
  const begin = useAct('GET /user/generate-2fa', { onDone: setShown });
  const confirm = useAct('POST /user/enable-2fa', { stale: [FACTORS, ME], said: 'Authenticator app is on' });
  if (!shown)
    return (
      <>
        {begin.refused && <Refusal of={begin.refused} />}
        <Button kind="main" isBusy={begin.isBusy} onClick={() => void begin.run({})}>
          Turn on
        </Button>
      </>
    );
  return (
    <Form
      act={confirm}
      input={(f) => ({ body: { mfaCode: f.text('mfaCode').replace(/\s/g, '') } })}
      submit="Confirm"
      onDone={({ recoveryCodes }) => onCodes(recoveryCodes)}
    >
      <p>Read this with an authenticator app, or type the key. It is shown once.</p>
      <img src={shown.qrDataUrl} alt="QR code of the key" width={200} height={200} />
      <Copy text={shown.secret} />
      <Field
        name="mfaCode"
        label="Code from the app"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
      />
    </Form>
  );
}

/** Shows new recovery codes once, until the staff member confirms that they are stored. */
function RecoveryCodes({ of, onKept }: { of: readonly string[]; onKept: () => void }) {
  return (
    <Card title="Recovery codes">
      <p>Each code signs you in once if you lose the app. Save them now, because they are not shown again.</p>
      <Copy text={of.join(' ')} />
      <div className="actions">
        <Button kind="main" onClick={onKept}>
          I’ve saved my codes
        </Button>
      </div>
    </Card>
  );
}

function TurnOff() {
  const off = useAct('POST /user/disable-2fa', { stale: [ME, FACTORS], said: 'Authenticator app is off' });
  return (
    <Form
      act={off}
      input={(f) => ({ body: { mfaCode: f.text('mfaCode') } })}
      submit="Turn off"
      kind="danger"
      confirm="Turn off the authenticator app?"
    >
      <CodeField label="Code from the app" />
    </Form>
  );
}

function Password() {
  const { mfaEnabled } = useMe();
  const change = useAct('PATCH /user/change-password', {
    said: 'Password changed. Other sessions have ended.',
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
        submit="Change password"
        isEmptied
      >
        <Field
          name="currentPassword"
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
        />
        <Field name="newPassword" label="New password" type="password" autoComplete="new-password" required />
        {mfaEnabled && <CodeField label="Two-step verification code" />}
      </Form>
    </Card>
  );
}

const COLUMNS: Columns<SessionDto> = [
  { head: 'Device', of: (s) => [s.browser, s.os].filter(Boolean).join(', ') || s.device || 'Unknown' },
  { head: 'IP address', of: (s) => [s.ipAddress, s.countryCode].filter(Boolean).join(', ') },
  { head: 'Signed in', of: (s) => <When at={s.createdAt} /> },
  { head: 'Last used', of: (s) => <When at={s.lastUsedAt} /> },
  { head: 'Expires', of: (s) => <When at={s.expiresAt} /> },
  { head: 'Action', of: (s) => (s.current ? 'This device' : <End id={s.id} />) },
];

function Sessions() {
  const sessions = useRead(SESSIONS, {});
  const others = useAct('DELETE /session/log-out/others', {
    stale: [SESSIONS],
    said: ({ revoked }) => `Signed out: ${revoked}`,
  });
  return (
    <Card
      title="Sessions"
      actions={
        <ActButton act={others} input={{}} confirm="Sign out all other devices?">
          Sign out other devices
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
  const end = useAct('DELETE /session/{id}', { stale: [SESSIONS], said: 'Signed out' });
  return (
    <ActButton act={end} input={{ path: { id } }} kind="ghost">
      Sign out
    </ActButton>
  );
}

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
    <Page title="Own account">
      <div className="stack">
        {codes && <RecoveryCodes of={codes} onKept={keep} />}
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
      {!mfaEnabled && <p>Without a second factor, staff can do nothing here but turn one on.</p>}
      <Loaded of={factors}>
        {({ isAppEnabled }) => (isAppEnabled ? <TurnOff /> : <TurnOn onCodes={onCodes} />)}
      </Loaded>
    </Card>
  );
}

function TurnOn({ onCodes }: WithCodes) {
  const [shown, setShown] = useState<MfaAuthGenerateResponse>();
  const begin = useAct('GET /user/generate-2fa', { onDone: setShown });
  const confirm = useAct('POST /user/enable-2fa', { stale: [FACTORS, ME], said: 'The app is on' });
  if (!shown)
    return (
      <>
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
      onDone={({ recoveryCodes }) => onCodes(recoveryCodes)}
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

/** Shows new recovery codes once, until the staff member confirms that they are stored. */
function RecoveryCodes({ of, onKept }: { of: readonly string[]; onKept: () => void }) {
  return (
    <Card title="Recovery codes">
      <p>
        Each of these signs you in once when the app is lost. Keep them elsewhere: they are not shown again.
      </p>
      <Copy text={of.join(' ')} />
      <div className="actions">
        <Button kind="main" onClick={onKept}>
          I have kept them
        </Button>
      </div>
    </Card>
  );
}

function TurnOff() {
  const off = useAct('POST /user/disable-2fa', { stale: [ME, FACTORS], said: 'The app is off' });
  return (
    <Form
      act={off}
      input={(f) => ({ body: { mfaCode: f.text('mfaCode') } })}
      submit="Turn it off"
      kind="danger"
      confirm="Turn the authenticator app off?"
    >
      <CodeField label="Its code" />
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
        {mfaEnabled && <CodeField label="Code of the second factor" />}
      </Form>
    </Card>
  );
}

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
    <ActButton act={end} input={{ path: { id } }} kind="ghost">
      End it
    </ActButton>
  );
}

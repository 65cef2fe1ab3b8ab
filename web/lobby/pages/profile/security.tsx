import { useState } from 'react';
import { When } from '../../../kit/amount.tsx';
import { ActButton, CodeField, Field, Form } from '../../../kit/form.tsx';
import { Card, Copy, Facts, Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { Button, useMe } from '../../../kit/session.tsx';
import { PASSWORD } from '../../fields.ts';
import { words } from '../../words.ts';
import { Authenticator } from './authenticator.tsx';
import { Passkeys } from './passkeys.tsx';
import { ProfileTabs } from './tabs.tsx';

const CHANGES = 'GET /user/email/change';

/** Security of the account: email address, password, second factors. */
export function Security() {
  const { security } = words.account;
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <Page title={security.title} filters={<ProfileTabs />}>
      <div className="stack">
        {codes && <RecoveryCodes of={codes} onKept={() => setCodes(undefined)} />}
        <div className="cards">
          <Authenticator onCodes={setCodes} />
          <Password />
          <Address />
        </div>
        <Passkeys onCodes={setCodes} />
      </div>
    </Page>
  );
}

/** Shows new recovery codes once, until the player confirms that they are stored. */
function RecoveryCodes({ of, onKept }: { of: readonly string[]; onKept: () => void }) {
  const { factors } = words.account;
  return (
    <Card title={factors.recovery}>
      <p role="status">{factors.recoveryHint}</p>
      <Copy text={of.join(' ')} />
      <div className="actions">
        <Button kind="main" onClick={onKept}>
          {factors.kept}
        </Button>
      </div>
    </Card>
  );
}

function Password() {
  const { password } = words.account;
  const { mfaEnabled } = useMe();
  const change = useAct('PATCH /user/change-password', { said: password.changed });
  return (
    <Card title={words.entry.password}>
      <Form
        act={change}
        input={(f) => ({
          body: {
            currentPassword: f.exact('currentPassword'),
            newPassword: f.exact('newPassword'),
            mfaCode: f.optional('mfaCode'),
          },
        })}
        submit={password.change}
        isEmptied
      >
        <Field
          name="currentPassword"
          label={password.current}
          hint={password.none}
          type="password"
          autoComplete="current-password"
        />
        <Field name="newPassword" label={words.entry.newPassword} type="password" required {...PASSWORD} />
        {mfaEnabled && <CodeField label={words.entry.code} />}
        <p className="dim">{password.hint}</p>
      </Form>
    </Card>
  );
}

/** Changes the email address. Both the current and the new address get a link, and both links must be opened. */
function Address() {
  const { address } = words.account;
  const { email } = useMe();
  const state = useRead(CHANGES, {});
  return (
    <Card title={words.entry.email}>
      <Facts of={{ [address.now]: email }} />
      <Loaded of={state}>{({ change }) => (change ? <Waiting change={change} /> : <ChangeAddress />)}</Loaded>
    </Card>
  );
}

function ChangeAddress() {
  const { address, password } = words.account;
  const { mfaEnabled } = useMe();
  const ask = useAct('POST /user/email/change', { stale: [CHANGES], said: address.asked });
  return (
    <Form
      act={ask}
      input={(f) => ({
        body: {
          email: f.text('email'),
          currentPassword: f.exact('currentPassword'),
          mfaCode: f.optional('mfaCode'),
        },
      })}
      submit={address.change}
    >
      <p className="dim">{address.hint}</p>
      <Field name="email" label={address.another} type="email" autoComplete="email" required />
      <Field
        name="currentPassword"
        label={words.entry.password}
        hint={password.none}
        type="password"
        autoComplete="current-password"
      />
      {mfaEnabled && <CodeField label={words.entry.code} />}
    </Form>
  );
}

type Change = { email: string; waitsFor: readonly ('OLD' | 'NEW')[]; expiresAt: string };

function Waiting({ change: { email, waitsFor, expiresAt } }: { change: Change }) {
  const { address } = words.account;
  const cancel = useAct('DELETE /user/email/change', { stale: [CHANGES], said: address.cancelled });
  return (
    <div className="stack">
      <Facts
        of={{
          [address.another]: email,
          [address.waitsFor]: waitsFor.map((which) => address.of[which]).join(', '),
          [address.until]: <When at={expiresAt} />,
        }}
      />
      <div className="actions">
        <ActButton act={cancel} input={{}}>
          {address.cancel}
        </ActButton>
      </div>
    </div>
  );
}

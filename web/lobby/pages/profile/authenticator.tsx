import { useState } from 'react';
import type { MfaAuthGenerateResponse } from '../../../../client/call.ts';
import { CodeField, Field, Form } from '../../../kit/form.tsx';
import { Card, Copy, Loaded, Refusal } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { Button } from '../../../kit/session.tsx';
import { words } from '../../words.ts';
import type { WithCodes } from './passkeys.tsx';

const ME = 'GET /user/me';
const FACTORS = 'GET /user/passkeys';

/** The authenticator app as the second factor. */
export function Authenticator({ onCodes }: WithCodes) {
  const { factors: said } = words.account;
  const factors = useRead(FACTORS, {});
  const [shown, setShown] = useState<MfaAuthGenerateResponse>();
  const begin = useAct('GET /user/generate-2fa', { onDone: setShown });
  const done = (codes: readonly string[]) => {
    setShown(undefined);
    onCodes(codes);
  };
  return (
    <Card title={said.app}>
      {shown ? (
        <Confirm key={shown.secret} of={shown} onDone={done} />
      ) : (
        <Loaded of={factors}>
          {({ isAppEnabled, recoveryCodesLeft }) =>
            isAppEnabled ? (
              <div className="stack">
                <p>✓ {said.appOn(recoveryCodesLeft)}</p>
                <TurnOff />
                <Replace onShown={setShown} />
              </div>
            ) : (
              <>
                <p>{said.appOff}</p>
                {begin.refused && <Refusal of={begin.refused} />}
                <Button kind="main" isBusy={begin.isBusy} onClick={() => void begin.run({})}>
                  {said.turnOn}
                </Button>
              </>
            )
          }
        </Loaded>
      )}
    </Card>
  );
}

type ConfirmProps = { of: MfaAuthGenerateResponse; onDone: (codes: readonly string[]) => void };

/** Shows the key once. The first valid code activates the app. */
function Confirm({ of: { qrDataUrl, secret }, onDone }: ConfirmProps) {
  const { factors: said } = words.account;
  const confirm = useAct('POST /user/enable-2fa', { stale: [FACTORS, ME], said: said.appIsOn });
  return (
    <Form
      act={confirm}
      input={(f) => ({ body: { mfaCode: f.text('mfaCode').replace(/\s/g, '') } })}
      submit={words.kit.confirm}
      onDone={({ recoveryCodes }) => onDone(recoveryCodes)}
    >
      <p>{said.scan}</p>
      <img className="qr" src={qrDataUrl} alt={said.qr} width={200} height={200} />
      <Copy text={secret} />
      <Field
        name="mfaCode"
        label={said.firstCode}
        inputMode="numeric"
        autoComplete="one-time-code"
        required
      />
    </Form>
  );
}

function TurnOff() {
  const { factors: said } = words.account;
  const off = useAct('POST /user/disable-2fa', { stale: [ME, FACTORS], said: said.appIsOff });
  return (
    <details>
      <summary>{said.turnOff}</summary>
      <Form
        act={off}
        input={(f) => ({ body: { mfaCode: f.text('mfaCode') } })}
        submit={said.turnOff}
        kind="danger"
        confirm={said.confirmOff}
      >
        <CodeField label={words.entry.code} />
      </Form>
    </details>
  );
}

/** Replaces a lost authenticator app. A recovery code is required to get a new key. */
function Replace({ onShown }: { onShown: (key: MfaAuthGenerateResponse) => void }) {
  const { factors: said } = words.account;
  const reset = useAct('POST /user/reset-2fa', { stale: [ME, FACTORS] });
  return (
    <details>
      <summary>{said.lost}</summary>
      <Form
        act={reset}
        input={(f) => ({ body: { recoveryCode: f.optional('recoveryCode') } })}
        submit={said.replace}
        onDone={onShown}
      >
        <p className="dim">{said.replaceHint}</p>
        <Field name="recoveryCode" label={said.recoveryCode} required />
      </Form>
    </details>
  );
}

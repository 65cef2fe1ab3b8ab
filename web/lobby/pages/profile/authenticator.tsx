import { useState } from 'react';
import type { MfaAuthGenerateResponse, SecondFactors } from '../../../../client/call.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { CodeField, Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Refusal } from '../../../kit/note.tsx';
import { Copy, Loaded } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { words } from '../../words.ts';
import type { WithCodes } from './passkeys.tsx';
import { Setting } from './setting.tsx';

const ME = 'GET /user/me';
const FACTORS = 'GET /user/passkeys';

/** The authenticator app as the second factor. */
export function Authenticator({ onCodes }: WithCodes) {
  const { factors: said, security } = words.account;
  const factors = useRead(FACTORS, {});
  const [shown, setShown] = useState<MfaAuthGenerateResponse>();
  const [open, setOpen] = useState<'off' | 'lost'>();
  const begin = useAct('GET /user/generate-2fa', { onDone: setShown });
  const isOn = factors.data?.isAppEnabled === true;
  return (
    <Setting
      icon="smartphone"
      title={said.app}
      state={
        factors.data && <Badge {...(isOn && { tone: 'good' })}>{isOn ? security.on : security.off}</Badge>
      }
      actions={
        factors.data &&
        (isOn ? (
          <>
            <Button kind="ghost" onClick={() => setOpen('lost')}>
              {said.lost}
            </Button>
            <Button kind="danger" onClick={() => setOpen('off')}>
              {said.turnOff}
            </Button>
          </>
        ) : (
          <Button kind="main" isBusy={begin.isBusy} onClick={() => void begin.run({})}>
            {said.turnOn}
          </Button>
        ))
      }
      dialog={
        shown ? (
          <Confirm
            key={shown.secret}
            of={shown}
            onClose={() => setShown(undefined)}
            onDone={(codes) => {
              setShown(undefined);
              onCodes(codes);
            }}
          />
        ) : open === 'off' ? (
          <TurnOff onClose={() => setOpen(undefined)} />
        ) : (
          open === 'lost' && (
            <Replace
              onClose={() => setOpen(undefined)}
              onShown={(key) => {
                setOpen(undefined);
                setShown(key);
              }}
            />
          )
        )
      }
    >
      <Loaded of={factors}>{(all) => <About of={all} />}</Loaded>
      {begin.refused && <Refusal of={begin.refused} />}
    </Setting>
  );
}

const About = ({ of: { isAppEnabled, recoveryCodesLeft } }: { of: SecondFactors }) => {
  const { factors: said } = words.account;
  return isAppEnabled ? said.codesLeft(recoveryCodesLeft) : said.about;
};

type ConfirmProps = {
  of: MfaAuthGenerateResponse;
  onClose: () => void;
  onDone: (codes: readonly string[]) => void;
};

/** Shows the key once. The first valid code activates the app. */
function Confirm({ of: { qrDataUrl, secret }, onClose, onDone }: ConfirmProps) {
  const { factors: said } = words.account;
  const confirm = useAct('POST /user/enable-2fa', { stale: [FACTORS, ME], said: said.turnedOn });
  return (
    <Dialog title={said.title} onClose={onClose}>
      <Form
        act={confirm}
        input={(f) => ({ body: { mfaCode: f.text('mfaCode').replace(/\s/g, '') } })}
        submit={said.turnOn}
        onDone={({ recoveryCodes }) => onDone(recoveryCodes)}
      >
        <p className="dim">{said.scan}</p>
        <img className="qr" src={qrDataUrl} alt={said.qr} width={200} height={200} />
        <Copy text={secret} />
        <Field
          name="mfaCode"
          label={said.firstCode}
          icon="shield-check"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
        />
      </Form>
    </Dialog>
  );
}

function TurnOff({ onClose }: { onClose: () => void }) {
  const { factors: said } = words.account;
  const off = useAct('POST /user/disable-2fa', { stale: [ME, FACTORS], said: said.turnedOff });
  return (
    <Dialog title={said.confirmOff} onClose={onClose}>
      <Form
        act={off}
        input={(f) => ({ body: { mfaCode: f.text('mfaCode') } })}
        submit={said.turnOff}
        kind="danger"
        onDone={onClose}
      >
        <p className="dim">{said.about}</p>
        <CodeField label={words.entry.code} />
      </Form>
    </Dialog>
  );
}

type ReplaceProps = { onClose: () => void; onShown: (key: MfaAuthGenerateResponse) => void };

/** Replaces a lost authenticator app. A recovery code is required to get a new key. */
function Replace({ onClose, onShown }: ReplaceProps) {
  const { factors: said } = words.account;
  const reset = useAct('POST /user/reset-2fa', { stale: [ME, FACTORS] });
  return (
    <Dialog title={said.replace} onClose={onClose}>
      <Form
        act={reset}
        input={(f) => ({ body: { recoveryCode: f.optional('recoveryCode') } })}
        submit={said.replace}
        onDone={onShown}
      >
        <p className="dim">{said.replaceHint}</p>
        <Field name="recoveryCode" label={said.recoveryCode} icon="key-round" required />
      </Form>
    </Dialog>
  );
}

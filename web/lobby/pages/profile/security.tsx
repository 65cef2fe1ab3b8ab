import '../account.css';
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Note } from '../../../kit/note.tsx';
import { words } from '../../words.ts';
import { Address } from './address.tsx';
import { Authenticator } from './authenticator.tsx';
import { Passkeys } from './passkeys.tsx';
import { Password } from './password.tsx';
import { Settings } from './setting.tsx';
import { AccountPage } from './tabs.tsx';

/** Security of the account: email address, password, second factors. */
export function Security() {
  const { security, factors } = words.account;
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <AccountPage title={security.title} hint={security.hint}>
      <Settings>
        <Password />
        <Address />
      </Settings>
      <Settings title={factors.title}>
        <Authenticator onCodes={setCodes} />
      </Settings>
      <Passkeys onCodes={setCodes} />
      {codes && <RecoveryCodes of={codes} onKept={() => setCodes(undefined)} />}
    </AccountPage>
  );
}

/** Shows new recovery codes once, until the player confirms that they are stored. Escape must not lose them. */
function RecoveryCodes({ of, onKept }: { of: readonly string[]; onKept: () => void }) {
  const { factors } = words.account;
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(of.join('\n')).then(() => setCopied(true));
  return (
    <Dialog
      title={factors.recovery}
      foot={
        <>
          <Button icon={isCopied ? 'check' : 'copy'} onClick={copy}>
            {isCopied ? words.kit.copied : factors.copyAll}
          </Button>
          <Button kind="main" onClick={onKept}>
            {factors.kept}
          </Button>
        </>
      }
    >
      <Note kind="warn">{factors.recoveryHint}</Note>
      <ul className="recovery-codes" translate="no">
        {of.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

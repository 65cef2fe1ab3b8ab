import { useState } from 'react';
import type { Passkey, Refused } from '../../../../client/call.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Badge, Skeleton } from '../../../kit/figures.tsx';
import { CodeField, Field } from '../../../kit/form/field.tsx';
import { Fields, Form } from '../../../kit/form/form.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { date, relative } from '../../../kit/intl.ts';
import { Loaded } from '../../../kit/page.tsx';
import { createPasskey, hasPasskeys } from '../../../kit/passkey.ts';
import { Menu } from '../../../kit/pick/menu.tsx';
import { asRefused, useAct, useRead } from '../../../kit/query.ts';
import { words } from '../../words.ts';
import { Setting, Settings } from './setting.tsx';

const ME = 'GET /user/me';
const FACTORS = 'GET /user/passkeys';

/** The recovery codes. The server returns them once, when the account gets its first second factor. */
export type WithCodes = { onCodes: (codes: readonly string[] | undefined) => void };

/** Adds, renames and removes the player's passkeys. */
export function Passkeys({ onCodes }: WithCodes) {
  const { passkeys: said } = words.account;
  const factors = useRead(FACTORS, {});
  const [isOpen, setOpen] = useState(false);
  return (
    <Settings>
      <Setting
        icon="fingerprint-pattern"
        title={said.title}
        actions={
          hasPasskeys && (
            <Button icon="plus" onClick={() => setOpen(true)}>
              {said.add}
            </Button>
          )
        }
        dialog={isOpen && <AddPasskey onCodes={onCodes} onClose={() => setOpen(false)} />}
      >
        {said.hint}
        {!hasPasskeys && <p>{said.unsupported}</p>}
      </Setting>
      <Loaded of={factors} skeleton={<Skeleton height={20} />}>
        {({ passkeys }) => passkeys.map((one) => <OnePasskey key={one.id} of={one} />)}
      </Loaded>
    </Settings>
  );
}

function AddPasskey({ onCodes, onClose }: WithCodes & { onClose: () => void }) {
  const { passkeys: said } = words.account;
  const begin = useAct('POST /user/passkeys/registration/options');
  const add = useAct('POST /user/passkeys', {
    said: said.added,
    stale: [FACTORS, ME],
    onDone: ({ recoveryCodes }) => {
      onClose();
      if (recoveryCodes) onCodes(recoveryCodes);
    },
  });
  const [refused, setRefused] = useState<Refused>();
  const make = async (name: string) => {
    setRefused(undefined);
    const options = await begin.run({});
    if (!options) return;
    await createPasskey(options.answer).then(
      (response) => add.run({ body: { name, response } }),
      (error: unknown) => setRefused(asRefused(error)),
    );
  };
  return (
    <Dialog title={said.add} onClose={onClose}>
      <Fields
        refused={refused ?? begin.refused ?? add.refused}
        onSend={({ text }) => void make(text('name'))}
      >
        <p className="dim">{said.hint}</p>
        <Field name="name" label={said.name} hint={said.nameHint} required maxLength={64} />
        <div className="actions">
          <Button type="submit" kind="main" isBusy={begin.isBusy || add.isBusy}>
            {said.add}
          </Button>
        </div>
      </Fields>
    </Dialog>
  );
}

function OnePasskey({ of: { id, name, isBackedUp, createdAt, lastUsedAt } }: { of: Passkey }) {
  const { passkeys: said } = words.account;
  const [open, setOpen] = useState<'rename' | 'remove'>();
  const close = () => setOpen(undefined);
  return (
    <Setting
      icon="key"
      title={<span className="clip">{name}</span>}
      state={isBackedUp && <Badge icon="cloud">{said.synced}</Badge>}
      actions={
        <Menu
          label={said.actions(name)}
          aria-label={said.actions(name)}
          className="button ghost only-icon"
          entries={[
            { text: said.rename, icon: 'pencil', run: () => setOpen('rename') },
            { text: said.remove, icon: 'trash-2', run: () => setOpen('remove') },
          ]}
        >
          <Icon name="ellipsis" />
        </Menu>
      }
      dialog={
        open === 'rename' ? (
          <Rename id={id} name={name} onClose={close} />
        ) : (
          open === 'remove' && <Remove id={id} name={name} onClose={close} />
        )
      }
    >
      <p>{said.addedAt(date(createdAt))}</p>
      {lastUsedAt && <p>{said.usedAt(relative(lastUsedAt))}</p>}
    </Setting>
  );
}

type OneProps = { id: string; name: string; onClose: () => void };

function Rename({ id, name, onClose }: OneProps) {
  const { passkeys: said } = words.account;
  const rename = useAct('PATCH /user/passkeys/{id}', { stale: [FACTORS], said: said.renamed });
  return (
    <Dialog title={said.rename} onClose={onClose}>
      <Form act={rename} input={(f) => ({ path: { id }, body: { name: f.text('name') } })} onDone={onClose}>
        <Field name="name" label={said.name} defaultValue={name} required maxLength={64} />
      </Form>
    </Dialog>
  );
}

/** Removes a passkey. This requires a code or a passkey as the second factor. */
function Remove({ id, name, onClose }: OneProps) {
  const { passkeys: said } = words.account;
  const remove = useAct('DELETE /user/passkeys/{id}', { stale: [FACTORS, ME], said: said.removed });
  return (
    <Dialog title={said.confirmRemove(name)} onClose={onClose}>
      <Form
        act={remove}
        input={(f) => ({ path: { id }, body: { mfaCode: f.optional('mfaCode') } })}
        submit={said.remove}
        kind="danger"
        onDone={onClose}
      >
        <CodeField label={words.entry.code} />
      </Form>
    </Dialog>
  );
}

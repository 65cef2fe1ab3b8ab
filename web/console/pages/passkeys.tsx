import { useState } from 'react';
import type { Passkey, Refused } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { Button } from '../../kit/button.tsx';
import { CodeField, Field } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { Refusal } from '../../kit/note.tsx';
import { Card, Facts, Loaded, YesNo } from '../../kit/page.tsx';
import { createPasskey, hasPasskeys } from '../../kit/passkey.ts';
import { asRefused, useAct, useRead } from '../../kit/query.ts';
import { type Columns, Table } from '../../kit/table.tsx';

const ME = 'GET /user/me';
const FACTORS = 'GET /user/passkeys';

/** The recovery codes. The server returns them once, when the account gets its first second factor. */
export type WithCodes = { onCodes: (codes: readonly string[] | undefined) => void };

/** Adds, renames and removes the signed-in account's passkeys. */
export function Passkeys({ onCodes }: WithCodes) {
  const factors = useRead(FACTORS, {});
  return (
    <Card title="Passkeys">
      <p className="dim">A passkey signs in by itself, and is the second factor after a password.</p>
      <Loaded of={factors}>
        {({ passkeys, recoveryCodesLeft }) => (
          <>
            <Table
              rows={passkeys}
              columns={KEYS}
              caption="Passkeys"
              keyOf={({ id }) => id}
              empty="No passkeys yet"
            />
            <Facts of={{ 'Recovery codes left': recoveryCodesLeft }} />
          </>
        )}
      </Loaded>
      {hasPasskeys && <AddPasskey onCodes={onCodes} />}
    </Card>
  );
}

function AddPasskey({ onCodes }: WithCodes) {
  const begin = useAct('POST /user/passkeys/registration/options');
  const add = useAct('POST /user/passkeys', {
    said: 'Passkey added',
    stale: [FACTORS, ME],
    onDone: ({ recoveryCodes }) => onCodes(recoveryCodes),
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
  const why = refused ?? begin.refused ?? add.refused;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void make(String(new FormData(event.currentTarget).get('name')).trim());
      }}
    >
      {why && <Refusal of={why} />}
      <Field name="name" label="Name" placeholder="Laptop" required maxLength={64} />
      <div className="actions">
        <Button type="submit" isBusy={begin.isBusy || add.isBusy}>
          Add passkey
        </Button>
      </div>
    </form>
  );
}

const KEYS: Columns<Passkey> = [
  { head: 'Name', of: ({ id, name }) => <Rename id={id} name={name} /> },
  { head: 'Backed up', of: ({ isBackedUp }) => <YesNo of={isBackedUp} /> },
  { head: 'Added', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Last used', of: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
  { head: 'Action', of: ({ id }) => <RemovePasskey id={id} /> },
];

function Rename({ id, name }: { id: string; name: string }) {
  const rename = useAct('PATCH /user/passkeys/{id}', { stale: [FACTORS], said: 'Passkey renamed' });
  return (
    <details>
      <summary>{name}</summary>
      <Form act={rename} input={(f) => ({ path: { id }, body: { name: f.text('name') } })} submit="Rename">
        <Field name="name" label="New name" defaultValue={name} required maxLength={64} />
      </Form>
    </details>
  );
}

/** Removes a passkey. This requires a code or a passkey as the second factor. */
function RemovePasskey({ id }: { id: string }) {
  const remove = useAct('DELETE /user/passkeys/{id}', { stale: [FACTORS, ME], said: 'Passkey removed' });
  return (
    <details>
      <summary>Remove</summary>
      <Form
        act={remove}
        input={(f) => ({ path: { id }, body: { mfaCode: f.text('mfaCode') } })}
        submit="Remove passkey"
        kind="danger"
        confirm="Remove this passkey?"
      >
        <CodeField label="Two-step verification code" />
      </Form>
    </details>
  );
}

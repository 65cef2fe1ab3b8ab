import { useState } from 'react';
import type { Passkey, Refused } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { CodeField, Field, Form } from '../../../kit/form.tsx';
import { Card, Loaded, Refusal, YesNo } from '../../../kit/page.tsx';
import { createPasskey, hasPasskeys } from '../../../kit/passkey.ts';
import { asRefused, useAct, useRead } from '../../../kit/query.ts';
import { Button } from '../../../kit/session.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';
import { words } from '../../words.ts';

const ME = 'GET /user/me';
const FACTORS = 'GET /user/passkeys';

/** The recovery codes. The server returns them once, when the account gets its first second factor. */
export type WithCodes = { onCodes: (codes: readonly string[] | undefined) => void };

/** Adds, renames and removes the player's passkeys. */
export function Passkeys({ onCodes }: WithCodes) {
  const { passkeys: said } = words.account;
  const factors = useRead(FACTORS, {});
  return (
    <Card title={said.title}>
      <div className="stack">
        <p className="dim">{said.hint}</p>
        <Loaded of={factors}>
          {({ passkeys }) => (
            <Table
              rows={passkeys}
              columns={columns()}
              caption={said.title}
              keyOf={({ id }) => id}
              empty={said.none}
            />
          )}
        </Loaded>
        {hasPasskeys && <AddPasskey onCodes={onCodes} />}
      </div>
    </Card>
  );
}

function AddPasskey({ onCodes }: WithCodes) {
  const { passkeys: said } = words.account;
  const begin = useAct('POST /user/passkeys/registration/options');
  const add = useAct('POST /user/passkeys', {
    said: said.added,
    stale: [FACTORS, ME],
    onDone: ({ recoveryCodes }) => recoveryCodes && onCodes(recoveryCodes),
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
      <Field name="name" label={said.name} required maxLength={64} />
      <div className="actions">
        <Button type="submit" isBusy={begin.isBusy || add.isBusy}>
          {said.add}
        </Button>
      </div>
    </form>
  );
}

function columns(): Columns<Passkey> {
  const { passkeys: said } = words.account;
  return [
    { head: said.name, of: ({ id, name }) => <Rename id={id} name={name} /> },
    { head: said.elsewhere, of: ({ isBackedUp }) => <YesNo of={isBackedUp} /> },
    { head: said.addedAt, of: ({ createdAt }) => <When at={createdAt} /> },
    { head: said.usedAt, of: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
    { head: said.remove, of: ({ id }) => <Remove id={id} /> },
  ];
}

function Rename({ id, name }: { id: string; name: string }) {
  const { passkeys: said } = words.account;
  const rename = useAct('PATCH /user/passkeys/{id}', { stale: [FACTORS], said: said.renamed });
  return (
    <details>
      <summary>{name}</summary>
      <Form
        act={rename}
        input={(f) => ({ path: { id }, body: { name: f.text('name') } })}
        submit={said.rename}
      >
        <Field name="name" label={said.another} defaultValue={name} required maxLength={64} />
      </Form>
    </details>
  );
}

/** Removes a passkey. This requires a code or a passkey as the second factor. */
function Remove({ id }: { id: string }) {
  const { passkeys: said } = words.account;
  const remove = useAct('DELETE /user/passkeys/{id}', { stale: [FACTORS, ME], said: said.removed });
  return (
    <details>
      <summary>{said.remove}</summary>
      <Form
        act={remove}
        input={(f) => ({ path: { id }, body: { mfaCode: f.optional('mfaCode') } })}
        submit={said.remove}
        kind="danger"
        confirm={said.confirmRemove}
      >
        <CodeField label={words.entry.code} />
      </Form>
    </details>
  );
}

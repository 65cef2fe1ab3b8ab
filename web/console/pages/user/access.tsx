import { useState } from 'react';
import { When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Facts, Loaded } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May, useMissing } from '../../../kit/session.tsx';
import { FormButton } from '../../form-button.tsx';
import { STALE } from './shared.ts';

const RESET = 'DELETE /admin/user/{id}/mfa';
const KEY = 'GET /admin/api-keys/{userId}';

/** Shows the user's API key, masked. */
function ApiKey({ id }: { id: number }) {
  const key = useRead(KEY, { path: { userId: id } });
  if (key.error?.code === 'API_KEY_NOT_FOUND') return <p className="dim">No API key.</p>;
  return (
    <Loaded of={key}>
      {({ key: masked, createdAt }) => (
        <Facts of={{ 'API key': <code>{masked}</code>, Created: <When at={createdAt} /> }} />
      )}
    </Loaded>
  );
}

/** Second factor and API key. */
export function Access({ id }: { id: number }) {
  const isEmpty = [useMissing(RESET), useMissing(KEY)].every((missing) => missing !== undefined);
  if (isEmpty) return null;
  return (
    <Card
      title="Access"
      actions={
        <FormButton
          op={RESET}
          label="Remove two-step verification…"
          title="Remove two-step verification?"
          kind="danger"
        >
          {(close) => <ResetForm id={id} onDone={close} />}
        </FormButton>
      }
    >
      <May op={KEY}>
        <ApiKeys id={id} />
      </May>
    </Card>
  );
}

function ResetForm({ id, onDone }: { id: number; onDone: () => void }) {
  const reset = useAct(RESET, { stale: STALE, said: 'Two-step verification removed', onDone });
  return (
    <Form
      act={reset}
      input={(f) => ({ path: { id }, body: { reason: f.text('reason') } })}
      submit="Remove two-step verification"
      kind="danger"
    >
      <Field name="reason" label="How was the user verified?" required />
    </Form>
  );
}

/** Creates and revokes the key of a user. A new key is shown once. */
function ApiKeys({ id }: { id: number }) {
  const [made, setMade] = useState<string>();
  const make = useAct('POST /admin/api-keys', {
    stale: [KEY],
    said: 'API key created',
    onDone: ({ key }) => setMade(key),
  });
  const revoke = useAct('DELETE /admin/api-keys/{userId}', {
    stale: [KEY],
    said: 'API key revoked',
    onDone: () => setMade(undefined),
  });
  return (
    <div className="stack">
      <ApiKey id={id} />
      {made && (
        <p>
          Their new key, shown this once: <code>{made}</code>
        </p>
      )}
      <May op={make.op}>
        <div className="actions">
          <ActButton
            act={make}
            input={{ body: { userId: id } }}
            confirm="Create an API key? It replaces the current one."
          >
            New API key
          </ActButton>
          <ActButton
            act={revoke}
            input={{ path: { userId: id } }}
            kind="danger"
            confirm="Revoke the API key?"
          >
            Revoke API key
          </ActButton>
        </div>
      </May>
    </div>
  );
}

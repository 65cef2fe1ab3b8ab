import { useState } from 'react';
import { When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Facts, Loaded } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';

const ONE = 'GET /admin/user/{id}';
const KEY = 'GET /admin/api-keys/{userId}';

/** Shows the user's API key, masked. */
function ApiKey({ id }: { id: number }) {
  const key = useRead(KEY, { path: { userId: id } });
  if (key.error?.code === 'API_KEY_NOT_FOUND') return <p className="dim">No API key.</p>;
  return (
    <Loaded of={key}>
      {({ key: masked, createdAt }) => (
        <Facts of={{ 'API key': <code>{masked}</code>, Made: <When at={createdAt} /> }} />
      )}
    </Loaded>
  );
}

/** Second factor and API key. */
export function Access({ id }: { id: number }) {
  const reset = useAct('DELETE /admin/user/{id}/mfa', {
    stale: [ONE],
    said: 'Two-step verification removed',
  });
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
    <Card title="Access">
      <div className="stack">
        <May op={reset.op}>
          <Form
            act={reset}
            input={(f) => ({ path: { id }, body: { reason: f.text('reason') } })}
            submit="Remove two-step verification"
            kind="danger"
            confirm="Remove two-step verification of this user?"
            isEmptied
          >
            <Field name="reason" label="How was the user verified?" required />
          </Form>
        </May>
        <May op={KEY}>
          <ApiKey id={id} />
        </May>
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
    </Card>
  );
}

import type { PromoAdmin } from '../../../../client/call.ts';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { exactMoney } from '../../../kit/intl.ts';
import { Card, Facts, words } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { UserLink } from '../../user-link.tsx';
import { GRANTS } from '../user/shared.ts';
import { Reward } from './reward.tsx';

export function GrantToPlayers({ of: { id, reward } }: { of: PromoAdmin }) {
  const grant = useAct('POST /admin/promo/{id}/grant', {
    stale: ['GET /admin/promo/{id}', GRANTS],
    said: ({ granted, skipped }) => `Granted: ${granted}, skipped: ${skipped.length}`,
  });
  return (
    <May op={grant.op}>
      <Card title="Grant to players">
        <Form
          act={grant}
          input={(f) => ({
            path: { id },
            body: {
              userIds: f.list('userIds').map(Number),
              reason: f.text('reason'),
              amount: f.optional('amount'),
              currencyId: f.optional('currencyId'),
            },
          })}
          submit="Grant promotion"
          confirm="Grant this promotion to these players?"
          tells={({ body }) => (
            <Facts
              isRows
              of={{
                Players: body.userIds.map((userId, at) => (
                  <span key={userId}>
                    {at > 0 && ', '}
                    <UserLink of={{ id: userId }} />
                  </span>
                )),
                'Each gets': body.amount ? (
                  exactMoney(body.amount, body.currencyId ?? reward.currencyId)
                ) : (
                  <Reward of={reward} />
                ),
              }}
            />
          )}
        >
          <TextArea
            name="userIds"
            label="User IDs"
            hint="comma-separated or one per line, 500 at most"
            required
            rows={2}
          />
          <TextArea name="reason" label="Reason" required maxLength={500} rows={2} />
          <AmountField name="amount" label="Amount, if different from the promotion" />
          <Field name="currencyId" label="Currency" maxLength={16} />
        </Form>
        <Skipped of={grant.answered?.skipped ?? []} />
      </Card>
    </May>
  );
}

function Skipped({ of }: { of: readonly { userId: number; rule: string }[] }) {
  if (of.length === 0) return null;
  return (
    <>
      <h3>Skipped</h3>
      <ul>
        {of.map(({ userId, rule }) => (
          <li key={userId}>
            <UserLink of={{ id: userId }} />: {words(rule)}
          </li>
        ))}
      </ul>
    </>
  );
}

import { useState } from 'react';
import type { Input } from '../../../../client/call.ts';
import { AmountInput } from '../../../kit/form/amount-field.tsx';
import { Check } from '../../../kit/form/choice.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { money } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Pick } from '../../../kit/pick/pick.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { kit } from '../../../kit/words.ts';
import { useBalances, useCurrency } from '../../balances.ts';
import { words } from '../../words.ts';
import { useDecimals } from '../wallet/parts.tsx';
import { Rows } from './parts.tsx';

export const TIPS = 'GET /user-tips';
export const LIMITS = 'GET /user-tips/limits';
const SEND = 'POST /user-tips';

/** Sends a tip. `to`: the recipient, if the player chose one in the chat. */
export function TipForm({ to, onSent }: { to?: string; onSent?: () => void }) {
  const { tips } = words.club;
  const limits = useRead(LIMITS, {});
  const { data: balances = [] } = useBalances();
  const current = useCurrency();
  const [chosen, setChosen] = useState<string>();
  const [amount, setAmount] = useState('');
  const currencyId = chosen ?? current.currencyId;
  const decimals = useDecimals(currencyId);
  const balance = balances.find((one) => one.currencyId === currencyId);
  const send = useAct(SEND, {
    stale: [TIPS, LIMITS, 'GET /accounting/balances'],
    said: tips.given,
    onDone: () => {
      setAmount('');
      onSent?.();
    },
  });
  const blockers = limits.data?.blockers ?? [];
  if (blockers.length > 0) return <Blocked by={blockers} />;
  return (
    <Form
      act={send}
      input={(f) => ({
        body: {
          recipientUsername: to ?? f.text('recipientUsername'),
          currencyId,
          amount,
          message: f.optional('message'),
          isPublic: f.flag('isPublic'),
        },
      })}
      submit={tips.send}
      confirm={tips.ask}
      tells={(input) => <Summary of={input} />}
      isEmptied
    >
      {to === undefined && (
        <Field name="recipientUsername" label={tips.to} icon="user" required maxLength={20} />
      )}
      <Pick
        label={words.frame.currency}
        options={balances.map((one) => ({
          value: one.currencyId,
          text: one.currencyId,
          note: money(one.amount, one.currencyId),
        }))}
        value={currencyId}
        onChange={setChosen}
      />
      <AmountInput
        label={tips.amount}
        value={amount}
        onChange={setAmount}
        currency={currencyId}
        decimals={decimals}
        right={balance && tips.available(money(balance.amount, currencyId))}
        hint={limits.data && tips.minimum(money(limits.data.minUsd))}
        required
      />
      <Field name="message" label={tips.message} maxLength={200} />
      <Check name="isPublic" label={tips.isPublic} defaultChecked={to !== undefined} />
    </Form>
  );
}

function Blocked({ by }: { by: readonly string[] }) {
  return (
    <Note kind="warn">
      <strong>{words.club.tips.notNow}</strong>
      {by.map((code) => (
        <p key={code}>{kit.refusal({ code, message: code, details: {} })}</p>
      ))}
    </Note>
  );
}

function Summary({ of: { body } }: { of: Input<typeof SEND> }) {
  const { tips } = words.club;
  return (
    <>
      <Rows
        of={[
          [
            tips.to,
            <span key="to" translate="no">
              {body.recipientUsername}
            </span>,
          ],
          [tips.amount, money(body.amount, body.currencyId)],
          ...(body.message ? [[tips.message, body.message] as const] : []),
        ]}
      />
      <Note kind="warn">{tips.final}</Note>
    </>
  );
}

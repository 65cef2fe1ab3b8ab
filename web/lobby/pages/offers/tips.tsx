import { useState } from 'react';
import type { ReceivedAdminTipRow, UserTipLimits, UserTipRow } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { AmountField, Check, Field, Form, Select } from '../../../kit/form.tsx';
import { Card, Facts, Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { type Columns, List } from '../../../kit/table.tsx';
import { kit } from '../../../kit/words.ts';
import { useBalances, useCurrency } from '../../balances.ts';
import { words } from '../../words.ts';
import { OfferTabs, useSite } from './parts.tsx';

const TIPS = 'GET /user-tips';
const LIMITS = 'GET /user-tips/limits';

/** Sends money to another player, and lists received tips. */
export function Tips() {
  const { tips } = words.offers;
  const limits = useRead(LIMITS, {});
  return (
    <Page title={tips.title} filters={<OfferTabs />}>
      <div className="stack">
        <p>{tips.hint}</p>
        <Loaded of={limits}>
          {(known) => (
            <div className="cards">
              <Card title={tips.give}>
                <Give of={known} />
              </Card>
              <Card title={tips.limits}>
                <Limits of={known} />
              </Card>
            </div>
          )}
        </Loaded>
        <Own direction="RECEIVED" title={tips.received} />
        <Own direction="SENT" title={tips.sent} />
        <FromHouse />
      </div>
    </Page>
  );
}

function Limits({ of }: { of: UserTipLimits }) {
  const { tips } = words.offers;
  const percent = useSite().data?.tips.recipientTurnoverPercent;
  return (
    <div className="stack">
      <Facts
        of={{
          [tips.least]: <Usd of={of.minUsd} />,
          [tips.sentToday]: (
            <>
              <Amount of={of.sentTodayUsd} /> / <Usd of={of.sentLimitUsd} />
            </>
          ),
          [tips.receivedToday]: (
            <>
              <Amount of={of.receivedTodayUsd} /> / <Usd of={of.receivedLimitUsd} />
            </>
          ),
          [tips.resets]: <When at={of.resetsAt} />,
        }}
      />
      {percent !== undefined && percent > 0 && <p className="dim">{tips.turnover(percent)}</p>}
    </div>
  );
}

function Give({ of: { blockers } }: { of: UserTipLimits }) {
  const { tips } = words.offers;
  const { data: balances = [] } = useBalances();
  const { currencyId } = useCurrency();
  const give = useAct('POST /user-tips', {
    stale: [TIPS, LIMITS, 'GET /accounting/balances'],
    said: tips.given,
  });
  if (blockers.length > 0)
    return (
      <div className="stack">
        <p>{tips.notNow}</p>
        <ul>
          {blockers.map((code) => (
            <li key={code}>{kit.refusal({ code, message: code, details: {} })}</li>
          ))}
        </ul>
      </div>
    );
  return (
    <Form
      act={give}
      input={(f) => ({
        body: {
          recipientUsername: f.text('recipientUsername'),
          currencyId: f.text('currencyId'),
          amount: f.text('amount').replace(',', '.'),
          message: f.optional('message'),
          isPublic: f.flag('isPublic'),
        },
      })}
      submit={tips.send}
      confirm={tips.ask}
      tells={({ body }) => (
        <p>
          <Amount of={body.amount} in={body.currencyId} /> → <strong>{body.recipientUsername}</strong>.{' '}
          {tips.final}
        </p>
      )}
      isEmptied
    >
      <Field name="recipientUsername" label={tips.to} required maxLength={20} />
      <Select
        name="currencyId"
        label={words.frame.currency}
        of={balances.map(({ currencyId: id }) => ({ value: id, label: id }))}
        defaultValue={currencyId}
      />
      <AmountField
        name="amount"
        label={tips.amount}
        required
        pattern="(0|[1-9][0-9]{0,11})([.,][0-9]{1,8})?"
      />
      <Field name="message" label={tips.message} maxLength={200} />
      <Check name="isPublic" label={tips.isPublic} />
    </Form>
  );
}

function Own({ direction, title }: { direction: 'SENT' | 'RECEIVED'; title: string }) {
  const { tips } = words.offers;
  const [page, setPage] = useState(1);
  const list = useRead(TIPS, { query: { direction, page, take: 10 } });
  const columns: Columns<UserTipRow> = [
    { head: direction === 'SENT' ? tips.to : tips.from, of: ({ user }) => user.username },
    { head: tips.amount, of: (row) => <Amount of={row.amount} in={row.currencyId} />, end: true },
    { head: tips.worth, of: ({ usdAmount }) => <Usd of={usdAmount} />, end: true },
    { head: tips.at, of: ({ createdAt }) => <When at={createdAt} /> },
    { head: tips.message, of: ({ message }) => message ?? '–', wide: true },
  ];
  return (
    <Card title={title}>
      <List
        of={list}
        columns={columns}
        caption={title}
        keyOf={({ id }) => id}
        empty={tips.none}
        onPage={setPage}
      />
    </Card>
  );
}

/** Money that staff have given to the player. */
function FromHouse() {
  const { tips } = words.offers;
  const [page, setPage] = useState(1);
  const list = useRead('GET /admin-tips', { query: { page, take: 10 } });
  const columns: Columns<ReceivedAdminTipRow> = [
    { head: tips.at, of: ({ createdAt }) => <When at={createdAt} /> },
    { head: tips.amount, of: (row) => <Amount of={row.amount} in={row.currencyId} />, end: true },
    { head: tips.worth, of: ({ usdAmount }) => <Usd of={usdAmount} />, end: true },
  ];
  return (
    <Card title={tips.house}>
      <List
        of={list}
        columns={columns}
        caption={tips.house}
        keyOf={({ id }) => id}
        empty={tips.none}
        onPage={setPage}
      />
    </Card>
  );
}

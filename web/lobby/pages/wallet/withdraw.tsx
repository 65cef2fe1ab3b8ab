import { useState } from 'react';
import { Link } from 'wouter';
import type { Input, PaymentMethod, WithdrawEligibility, WithdrawEstimate } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { CodeField, Field, Form, Select } from '../../../kit/form.tsx';
import { Card, Empty, Facts, Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { kit } from '../../../kit/words.ts';
import { useBalances, useCurrency } from '../../balances.ts';
import { words } from '../../words.ts';
import { Withdrawals } from './history.tsx';
import { networkName, Sum, sumOf, useCurrencies, WalletTabs } from './parts.tsx';

const ELIGIBILITY = 'GET /payments/withdraw/eligibility';
const CHANGED = ['GET /payments/withdraw', ELIGIBILITY, 'GET /accounting/balances'] as const;

type NewWithdrawal = Input<'POST /payments/withdraw'>['body'];

/** The withdrawable amount, everything that blocks a withdrawal, and the withdrawal form. */
export function Withdraw() {
  const { withdraw } = words.money;
  const { currencyId: played } = useCurrency();
  const balances = useBalances();
  const [currencyId, choose] = useState(played);
  const ids = balances.data?.map((balance) => balance.currencyId) ?? [currencyId];
  return (
    <Page title={withdraw.title} filters={<WalletTabs />}>
      <div className="stack">
        <Card>
          <Select
            name="currencyId"
            label={words.frame.currency}
            of={ids.map((id) => ({ value: id, label: id }))}
            value={currencyId}
            onChange={(event) => choose(event.target.value)}
          />
        </Card>
        <OfCurrency key={currencyId} currencyId={currencyId} />
        <Card title={words.money.history.withdrawals}>
          <Withdrawals take={5} />
        </Card>
      </div>
    </Page>
  );
}

function OfCurrency({ currencyId }: { currencyId: string }) {
  const { withdraw } = words.money;
  const may = useRead(ELIGIBILITY, { query: { currencyId } });
  const methods = useRead('GET /payments/methods', { query: { direction: 'WITHDRAW' } });
  return (
    <Loaded of={may}>
      {(eligibility) => (
        <div className="cards">
          <Card title={withdraw.available}>
            <Eligibility of={eligibility} currencyId={currencyId} />
          </Card>
          {eligibility.canWithdraw && (
            <Card title={withdraw.title}>
              <Loaded of={methods}>
                {(all) => (
                  <Order
                    currencyId={currencyId}
                    needsCode={eligibility.mfaRequired}
                    methods={all.filter(
                      (method) =>
                        method.currencyId === currencyId && method.withdrawEnabled && method.networkId,
                    )}
                  />
                )}
              </Loaded>
            </Card>
          )}
        </div>
      )}
    </Loaded>
  );
}

function Eligibility({ of, currencyId }: { of: WithdrawEligibility; currencyId: string }) {
  const { withdraw } = words.money;
  const amount = (text: string) => <Amount of={text} in={currencyId} />;
  return (
    <div className="stack">
      {of.reasons.length > 0 && (
        <div className="refusal">
          <p>{withdraw.not}</p>
          <ul>
            {of.reasons.map((code) => (
              <li key={code}>
                <Reason code={code} of={of} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <Facts
        of={{
          [withdraw.have]: amount(of.available),
          [withdraw.locked]: amount(of.lockedByRollover),
          [withdraw.wager]: <Usd of={of.wagerRemainingUsd} />,
          [withdraw.least]: amount(of.minAmount),
          [withdraw.most]: amount(of.maxAmount),
          [withdraw.today]:
            of.dailyRemainingUsd === null ? withdraw.unlimited : <Usd of={of.dailyRemainingUsd} />,
        }}
      />
    </div>
  );
}

/** One reason why a withdrawal is blocked, with details and a link to the page where the player can resolve it. */
function Reason({ code, of: { block, kyc, wagerRemainingUsd } }: { code: string; of: WithdrawEligibility }) {
  const { withdraw, kyc: identity } = words.money;
  const text = withdraw.reasons[code] ?? kit.refusal({ code, message: code, details: {} });
  if (code === 'KYC_REQUIRED')
    return (
      <>
        {text} {kyc.tier && identity.tiers[kyc.tier]}: <Link href="/wallet/identity">{identity.title}</Link>
      </>
    );
  if (code === 'ROLLOVER_OPEN')
    return (
      <>
        {text} <Usd of={wagerRemainingUsd} />
      </>
    );
  if (code === 'WITHDRAWAL_BLOCKED' && block)
    return (
      <>
        {text} {block.reasonPublic}{' '}
        {block.blockUntil && (
          <>
            {withdraw.until} <When at={block.blockUntil} />
          </>
        )}
      </>
    );
  return text;
}

type OrderProps = { currencyId: string; needsCode: boolean; methods: readonly PaymentMethod[] };

/** First requests a quote with the fee, and then makes the withdrawal with this quote. */
function Order({ currencyId, needsCode, methods }: OrderProps) {
  const { withdraw } = words.money;
  const all = useCurrencies();
  const [networkId, setNetwork] = useState(methods[0]?.networkId ?? '');
  const [quote, setQuote] = useState<WithdrawEstimate>();
  const [order, setOrder] = useState<NewWithdrawal>();
  const estimate = useAct('POST /payments/withdraw/estimate');
  const method = methods.find((one) => one.networkId === networkId);
  if (!method) return <Empty>{withdraw.none}</Empty>;
  return (
    <>
      <Form
        act={estimate}
        input={(f) => {
          const body = { currencyId, networkId, amount: sumOf(f, 'amount') };
          const recipientMemo = f.optional('recipientMemo');
          const recipientAddress = f.text('recipientAddress');
          setOrder({ ...body, recipientAddress, ...(recipientMemo ? { recipientMemo } : {}) });
          return { body };
        }}
        submit={withdraw.estimate}
        onDone={setQuote}
      >
        <Select
          name="networkId"
          label={words.money.network}
          of={methods.map(({ networkId: id }) => ({
            value: id!,
            label: networkName(all.data, currencyId, id!),
          }))}
          value={networkId}
          onChange={(event) => setNetwork(event.target.value)}
        />
        <Recipient hasMemo={method.memoRequired} />
        <Sum name="amount" label={`${words.money.amount} (${currencyId})`} hint={withdraw.feeHint} />
      </Form>
      {quote && order && (
        <Confirm order={order} quote={quote} needsCode={needsCode} onClose={() => setQuote(undefined)} />
      )}
    </>
  );
}

function Recipient({ hasMemo }: { hasMemo: boolean }) {
  const { withdraw } = words.money;
  return (
    <>
      <Field
        name="recipientAddress"
        label={withdraw.address}
        hint={withdraw.addressHint}
        required
        maxLength={200}
        spellCheck={false}
      />
      {hasMemo && (
        <Field name="recipientMemo" label={withdraw.memo} hint={withdraw.memoHint} required maxLength={100} />
      )}
    </>
  );
}

type ConfirmProps = {
  order: NewWithdrawal;
  quote: WithdrawEstimate;
  needsCode: boolean;
  onClose: () => void;
};

/** Shows amount and recipient for confirmation. If the account has a second factor, each withdrawal needs a new code. */
function Confirm({ order, quote, needsCode, onClose }: ConfirmProps) {
  const { withdraw, history } = words.money;
  const request = useAct('POST /payments/withdraw', { stale: CHANGED, said: withdraw.asked });
  const { currencyId } = order;
  return (
    <Dialog title={withdraw.confirm} onClose={onClose}>
      <Form
        act={request}
        input={(f) => ({
          body: { ...order, quoteId: quote.quoteId, ...(needsCode ? { mfaCode: f.text('mfaCode') } : {}) },
        })}
        submit={withdraw.send}
        onDone={onClose}
      >
        <Facts
          of={{
            [words.money.amount]: <Amount of={quote.amount} in={currencyId} />,
            [history.fee]: <Amount of={quote.fee} in={currencyId} />,
            [history.received]: <Amount of={quote.receiveAmount} in={currencyId} />,
            [history.usd]: <Usd of={quote.usdAmount} />,
            [history.to]: order.recipientAddress,
            ...(order.recipientMemo && { [withdraw.memo]: order.recipientMemo }),
            [withdraw.validUntil]: <When at={quote.expiresAt} />,
          }}
        />
        <p>{withdraw.final}</p>
        {needsCode && <CodeField label={words.entry.code} />}
      </Form>
    </Dialog>
  );
}

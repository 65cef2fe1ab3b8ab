import { useState } from 'react';
import type { PlayerDeposit, PlayerWithdrawal, StatusChange } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form.tsx';
import { Card, Copy, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { type Columns, List } from '../../../kit/table.tsx';
import { State } from '../../state.tsx';
import { words } from '../../words.ts';
import { networkName, useCurrencies, WalletTabs } from './parts.tsx';

const DEPOSITS = 'GET /payments/deposit';
const WITHDRAWALS = 'GET /payments/withdraw';
/** Polling interval while there is no socket. With a socket, events report every change. */
const EVERY_MS = 30_000;

/** The player's deposits and withdrawals. */
export function History() {
  const { history } = words.money;
  return (
    <Page title={history.title} filters={<WalletTabs />}>
      <div className="stack">
        <Card title={history.deposits}>
          <Deposits take={20} />
        </Card>
        <Card title={history.withdrawals}>
          <Withdrawals take={20} />
        </Card>
      </div>
    </Page>
  );
}

/** The status changes in chronological order. */
function Timeline({ of }: { of: readonly StatusChange[] }) {
  const { history } = words.money;
  return (
    <details>
      <summary>{history.steps(of.length)}</summary>
      <ol className="timeline">
        {of.map(({ status, at, reason }) => (
          <li key={`${status} ${at}`}>
            <State of={status} words={history.states} /> <When at={at} />
            {reason && <span className="dim"> {history.reasons[reason] ?? reason}</span>}
          </li>
        ))}
      </ol>
    </details>
  );
}

export function Deposits({ take }: { take: number }) {
  const { history } = words.money;
  const [page, toPage] = useState(1);
  const currencies = useCurrencies();
  const list = useRead(DEPOSITS, { query: { page, take } }, { everyMs: EVERY_MS });
  const columns: Columns<PlayerDeposit> = [
    { head: history.at, of: (d) => <When at={d.createdAt} /> },
    { head: history.state, of: (d) => <Progress of={d} /> },
    { head: words.money.amount, of: (d) => <Amount of={d.amount} in={d.currencyId} />, end: true },
    { head: history.usd, of: (d) => <Usd of={d.usdAmount} />, end: true },
    { head: history.bonus, of: (d) => <Amount of={d.depositBonus} />, end: true },
    {
      head: words.money.network,
      of: ({ currencyId, networkId }) =>
        networkId === null ? words.money.skins.title : networkName(currencies.data, currencyId, networkId),
    },
    { head: history.transaction, of: (d) => <Hash of={d.txHash ?? d.transactionId} /> },
    { head: history.course, of: (d) => <Timeline of={d.statusHistory} /> },
  ];
  return (
    <List
      of={list}
      columns={columns}
      caption={history.deposits}
      keyOf={({ id }) => id}
      empty={history.noDeposits}
      onPage={toPage}
    />
  );
}

function Progress({ of: { status, confirmations, requiredConfirmations } }: { of: PlayerDeposit }) {
  const { history } = words.money;
  const isWaiting = status === 'DETECTED' || status === 'CONFIRMING';
  return (
    <>
      <State of={status} words={history.states} />
      {isWaiting && <small className="dim"> {history.confirmed(confirmations, requiredConfirmations)}</small>}
    </>
  );
}

const Hash = ({ of }: { of: string | null }) => (of ? <Copy text={of} /> : <span className="dim">–</span>);

export function Withdrawals({ take }: { take: number }) {
  const { history } = words.money;
  const [page, toPage] = useState(1);
  const list = useRead(WITHDRAWALS, { query: { page, take } }, { everyMs: EVERY_MS });
  const columns: Columns<PlayerWithdrawal> = [
    { head: history.at, of: (w) => <When at={w.createdAt} /> },
    { head: history.state, of: (w) => <Outlook of={w} />, wide: true },
    { head: words.money.amount, of: (w) => <Amount of={w.amount} in={w.currencyId} />, end: true },
    { head: history.fee, of: (w) => <Amount of={w.fee} in={w.currencyId} />, end: true },
    { head: history.received, of: (w) => <Amount of={w.receiveAmount} in={w.currencyId} />, end: true },
    { head: history.to, of: (w) => <Copy text={w.recipientAddress} /> },
    { head: history.transaction, of: (w) => <Hash of={w.txHash} /> },
    { head: history.course, of: (w) => <Timeline of={w.statusHistory} /> },
  ];
  return (
    <List
      of={list}
      columns={columns}
      caption={history.withdrawals}
      keyOf={({ id }) => id}
      empty={history.noWithdrawals}
      onPage={toPage}
    />
  );
}

/** The status of a withdrawal, the reason why it was stopped, its expected duration, and a button to cancel it if that is possible. */
function Outlook({ of: withdrawal }: { of: PlayerWithdrawal }) {
  const { history } = words.money;
  const { status, etaMinutes, rejectReason, failedReason } = withdrawal;
  const why = rejectReason ?? failedReason;
  return (
    <div className="stack tight">
      <State of={status} words={history.states} />
      {why && <small>{history.reasons[why] ?? why}</small>}
      {etaMinutes !== null && <small className="dim">{history.eta(etaMinutes)}</small>}
      {status === 'WAITING_FOR_APPROVAL' && <Cancel id={withdrawal.id} />}
    </div>
  );
}

function Cancel({ id }: { id: string }) {
  const { history } = words.money;
  const cancel = useAct('POST /payments/withdraw/cancel', {
    stale: [WITHDRAWALS, 'GET /payments/withdraw/eligibility', 'GET /accounting/balances'],
    said: history.cancelled,
  });
  return (
    <ActButton act={cancel} input={{ body: { id } }} confirm={history.confirmCancel}>
      {history.cancel}
    </ActButton>
  );
}

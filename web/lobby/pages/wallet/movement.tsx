import './movement.css';
import type { ReactNode } from 'react';
import type { PlayerDeposit, PlayerWithdrawal, StatusChange } from '../../../../client/call.ts';
import { Amount, Coin, Usd, When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { networkName } from '../../../kit/networks.ts';
import { Note } from '../../../kit/note.tsx';
import { Copy, Facts } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { State } from '../../state.tsx';
import { words } from '../../words.ts';
import { useCurrencies } from './parts.tsx';

type MovementProps = {
  currencyId: string;
  amount: string;
  status: string;
  /** Before the status: its time or its progress. */
  note: ReactNode;
  isOpen?: boolean;
  children: ReactNode;
};

/** One line about money that came or left. It opens to everything that is known about it. */
function Movement({ currencyId, amount, status, note, isOpen = false, children }: MovementProps) {
  return (
    <details className="movement" open={isOpen}>
      <summary>
        <Coin of={currencyId} size={24} />
        <span className="what">
          <strong>
            <Amount of={amount} in={currencyId} />
          </strong>
          <span className="faint sm">{note}</span>
        </span>
        <State of={status} words={words.money.history.states} />
        <Icon name="chevron-down" size={16} />
      </summary>
      <div className="stack">{children}</div>
    </details>
  );
}

/** A reason in words. Codes without words are for support. */
const reasonOf = (reason: string | null): string | undefined =>
  reason === null || reason === ''
    ? undefined
    : (words.money.history.reasons[reason] ?? (/^[A-Z_]+$/.test(reason) ? undefined : reason));

/** The status changes in chronological order. */
function Steps({ of }: { of: readonly StatusChange[] }) {
  const { history } = words.money;
  if (of.length === 0) return null;
  return (
    <section className="stack tight">
      <h3>{history.steps}</h3>
      <ol className="steps">
        {of.map(({ status, at, reason }) => (
          <li key={`${status} ${at}`}>
            <span>{history.states[status] ?? status}</span>
            <span className="faint sm">
              <When at={at} />
            </span>
            {reasonOf(reason) && <small className="dim">{reasonOf(reason)}</small>}
          </li>
        ))}
      </ol>
    </section>
  );
}

const copied = (text: string | null) => text && <Copy text={text} />;

/** Leaves out what is not known. */
const known = (facts: Readonly<Record<string, ReactNode>>) =>
  Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  );

export function DepositRow({ of: deposit }: { of: PlayerDeposit }) {
  const { history } = words.money;
  const currencies = useCurrencies();
  const { currencyId, networkId, status, confirmations, requiredConfirmations } = deposit;
  const isWaiting = status === 'DETECTED' || status === 'CONFIRMING';
  return (
    <Movement
      currencyId={currencyId}
      amount={deposit.amount}
      status={status}
      note={
        isWaiting ? (
          <span title={history.confirmed(confirmations, requiredConfirmations)}>
            {history.ofConfirmations(confirmations, requiredConfirmations)}
          </span>
        ) : (
          <When at={deposit.createdAt} />
        )
      }
    >
      {history.hints[status] && <Note>{history.hints[status]}</Note>}
      <Facts
        isRows
        of={known({
          [history.at]: <When at={deposit.createdAt} />,
          [history.value]: <Usd of={deposit.usdAmount} />,
          [history.bonus]: deposit.depositBonus && <Amount of={deposit.depositBonus} in={currencyId} />,
          [history.network]:
            networkId === null ? history.skins : networkName(currencies.data, networkId, currencyId),
          [history.address]: copied(deposit.payAddress),
          [history.memo]: copied(deposit.payMemo),
          [history.transaction]: copied(deposit.txHash ?? deposit.transactionId),
        })}
      />
      <Steps of={deposit.statusHistory} />
    </Movement>
  );
}

export function WithdrawalRow({ of: one, isOpen = false }: { of: PlayerWithdrawal; isOpen?: boolean }) {
  const { history } = words.money;
  const currencies = useCurrencies();
  const { currencyId, networkId, status, etaMinutes } = one;
  const why = reasonOf(one.rejectReason) ?? reasonOf(one.failedReason);
  return (
    <Movement
      currencyId={currencyId}
      amount={one.amount}
      status={status}
      note={<When at={one.createdAt} />}
      isOpen={isOpen}
    >
      {(history.hints[status] || why || etaMinutes !== null) && (
        <Note kind={status === 'REJECTED' || status === 'FAILED' ? 'warn' : 'plain'}>
          {history.hints[status] && <p>{history.hints[status]}</p>}
          {why && <p>{why}</p>}
          {etaMinutes !== null && <p>{history.eta(etaMinutes)}</p>}
        </Note>
      )}
      <Facts
        isRows
        of={known({
          [history.at]: <When at={one.createdAt} />,
          [history.value]: <Usd of={one.usdAmount} />,
          [history.fee]: <Amount of={one.fee} in={currencyId} />,
          [history.received]: <Amount of={one.receiveAmount} in={currencyId} />,
          [history.network]: networkId && networkName(currencies.data, networkId, currencyId),
          [history.address]: copied(one.recipientAddress),
          [history.memo]: copied(one.recipientMemo),
          [history.transaction]: copied(one.txHash),
        })}
      />
      <Steps of={one.statusHistory} />
      {status === 'WAITING_FOR_APPROVAL' && <Cancel id={one.id} />}
    </Movement>
  );
}

function Cancel({ id }: { id: string }) {
  const { history } = words.money;
  const cancel = useAct('POST /payments/withdraw/cancel', {
    stale: ['GET /payments/withdraw', 'GET /payments/withdraw/eligibility', 'GET /accounting/balances'],
    said: history.cancelled,
  });
  return (
    <div className="actions">
      <ActButton act={cancel} input={{ body: { id } }} confirm={history.confirmCancel} kind="danger">
        {history.cancel}
      </ActButton>
    </div>
  );
}

import { Link } from 'wouter';
import type { Balance, VaultBalance } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Facts, Loaded } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May, useMissing } from '../../../kit/session.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';
import { FormButton } from '../../form-button.tsx';
import { MoneyFacts } from '../../money-facts.tsx';
import { Waiting } from '../../waiting.tsx';
import { MoveMoney } from '../tips.tsx';
import { MONEY, STALE } from './shared.ts';

const BALANCES = 'GET /admin/accounting/balances';
const BLOCK = 'GET /admin/withdrawals-block/{userId}';
const TOTAL = 'GET /admin/accounting/usd-balance/{userId}';
const SET = 'PUT /admin/user/{id}/balance';
const SET_BLOCK = 'POST /admin/withdrawals-block/{userId}';
const END = 'POST /admin/admin-tips/end-turnover';

const CASH: Columns<Balance> = [
  { head: 'Currency', of: ({ currencyId }) => currencyId },
  { head: 'Cash', of: ({ amount }) => <Amount of={amount} />, end: true },
  { head: 'Value', of: ({ usdAmount }) => <Usd of={usdAmount} />, end: true },
  { head: 'Updated', of: ({ updatedAt }) => <When at={updatedAt} /> },
];

const VAULT: Columns<VaultBalance> = [
  { head: 'Currency', of: ({ currencyId }) => currencyId },
  { head: 'Vault', of: ({ vaultAmount }) => <Amount of={vaultAmount} />, end: true },
];

const currencyOf = ({ currencyId }: { currencyId: string }) => currencyId;

export function UserMoney({ id }: { id: number }) {
  const cash = useRead(BALANCES, { query: { userId: id } });
  const vault = useRead('GET /admin/accounting/vault-balances', { query: { userId: id } });
  const total = useRead(TOTAL, { path: { userId: id } });
  const stats = useRead('GET /admin/user/{id}/full/stats', { path: { id } });
  return (
    <div className="stack">
      <Waiting
        of={['balance', 'admin-tip', 'admin-deduction', 'admin-tip.end-turnover']}
        about={{ userId: id }}
      />
      <div className="cards">
        <Card
          title="Cash"
          actions={
            <>
              <May op="POST /admin/accounting/transactions">
                <Link href={`/statement?userId=${id}`}>Ledger</Link>
              </May>
              <CashActions id={id} />
            </>
          }
        >
          {total.data && (
            <p>
              Total <Usd of={total.data.usdAmount} />
            </p>
          )}
          <Loaded of={cash}>
            {(all) => (
              <Table rows={all} columns={CASH} caption="Cash" keyOf={currencyOf} empty="No cash balance" />
            )}
          </Loaded>
        </Card>
        <Card title="Vault">
          <Loaded of={vault}>
            {(all) => (
              <Table rows={all} columns={VAULT} caption="Vault" keyOf={currencyOf} empty="No vault balance" />
            )}
          </Loaded>
        </Card>
      </div>
      <Card title="Play and payments">
        <Loaded of={stats}>
          {(s) => (
            <Facts
              of={{
                Wagered: <Usd of={s.totalWagered} />,
                Payouts: <Usd of={s.totalPayouts} />,
                'Net result for the house': <Usd of={s.ggr} />,
                Bets: s.totalBets,
                'Average bet': <Usd of={s.avgBet} />,
                Deposits: <Usd of={s.totalDeposits} />,
                Withdrawals: <Usd of={s.totalWithdraws} />,
                'Net deposit': <Usd of={s.netDeposit} />,
              }}
            />
          )}
        </Loaded>
      </Card>
      <Withdrawals id={id} />
      <Block id={id} />
    </div>
  );
}

/** The number of the user's withdrawals in each state. */
function Withdrawals({ id }: { id: number }) {
  const stats = useRead('GET /admin/payments/withdraw/stats/{userId}', { path: { userId: id } });
  return (
    <May op="GET /admin/payments/withdraw/stats/{userId}">
      <Card title="Withdrawals">
        <Loaded of={stats}>
          {(s) => (
            <Facts
              of={{
                Total: <Link href={`/withdrawals?status=&userId=${id}`}>{s.total}</Link>,
                'Pending approval': s.waitingForApproval,
                Approved: s.approved,
                Rejected: s.rejected,
                Failed: s.failed,
              }}
            />
          )}
        </Loaded>
      </Card>
    </May>
  );
}

/** Forms that change the balances of a user. */
const CashActions = ({ id }: { id: number }) => (
  <>
    <MoveMoney to={id} />
    <FormButton op={SET} label="Set balance…" title="Set balance" kind="danger" size="sm">
      {(close) => <SetForm id={id} onDone={close} />}
    </FormButton>
    <FormButton op={END} label="End turnover…" title="End turnover of a self-excluded player" size="sm">
      {(close) => <EndForm id={id} onDone={close} />}
    </FormButton>
  </>
);

type FormProps = { id: number; onDone: () => void };

function SetForm({ id, onDone }: FormProps) {
  const set = useAct(SET, { stale: [...STALE, ...MONEY], said: 'Balance set', onDone });
  return (
    <Form
      act={set}
      input={(f) => ({
        path: { id },
        body: { currencyId: f.text('currencyId'), balance: f.text('balance'), reason: f.optional('reason') },
      })}
      submit="Set balance"
      kind="danger"
      confirm="Set this balance?"
      tells={({ body }) => (
        <MoneyFacts
          player={id}
          label="New cash balance"
          amount={body.balance}
          currencyId={body.currencyId}
          of={{ Reason: body.reason }}
        />
      )}
    >
      <p className="dim">Large changes need a reason and a second approver.</p>
      <Field name="currencyId" label="Currency" required defaultValue="USDT" />
      <AmountField name="balance" label="New cash balance" required />
      <TextArea name="reason" label="Reason" maxLength={500} />
    </Form>
  );
}

/** The withdrawal block of a user, and the buttons that change it. */
function Block({ id }: { id: number }) {
  const block = useRead(BLOCK, { path: { userId: id } }, { isEnabled: useMissing(BLOCK) === undefined });
  const lift = useAct('DELETE /admin/withdrawals-block/{userId}', {
    stale: [...STALE, BLOCK],
    said: 'Withdrawals unblocked',
  });
  const isUnblocked = block.error?.code === 'WITHDRAWAL_BLOCK_NOT_FOUND';
  return (
    <May op={BLOCK}>
      <Card
        title="Withdrawal block"
        actions={
          block.data && !block.error ? (
            <ActButton act={lift} input={{ path: { userId: id } }} confirm="Lift the withdrawal block?">
              Lift block
            </ActButton>
          ) : (
            isUnblocked && (
              <FormButton op={SET_BLOCK} label="Block withdrawals…" title="Block withdrawals?" kind="danger">
                {(close) => <BlockForm id={id} onDone={close} />}
              </FormButton>
            )
          )
        }
      >
        {isUnblocked ? (
          <p className="dim">Withdrawals are not blocked</p>
        ) : (
          <Loaded of={{ ...block, data: block.error ? undefined : block.data }}>
            {({ blockUntil, reason }) => <Facts of={{ Until: <When at={blockUntil} />, Reason: reason }} />}
          </Loaded>
        )}
      </Card>
    </May>
  );
}

function BlockForm({ id, onDone }: FormProps) {
  const set = useAct(SET_BLOCK, { stale: [...STALE, BLOCK], said: 'Withdrawals blocked', onDone });
  return (
    <Form
      act={set}
      input={(f) => ({
        path: { userId: id },
        body: {
          reason: f.optional('reason'),
          reasonPublic: f.optional('reasonPublic'),
          blockUntil: f.moment('blockUntil'),
        },
      })}
      submit="Block withdrawals"
      kind="danger"
    >
      <Field name="reason" label="Reason (for staff)" />
      <Field name="reasonPublic" label="Reason (shown to player)" />
      <Field name="blockUntil" label="Until" type="datetime-local" />
    </Form>
  );
}

/**
 * Ends the turnover requirement of self-excluded players. They cannot wager, so they cannot meet the requirement that promotional cash and
 * tips create.
 */
function EndForm({ id, onDone }: FormProps) {
  const end = useAct(END, { stale: [...STALE, ...MONEY], said: 'Turnover ended', onDone });
  return (
    <Form
      act={end}
      input={(f) => ({
        body: {
          recipientUserId: id,
          currencyId: f.text('currencyId'),
          amount: f.text('amount'),
          notes: f.text('notes'),
        },
      })}
      submit="End turnover"
      kind="danger"
      confirm="End the turnover?"
      tells={({ body }) => (
        <MoneyFacts
          player={id}
          label="Forfeits"
          amount={body.amount}
          currencyId={body.currencyId}
          of={{ Reason: body.notes }}
        />
      )}
    >
      <p className="dim">
        The player forfeits this amount and can withdraw the rest. Large amounts need a second person.
      </p>
      <Field name="currencyId" label="Currency" required defaultValue="USDT" maxLength={16} />
      <AmountField name="amount" label="Amount to forfeit" required />
      <TextArea name="notes" label="Reason" required maxLength={1000} rows={2} />
    </Form>
  );
}

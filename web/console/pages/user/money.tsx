import { Link } from 'wouter';
import type { Balance, VaultBalance } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Facts, Loaded } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';
import { Waiting } from '../../waiting.tsx';
import { MoveMoney } from '../tips.tsx';

const BALANCES = 'GET /admin/accounting/balances';
const BLOCK = 'GET /admin/withdrawals-block/{userId}';

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

export function UserMoney({ id }: { id: number }) {
  const cash = useRead(BALANCES, { query: { userId: id } });
  const vault = useRead('GET /admin/accounting/vault-balances', { query: { userId: id } });
  const total = useRead('GET /admin/accounting/usd-balance/{userId}', { path: { userId: id } });
  const stats = useRead('GET /admin/user/{id}/full/stats', { path: { id } });
  return (
    <div className="stack">
      <Waiting
        of={['balance', 'admin-tip', 'admin-deduction', 'admin-tip.end-turnover']}
        about={{ userId: id }}
      />
      <div className="cards">
        <Card title="Cash">
          {total.data && (
            <p>
              <Usd of={total.data.usdAmount} /> in all
            </p>
          )}
          <Loaded of={cash}>
            {(all) => <Table rows={all} columns={CASH} caption="Cash" empty="No cash balance" />}
          </Loaded>
        </Card>
        <Card title="Vault">
          <Loaded of={vault}>
            {(all) => <Table rows={all} columns={VAULT} caption="Vault" empty="No vault balance" />}
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
                'For the house': <Usd of={s.ggr} />,
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
      <div className="cards">
        <SetBalance id={id} />
        <MoveMoney to={id} />
        <Block id={id} />
        <EndTurnover id={id} />
      </div>
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
                'In all': <Link href={`/withdrawals?status=&userId=${id}`}>{s.total}</Link>,
                Waiting: s.waitingForApproval,
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

function SetBalance({ id }: { id: number }) {
  const set = useAct('PUT /admin/user/{id}/balance', { stale: [BALANCES], said: 'Balance set' });
  return (
    <May op={set.op}>
      <Card title="Set balance">
        <p className="dim">Large changes need a reason and a second approver.</p>
        <Form
          act={set}
          input={(f) => ({
            path: { id },
            body: {
              currencyId: f.text('currencyId'),
              balance: f.text('balance'),
              reason: f.optional('reason'),
            },
          })}
          submit="Set balance"
          kind="danger"
          confirm="Set this balance?"
        >
          <Field name="currencyId" label="Currency" required defaultValue="USDT" />
          <AmountField name="balance" label="New cash balance" required />
          <TextArea name="reason" label="Reason" maxLength={500} />
        </Form>
      </Card>
    </May>
  );
}

function Block({ id }: { id: number }) {
  const block = useRead(BLOCK, { path: { userId: id } });
  const set = useAct('POST /admin/withdrawals-block/{userId}', {
    stale: [BLOCK],
    said: 'Withdrawals blocked',
  });
  const lift = useAct('DELETE /admin/withdrawals-block/{userId}', {
    stale: [BLOCK],
    said: 'Withdrawals unblocked',
  });
  const isBlocked = block.data !== undefined && block.error === null;
  return (
    <May op={BLOCK}>
      <Card title="Withdrawal block">
        {isBlocked ? (
          <>
            <Facts of={{ Until: <When at={block.data.blockUntil} />, Why: block.data.reason }} />
            <ActButton act={lift} input={{ path: { userId: id } }} confirm="Lift the withdrawal block?">
              Lift it
            </ActButton>
          </>
        ) : (
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
        )}
      </Card>
    </May>
  );
}

/**
 * Ends the turnover requirement of self-excluded players. They cannot wager, so they cannot meet the requirement that promotional cash and
 * tips create.
 */
function EndTurnover({ id }: { id: number }) {
  const end = useAct('POST /admin/admin-tips/end-turnover', {
    stale: [BALANCES],
    said: 'Turnover ended',
  });
  return (
    <May op={end.op}>
      <Card title="End turnover of a self-excluded player">
        <p className="dim">
          The player forfeits this amount and can withdraw the rest. Large amounts need a second person.
        </p>
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
          confirm="End the open turnover?"
        >
          <Field name="currencyId" label="Currency" required defaultValue="USDT" maxLength={16} />
          <AmountField name="amount" label="Amount to forfeit" required />
          <TextArea name="notes" label="Reason" required maxLength={1000} rows={2} />
        </Form>
      </Card>
    </May>
  );
}

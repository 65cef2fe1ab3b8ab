import type { AdminBetRow } from '../../../client/call.ts';
import { Amount, Usd, When } from '../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters } from '../../kit/filters.tsx';
import { ActButton } from '../../kit/form/act-button.tsx';
import type { Choice } from '../../kit/form/choice.tsx';
import { TextArea } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { List } from '../../kit/list.tsx';
import { Card, Copy, Facts, Json, Loaded, Page, Status } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import type { Columns } from '../../kit/table.tsx';
import { Export } from '../export.tsx';
import { UserLink } from '../user-link.tsx';
import { Waiting } from '../waiting.tsx';

const LIST = 'POST /admin/bets';
const STATES = ['CREATED', 'SETTLED', 'ERROR', 'ROLLBACK'] as const;
const TYPES = ['SLOTS', 'HOUSE_GAME', 'EVO_GAME', 'SPORTSBOOK'] as const;
const BY: readonly Choice[] = [{ value: 'usdAmount', label: 'stake' }];

const FILTERS: readonly FilterField[] = [
  { name: 'username', label: 'Username' },
  { name: 'userId', label: 'User id', type: 'number' },
  { name: 'id', label: 'Bet' },
  { name: 'gameSlug', label: 'Game' },
  { name: 'gameType', label: 'Kind', of: TYPES },
  { name: 'status', label: 'State', of: STATES },
  { name: 'roundId', label: 'Round at the provider' },
  { name: 'startDate', label: 'From', type: 'datetime-local' },
  { name: 'endDate', label: 'To', type: 'datetime-local' },
  { name: 'sortBy', label: 'By', of: BY, none: 'time' },
  ORDER,
];

const COLUMNS: Columns<AdminBetRow> = [
  { head: 'Bet', of: ({ id }) => id },
  { head: 'At', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Player', of: ({ user }) => <UserLink of={user} /> },
  { head: 'Game', of: ({ game }) => game.name },
  { head: 'State', of: ({ status }) => <Status of={status} /> },
  { head: 'Stake', of: (b) => <Amount of={b.amount} in={b.currencyId} />, end: true },
  { head: 'Payout', of: (b) => <Amount of={b.payout} in={b.currencyId} />, end: true },
  { head: '×', of: ({ multiplier }) => multiplier, end: true },
];

export function Bets() {
  const filters = useFilters({});
  const { text, number, moment, page } = filters;
  const where = {
    id: text('id'),
    userId: number('userId'),
    username: text('username'),
    gameSlug: text('gameSlug'),
    gameType: text<(typeof TYPES)[number]>('gameType'),
    status: text<(typeof STATES)[number]>('status'),
    roundId: text('roundId'),
    startDate: moment('startDate'),
    endDate: moment('endDate'),
  };
  const body = { sortBy: text<'usdAmount'>('sortBy'), sortOrder: text<'asc'>('sortOrder'), where };
  const list = useRead(LIST, { body: { ...body, page, take: 50 } });
  const retry = useAct('POST /admin/bet-queue/retry', { stale: [LIST], said: 'They are settled again' });
  return (
    <Page
      title="Bets"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={
        <>
          <May op={retry.op}>
            <ActButton act={retry} input={{}} confirm="Settle once more what could not be settled?">
              Settle errors again
            </ActButton>
          </May>
          <Export op={LIST} input={{ body }} name="bets" />
        </>
      }
    >
      <List
        of={list}
        columns={COLUMNS}
        caption="Bets"
        keyOf={({ id }) => id}
        to={({ id }) => `/bets/${id}`}
        onPage={filters.toPage}
      />
    </Page>
  );
}

export function BetPage({ params: { id = '' } }: { params: { id?: string } }) {
  const found = useRead(LIST, { body: { where: { id }, take: 1, page: 1 } });
  return (
    <Page title={`Bet ${id}`} of={found}>
      {({ data: [bet] }) => (bet ? <Bet of={bet} /> : <p>There is no such bet, or its month is detached.</p>)}
    </Page>
  );
}

function Bet({ of: bet }: { of: AdminBetRow }) {
  const rollBack = useAct('POST /admin/bets/{betId}/rollback', { stale: [LIST], said: 'Rolled back' });
  return (
    <div className="stack">
      <Waiting of={['bet.rollback']} about={{ betId: bet.id }} />
      <Card>
        <Facts
          of={{
            Player: <UserLink of={bet.user} />,
            Game: bet.game.name,
            State: <Status of={bet.status} />,
            Stake: <Amount of={bet.amount} in={bet.currencyId} />,
            Payout: <Amount of={bet.payout} in={bet.currencyId} />,
            'Stake in USD': <Usd of={bet.usdAmount} />,
            'Payout in USD': <Usd of={bet.usdPayout} />,
            Multiplier: bet.multiplier,
            Made: <When at={bet.createdAt} />,
            Settled: <When at={bet.settledAt} />,
            'Round at the provider': bet.roundId && <Copy text={bet.roundId} />,
            'At the sportsbook': bet.externalId && <Copy text={bet.externalId} />,
            'Made with the bonus': bet.bonusGrantId,
            'What went wrong': bet.errorReason,
          }}
        />
      </Card>
      {bet.providerId === null && <Proof id={bet.id} />}
      <May op={rollBack.op}>
        <Card title="Roll back">
          <p className="dim">Money, limits and statistics become as if it had not been made.</p>
          <Form
            act={rollBack}
            input={(f) => ({ path: { betId: bet.id }, body: { reason: f.text('reason') } })}
            submit="Roll back"
            kind="danger"
            confirm="Roll this bet back?"
          >
            <TextArea name="reason" label="Reason" required maxLength={500} />
          </Form>
        </Card>
      </May>
    </div>
  );
}

/** Shows the inputs with which anyone can recompute a bet on a house game. */
function Proof({ id }: { id: string }) {
  const proof = useRead('GET /fairness/bets/{betId}', { path: { betId: id } });
  return (
    <Card title="Proof">
      <Loaded of={proof}>{(found) => <Json of={found} />}</Loaded>
    </Card>
  );
}

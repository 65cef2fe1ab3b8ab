import type { AdminBetRow } from '../../../client/call.ts';
import { Amount, Usd, When } from '../../kit/amount.tsx';
import { ActButton } from '../../kit/form/act-button.tsx';
import { TextArea } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { exactMoney, multiplier as formatMultiplier } from '../../kit/intl.ts';
import { Card, Copy, Facts, Json, Loaded, Page, Status, words } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import { listPage } from '../list/list-page.tsx';
import { choice, count, period, player, text } from '../list/spec.ts';
import { MoneyFacts } from '../money-facts.tsx';
import { UserLink } from '../user-link.tsx';
import { Waiting } from '../waiting.tsx';
import { useCurrencies, useProviderIds } from './choices.ts';
import { MONEY, STALE } from './user/shared.ts';

const LIST = 'POST /admin/bets';
const STATES = ['CREATED', 'SETTLED', 'ERROR', 'ROLLBACK'] as const;
/** A bet that was created is open until it is settled. */
const stateOf = (status: string): string => (status === 'CREATED' ? 'OPEN' : status);
const STATE_CHOICES = STATES.map((value) => ({ value, label: words(stateOf(value)) }));
const TYPES = ['SLOTS', 'HOUSE_GAME', 'EVO_GAME', 'SPORTSBOOK'] as const;
/** Repeats the settlement of all bets that could not be settled. */
function RetryErrors() {
  const retry = useAct('POST /admin/bet-queue/retry', { stale: [LIST], said: 'Retrying failed settlements' });
  return (
    <May op={retry.op}>
      <ActButton act={retry} input={{}} confirm="Retry all bets that could not be settled?">
        Retry failed settlements
      </ActButton>
    </May>
  );
}

export const Bets = listPage({
  list: 'bets',
  title: 'Bets',
  op: LIST,
  file: 'bets',
  Actions: RetryErrors,
  input: ({ text, number, moment }) => ({
    body: {
      sortBy: text<'createdAt' | 'usdAmount'>('sortBy'),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
      where: {
        id: text('id'),
        userId: number('userId'),
        username: text('username'),
        gameSlug: text('gameSlug'),
        gameType: text<(typeof TYPES)[number]>('gameType'),
        status: text<(typeof STATES)[number]>('status'),
        providerId: number('providerId'),
        currencyId: text('currencyId'),
        roundId: text('roundId'),
        minUsdAmount: text('minUsdAmount'),
        minMultiplier: number('minMultiplier'),
        startDate: moment('startDate'),
        endDate: moment('endDate'),
      },
    },
  }),
  keyOf: ({ id }) => id,
  to: ({ id }) => `/bets/${id}`,
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'username', label: 'Username' },
  filters: [
    player(),
    choice('gameType', 'Game type', TYPES),
    choice('status', 'Status', STATE_CHOICES),
    period(),
    text('gameSlug', 'Game'),
    choice('providerId', 'Provider', useProviderIds),
    choice('currencyId', 'Currency', useCurrencies),
    text('minUsdAmount', 'Bet from, in USD'),
    count('minMultiplier', 'Multiplier from'),
    text('id', 'Bet ID'),
    text('roundId', 'Round ID'),
  ],
  views: [
    { name: 'All bets', query: {} },
    { name: 'Open', query: { status: 'CREATED' } },
    { name: 'Errors', query: { status: 'ERROR' }, isCounted: true },
    { name: 'Rolled back', query: { status: 'ROLLBACK' } },
  ],
  columns: [
    { name: 'id', head: 'Bet', of: ({ id }) => id, isMain: true },
    { name: 'createdAt', head: 'Placed', of: ({ createdAt }) => <When at={createdAt} />, sort: 'createdAt' },
    {
      name: 'user',
      fields: ['userId', 'user.username'],
      head: 'Player',
      of: ({ user }) => <UserLink of={user} />,
    },
    { name: 'game', fields: ['game.name'], head: 'Game', of: ({ game }) => game.name },
    { name: 'status', head: 'Status', of: ({ status }) => <Status of={stateOf(status)} /> },
    {
      name: 'usdAmount',
      fields: ['amount', 'currencyId', 'usdAmount'],
      head: 'Bet amount',
      of: (b) => <Amount of={b.amount} in={b.currencyId} />,
      end: true,
      sort: 'usdAmount',
    },
    {
      name: 'payout',
      head: 'Payout',
      of: (b) => <Amount of={b.payout} in={b.currencyId} />,
      end: true,
      isMain: true,
    },
    {
      name: 'multiplier',
      head: 'Multiplier',
      of: ({ multiplier }) => formatMultiplier(multiplier),
      end: true,
    },
    { name: 'settledAt', head: 'Settled', of: ({ settledAt }) => <When at={settledAt} />, isExtra: true },
    { name: 'roundId', head: 'Round ID', of: ({ roundId }) => roundId, isExtra: true },
    { name: 'errorReason', head: 'Error', of: ({ errorReason }) => errorReason, isExtra: true, wide: true },
  ],
  empty: 'Bets appear here when players place them',
  art: 'no-bets',
});

export function BetPage({ params: { id = '' } }: { params: { id?: string } }) {
  const found = useRead(LIST, { body: { where: { id }, take: 1, page: 1 } });
  return (
    <Page title={`Bet ${id}`} of={found}>
      {({ data: [bet] }) => (bet ? <Bet of={bet} /> : <p>Bet not found, or its month is detached.</p>)}
    </Page>
  );
}

function Bet({ of: bet }: { of: AdminBetRow }) {
  const rollBack = useAct('POST /admin/bets/{betId}/rollback', {
    stale: [LIST, ...STALE, ...MONEY],
    said: 'Rolled back',
  });
  return (
    <div className="stack">
      <Waiting of={['bet.rollback']} about={{ betId: bet.id }} />
      <Card>
        <Facts
          of={{
            Player: <UserLink of={bet.user} />,
            Game: bet.game.name,
            Status: <Status of={stateOf(bet.status)} />,
            'Bet amount': <Amount of={bet.amount} in={bet.currencyId} />,
            Payout: <Amount of={bet.payout} in={bet.currencyId} />,
            'Bet amount in USD': <Usd of={bet.usdAmount} />,
            'Payout in USD': <Usd of={bet.usdPayout} />,
            Multiplier: bet.multiplier,
            Placed: <When at={bet.createdAt} />,
            Settled: <When at={bet.settledAt} />,
            'Round ID': bet.roundId && <Copy text={bet.roundId} />,
            'Sportsbook ID': bet.externalId && <Copy text={bet.externalId} />,
            'Bonus grant': bet.bonusGrantId,
            Error: bet.errorReason,
          }}
        />
      </Card>
      {bet.providerId === null && <Proof id={bet.id} />}
      <May op={rollBack.op}>
        <Card title="Roll back">
          <p className="dim">Reverses the money, limits and statistics of this bet.</p>
          <Form
            act={rollBack}
            input={(f) => ({ path: { betId: bet.id }, body: { reason: f.text('reason') } })}
            submit="Roll back"
            kind="danger"
            confirm="Roll back this bet?"
            tells={() => (
              <MoneyFacts
                player={bet.user?.username ?? bet.userId}
                label="Bet amount"
                amount={bet.amount}
                currencyId={bet.currencyId}
                of={{ Payout: exactMoney(bet.payout, bet.currencyId) }}
              />
            )}
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

import type { Answer, BetRow, Op } from '../../../client/call.ts';
import { Amount, When } from '../../kit/amount.tsx';
import { Card, Facts, Json, Page } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { type Columns, type FilterField, Filters, List, useFilters } from '../../kit/table.tsx';
import { CheckBet } from '../games/game.tsx';
import { words } from '../words.ts';

const LIST = 'GET /bets';
const STATES = ['CREATED', 'SETTLED', 'ERROR', 'ROLLBACK'] as const;
type State = (typeof STATES)[number];

const choices = (of: Readonly<Record<string, string>>) =>
  Object.entries(of).map(([value, label]) => ({ value, label }));

const fields = (): readonly FilterField[] => [
  { name: 'status', label: words.bets.state, of: choices(words.bets.states) },
  {
    name: 'sortBy',
    label: words.bets.by,
    of: choices({ usdAmount: words.live.stake }),
    none: words.live.at,
  },
  {
    name: 'sortOrder',
    label: words.catalogue.order,
    of: choices({ asc: words.bets.oldest }),
    none: words.bets.newest,
  },
];

const columns = (): Columns<BetRow> => [
  { head: words.live.game, of: ({ game }) => game.name },
  { head: words.live.at, of: ({ createdAt }) => <When at={createdAt} /> },
  { head: words.bets.state, of: ({ status }) => <BetState of={status} /> },
  { head: words.live.stake, of: (b) => <Amount of={b.amount} in={b.currencyId} />, end: true },
  { head: '×', of: ({ multiplier }) => multiplier, end: true },
  { head: words.live.payout, of: (b) => <Amount of={b.payout} in={b.currencyId} />, end: true },
];

const MARKS: Readonly<Record<State, string>> = { CREATED: '●', SETTLED: '✓', ERROR: '✕', ROLLBACK: '↩' };

const BetState = ({ of }: { of: State }) => (
  <span className="status">
    <span aria-hidden="true">{MARKS[of]}</span> {words.bets.states[of]}
  </span>
);

/** The player's bets, each with a link to its result and proof. */
export function Bets() {
  const filters = useFilters({});
  const { text, page } = filters;
  const list = useRead(LIST, {
    query: {
      status: text<State>('status'),
      sortBy: text<'usdAmount'>('sortBy'),
      sortOrder: text<'asc'>('sortOrder'),
      page,
      take: 20,
    },
  });
  return (
    <Page title={words.menu.bets} filters={<Filters of={fields()} in={filters} />}>
      <List
        of={list}
        columns={columns()}
        caption={words.menu.bets}
        keyOf={({ id }) => id}
        to={({ id, game }) => `/bets/${game.type === 'HOUSE_GAME' ? 'house' : 'slots'}/${id}`}
        onPage={filters.toPage}
      />
    </Page>
  );
}

type InfoOp = Extract<Op, `GET /bets/${string}/info/{betId}`>;

export const HouseBet = ({ params: { betId } }: { params: { betId: string } }) => (
  <Bet betId={betId} op="GET /bets/house-games/info/{betId}" isHouse />
);

export const SlotBet = ({ params: { betId } }: { params: { betId: string } }) => (
  <Bet betId={betId} op="GET /bets/slots/info/{betId}" />
);

function Bet({ betId, op, isHouse = false }: { betId: string; op: InfoOp; isHouse?: boolean }) {
  const bet = useRead(op, { path: { betId } });
  const t = words.bets;
  return (
    <Page title={t.bet} of={bet}>
      {({ game, amount, payout, currencyId, settledAt }: Answer<InfoOp>) => (
        <div className="stack">
          <Facts
            of={{
              [t.number]: <code>{betId}</code>,
              [words.live.game]: game.name,
              [words.live.at]: <When at={settledAt} />,
              [words.live.stake]: <Amount of={amount} in={currencyId} />,
              [words.live.payout]: <Amount of={payout} in={currencyId} />,
              '×': game.multiplier,
            }}
          />
          {game.inputs && (
            <Card title={t.inputs}>
              <Json of={game.inputs} />
            </Card>
          )}
          {game.outcome && (
            <Card title={t.outcome}>
              <Json of={game.outcome} />
            </Card>
          )}
          {isHouse && <CheckBet betId={betId} />}
        </div>
      )}
    </Page>
  );
}

import type { BetRow } from '../../../../client/call.ts';
import { Amount, When } from '../../../kit/amount.tsx';
import { ButtonLink } from '../../../kit/button.tsx';
import { Badge, type Tone } from '../../../kit/figures.tsx';
import { useFilters } from '../../../kit/filters.ts';
import { multiplier } from '../../../kit/intl.ts';
import { List } from '../../../kit/list.tsx';
import { Empty, Page } from '../../../kit/page.tsx';
import { FilterPick } from '../../../kit/pick/filter-pick.tsx';
import { useRead } from '../../../kit/query.ts';
import { useOptionalMe } from '../../../kit/session.tsx';
import type { Columns } from '../../../kit/table.tsx';
import { useOverlayLink } from '../../frame/overlay.ts';
import { words } from '../../words.ts';
import { betPath, GameCell, PaidOut, stakeOf } from './feed.tsx';
import { BetTabs } from './tabs.tsx';

const LIST = 'GET /bets';
type Status = BetRow['status'];
const STATES = ['CREATED', 'SETTLED', 'ERROR', 'ROLLBACK'] as const satisfies readonly Status[];

const ORDERS = {
  newest: {},
  oldest: { sortOrder: 'asc' },
  largest: { sortBy: 'usdAmount' },
  smallest: { sortBy: 'usdAmount', sortOrder: 'asc' },
} as const;
type Order = keyof typeof ORDERS;

const TONES: Readonly<Record<Status, Tone | undefined>> = {
  CREATED: 'accent',
  SETTLED: undefined,
  ERROR: 'warn',
  ROLLBACK: undefined,
};

const stakeAndTime = (bet: BetRow) => (
  <>
    {stakeOf(bet)}
    <br />
    <When at={bet.createdAt} />
  </>
);

const columns = (): Columns<BetRow> => [
  {
    head: words.live.game,
    of: (bet) => <GameCell of={bet.game} note={stakeAndTime(bet)} />,
    isMain: true,
  },
  { head: words.live.at, of: ({ createdAt }) => <When at={createdAt} /> },
  {
    head: words.bets.state,
    of: ({ status }) => <Badge tone={TONES[status]}>{words.bets.states[status]}</Badge>,
  },
  { head: words.live.stake, of: (b) => <Amount of={b.amount} in={b.currencyId} hasCoin />, end: true },
  {
    head: words.live.multiplier,
    of: ({ status, multiplier: times }) => (status === 'SETTLED' ? multiplier(times) : '–'),
    end: true,
    isMain: true,
  },
  {
    head: words.live.payout,
    of: (b) => (b.status === 'SETTLED' ? <PaidOut of={b} /> : words.bets.states[b.status]),
    end: true,
    isMain: true,
  },
];

/** The player's bets, each with a link to its result and proof. */
export function Bets() {
  const isIn = useOptionalMe() !== undefined;
  return (
    <Page title={words.menu.live} filters={<BetTabs />}>
      {isIn ? <Own /> : <SignIn />}
    </Page>
  );
}

function Own() {
  const filters = useFilters({});
  const { text, page, change } = filters;
  const t = words.bets;
  const order = text<Order>('order') ?? 'newest';
  const list = useRead(LIST, {
    query: { status: text<Status>('status'), ...ORDERS[order], page, take: 20 },
  });
  return (
    <div className="feed">
      <div className="filter-bar">
        <FilterPick
          name={t.state}
          options={STATES.map((value) => ({ value, text: t.states[value] }))}
          value={text('status') ?? ''}
          onChange={(status) => change({ status })}
        />
        <FilterPick
          name={t.order}
          options={Object.entries(t.orders).map(([value, label]) => ({ value, text: label }))}
          value={order}
          first="newest"
          onChange={(next) => change({ order: next === 'newest' ? '' : next })}
        />
      </div>
      <List
        of={list}
        columns={columns()}
        caption={words.live.own}
        keyOf={({ id }) => id}
        to={({ id, game }) => betPath(id, game.type)}
        onPage={filters.toPage}
        empty={
          <Empty
            art="no-bets"
            title={words.live.none}
            action={
              <ButtonLink to="/games" kind="main">
                {words.page.browse}
              </ButtonLink>
            }
          >
            {words.live.noOwnHint}
          </Empty>
        }
      />
    </div>
  );
}

function SignIn() {
  const link = useOverlayLink();
  return (
    <Empty
      art="no-bets"
      title={words.live.signIn}
      action={
        <ButtonLink to={link('account', 'sign-in')} kind="main">
          {words.entry.signIn}
        </ButtonLink>
      }
    >
      {words.live.noOwnHint}
    </Empty>
  );
}

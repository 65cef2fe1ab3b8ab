import { useState } from 'react';
import { Refused } from '../../client/call.ts';
import { Amount, Coin, When } from '../kit/amount.tsx';
import { Avatar } from '../kit/avatar.tsx';
import { Mark, Wordmark } from '../kit/brand.tsx';
import { Button, ButtonLink } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Badge, Count, Kbd, Skeleton, Tooltip } from '../kit/figures.tsx';
import { Field } from '../kit/form/field.tsx';
import { duration, list, relative } from '../kit/intl.ts';
import { Kpi, Meter } from '../kit/measures.tsx';
import { Note, Refusal } from '../kit/note.tsx';
import { Copy, Empty, Facts, Status } from '../kit/page.tsx';
import { Popover } from '../kit/popover.tsx';
import { type Columns, Table } from '../kit/table.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { say } from '../kit/toast.tsx';

const KINDS = ['main', undefined, 'line', 'ghost', 'danger', 'good'] as const;

export const ButtonsShown = () => (
  <>
    {([undefined, 'sm', 'lg'] as const).map((size) => (
      <div key={size ?? 'medium'} className="actions">
        {KINDS.map((kind) => (
          <Button key={kind ?? 'plain'} kind={kind} size={size} icon="wallet">
            Withdraw
          </Button>
        ))}
        <Button kind="main" size={size} isBusy>
          Busy
        </Button>
        <Button size={size} why="Verify your identity first">
          Disabled
        </Button>
        <Button kind="ghost" size={size} icon="search" aria-label="Search" />
      </div>
    ))}
    <div className="actions">
      <ButtonLink to="/games?wallet=deposit" kind="line" icon="arrow-right">
        A link
      </ButtonLink>
      <Button aria-pressed>Pressed</Button>
    </div>
  </>
);

export const FiguresShown = () => (
  <>
    <div className="actions">
      <Mark /> <Wordmark />
      <Badge>Plain</Badge>
      <Badge tone="good">Completed</Badge>
      <Badge tone="bad">Rejected</Badge>
      <Badge tone="warn">Pending approval</Badge>
      <Badge tone="accent">$12.40</Badge>
      <Status of="WAITING_FOR_APPROVAL" />
      <Count of={3} /> <Count of={120} isQuiet />
      <Kbd>/</Kbd>
      <Avatar name="noble_teapot" />
      {['USDT', 'BTC', 'ETH', 'LTC', 'SOL', 'USD', 'XRP'].map((id) => (
        <Coin key={id} of={id} />
      ))}
      <Tooltip text="Shown on hover and focus">
        <Button icon="info" size="sm">
          Why
        </Button>
      </Tooltip>
    </div>
    <div className="actions">
      <Amount of="1204.504999" in="USD" />
      <Amount of="2113.83865" in="USDT" hasCoin />
      <Amount of="0.00280000" in="BTC" />
      <Amount of={null} />
      <When at="2026-11-24T20:34:05Z" />
      <span>
        {relative(Date.now() - 180_000)} · {duration(3_900_000)} · {list(['Dice', 'Limbo', 'Keno'])}
      </span>
    </div>
    <div className="kpis">
      <Kpi label="GGR" change={{ text: '12%', isUp: true, goodIs: 'up' }}>
        <Amount of="19363.66865" in="USD" />
      </Kpi>
      <Kpi label="Failed payouts" change={{ text: '3', isUp: true, goodIs: 'down' }} below="of 318">
        7
      </Kpi>
    </div>
    <Meter label="Daily deposit limit" value={50} of={200} />
    <Meter label="Daily loss limit" value={180} of={200} />
    <Meter label="VIP progress" value={64} of={100} kind="progress" />
    <Skeleton width="40%" height={20} />
  </>
);

export function SurfacesShown() {
  const [shown, show] = useState<'dialog' | 'drawer'>();
  return (
    <>
      <div className="columns">
        <Note>Money in the vault can’t be bet.</Note>
        <Note kind="good">Your deposit has arrived.</Note>
        <Note kind="warn">Send only USDT on Tron.</Note>
        <Refusal
          of={
            new Refused(500, {
              code: 'INTERNAL',
              message: 'Something went wrong on our side.',
              requestId: 'req-7f3a',
            })
          }
          onRetry={() => say('Tried again')}
        />
        <Empty art="no-bets" title="No bets yet" action={<Button kind="main">Browse games</Button>}>
          Every bet you make is listed here, with its proof.
        </Empty>
        <Facts of={{ Minimum: '5.00 USDT', Fee: 'None', Network: null }} />
        <Copy text="TQ7vK2m9ZpYw4sXc3RtN8uHjLd5BfGaE1o" />
      </div>
      <Tabs label="Wallet" of={{ Deposit: '/', Withdraw: '/withdraw' }} counts={{ Withdraw: 2 }} />
      <div className="actions">
        <Button onClick={() => show('dialog')}>Open dialog</Button>
        <Button onClick={() => show('drawer')}>Open drawer</Button>
        <Button onClick={() => say('Saved')}>Show message</Button>
        <Button onClick={() => say('Not saved', true)}>Show error</Button>
      </div>
      {shown && (
        <Dialog
          title={shown === 'dialog' ? 'Confirm withdrawal' : 'Notifications'}
          kind={shown}
          onClose={() => show(undefined)}
          foot={
            <Button kind="main" onClick={() => show(undefined)}>
              Withdraw 250 USDT
            </Button>
          }
        >
          <p>You receive 249.00 USDT.</p>
        </Dialog>
      )}
    </>
  );
}

type Bet = { game: string; player: string; amount: string; payout: string };
const BETS: readonly Bet[] = [
  { game: 'Dice', player: 'noble_teapot', amount: '10', payout: '19.8' },
  { game: 'Plinko', player: 'misty_magpie', amount: '2', payout: '0' },
];
const COLUMNS: Columns<Bet> = [
  { head: 'Game', of: ({ game }) => game },
  { head: 'Player', of: ({ player }) => player },
  { head: 'Bet', of: ({ amount }) => <Amount of={amount} in="USDT" />, end: true },
  { head: 'Payout', of: ({ payout }) => <Amount of={payout} in="USDT" />, end: true, sort: 'payout' },
];

export function TablesShown() {
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const [order, setOrder] = useState<'asc' | 'desc'>('desc');
  const toggle = ({ game }: { game: string }) =>
    setTicked(ticked.includes(game) ? ticked.filter((one) => one !== game) : [...ticked, game]);
  return (
    <>
      <Table
        caption="Latest bets"
        rows={BETS}
        columns={COLUMNS}
        keyOf={({ game }) => game}
        to={() => '/bets/1'}
        sorting={{ by: 'payout', order, onSort: () => setOrder(order === 'asc' ? 'desc' : 'asc') }}
        selection={{
          has: ({ game }) => ticked.includes(game),
          toggle,
          toggleAll: () => setTicked(ticked.length > 0 ? [] : BETS.map(({ game }) => game)),
          labelOf: ({ game }) => `Select ${game}`,
          allLabel: 'Select all',
        }}
      />
      <Popover label="Filter by game" content={() => <Field name="game" label="Game" />}>
        Filter
      </Popover>
    </>
  );
}

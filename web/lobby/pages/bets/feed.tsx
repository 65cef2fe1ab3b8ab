import './feed.css';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { LiveBetRow, ShortGameIdentity } from '../../../../client/call.ts';
import { Amount } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { Badge, Skeleton } from '../../../kit/figures.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { clock, exactly, multiplier } from '../../../kit/intl.ts';
import { useIsLive } from '../../../kit/live.ts';
import { Empty, Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { useOptionalMe } from '../../../kit/session.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';
import { pictureOf } from '../../game-tile.tsx';
import { words } from '../../words.ts';
import { type Kind, useLiveBets, useTrickle } from './use-live-bets.ts';

type GameCellProps = {
  of: Pick<ShortGameIdentity, 'type' | 'slug' | 'name' | 'images'>;
  /** Below the name on phones, which show fewer columns. */
  note?: ReactNode;
};

/** A game in a table. */
export const GameCell = ({ of, note }: GameCellProps) => (
  <span className="game-cell">
    {pictureOf(of) ? (
      <img src={pictureOf(of)} alt="" loading="lazy" width={26} height={34} />
    ) : (
      <span className="no-picture">
        <Icon name="trophy" size={16} />
      </span>
    )}
    <span className="clip">
      {of.name}
      {note !== undefined && <small className="phone-only faint clip">{note}</small>}
    </span>
  </span>
);

type Paid = { payout: string; currencyId: string; multiplier: number };

/** The payout, green if it is above the bet. */
export const PaidOut = ({ of: { payout, currencyId, multiplier: times } }: { of: Paid }) => (
  <span className={times > 1 ? 'good' : 'dim'}>
    <Amount of={payout} in={currencyId} hasCoin />
  </span>
);

const Who = ({ of: { user, isSimulated }, isIn }: { of: LiveBetRow; isIn: boolean }) => (
  <span className="line">
    {user == null || user.id === null ? (
      <span className="line faint">
        {!isSimulated && <Icon name="eye-off" size={14} />}
        {isSimulated && user ? user.username : words.live.hidden}
      </span>
    ) : isIn ? (
      <Link href={`/players/${encodeURIComponent(user.username)}`} className="clip player" translate="no">
        {user.username}
      </Link>
    ) : (
      <span className="clip" translate="no">
        {user.username}
      </span>
    )}
    {isSimulated && <Badge>{words.live.simulated}</Badge>}
  </span>
);

const nameOf = ({ user, isSimulated }: LiveBetRow) =>
  user == null || (user.id === null && !isSimulated) ? words.live.hidden : user.username;

export const stakeOf = ({ amount, currencyId }: { amount: string; currencyId: string }) => (
  <Amount of={amount} in={currencyId} />
);

const columns = (isIn: boolean, isOwn: boolean): Columns<LiveBetRow> => [
  {
    head: words.live.game,
    of: (row) => <GameCell of={row.gameIdentity} note={isOwn ? stakeOf(row) : nameOf(row)} />,
    isMain: true,
  },
  ...(isOwn ? [] : [{ head: words.live.player, of: (row: LiveBetRow) => <Who of={row} isIn={isIn} /> }]),
  {
    head: words.live.at,
    of: ({ updatedAt }) => (
      <time dateTime={updatedAt} title={exactly(updatedAt)} className="dim">
        {clock(updatedAt)}
      </time>
    ),
  },
  { head: words.live.stake, of: (b) => <Amount of={b.amount} in={b.currencyId} hasCoin />, end: true },
  {
    head: words.live.multiplier,
    of: ({ multiplier: times }) => <span className={times > 1 ? undefined : 'dim'}>{multiplier(times)}</span>,
    end: true,
    isMain: true,
  },
  { head: words.live.payout, of: (b) => <PaidOut of={b} />, end: true, isMain: true },
];

type FeedProps = {
  kind: Kind;
  count: number;
  /** Places the sign that the feed is live, with the button that stops it, beside the heading. */
  children: (sign: ReactNode, table: ReactNode) => ReactNode;
};

/** The live bets of all players. New rows wait while the reader points at the list, focuses it or has stopped it. */
export function Feed({ kind, count, children }: FeedProps) {
  const read = useLiveBets(kind, count);
  const [isPaused, setPaused] = useState(() => matchMedia('(prefers-reduced-motion: reduce)').matches);
  const sign = <Sign isPaused={isPaused} onToggle={() => setPaused(!isPaused)} />;
  return children(
    sign,
    // Rows that are known stay while the server cannot be reached.
    <Loaded of={{ ...read, error: read.data ? null : read.error }} skeleton={<RowSkeletons count={count} />}>
      {(feed) => <Rows feed={feed} isPaused={isPaused} />}
    </Loaded>,
  );
}

function Sign({ isPaused, onToggle }: { isPaused: boolean; onToggle: () => void }) {
  const isIn = useOptionalMe() !== undefined;
  const isConnected = useIsLive() || !isIn;
  const t = words.live;
  return (
    <span className="line live-sign">
      {isPaused || !isConnected ? (
        <Badge>{isPaused ? t.paused : words.frame.notLive}</Badge>
      ) : (
        <Badge tone="good" icon={null}>
          <i className="dot" />
          {t.live}
        </Badge>
      )}
      <Button
        kind="ghost"
        size="sm"
        icon={isPaused ? 'play' : 'pause'}
        aria-label={isPaused ? t.resume : t.pause}
        onClick={onToggle}
      />
    </span>
  );
}

function Rows({ feed, isPaused }: { feed: readonly LiveBetRow[]; isPaused: boolean }) {
  const isIn = useOptionalMe() !== undefined;
  const [isHeld, setHeld] = useState(false);
  const { rows, isFresh } = useTrickle(feed, isPaused || isHeld);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer and the focus only hold the list still
    <div
      className="feed"
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Table
        rows={rows}
        columns={columns(isIn, false)}
        caption={words.menu.live}
        keyOf={({ id }) => id}
        to={({ gameIdentity }) => `/games/${gameIdentity.slug}`}
        isFresh={isFresh}
        empty={
          <Empty art="no-bets" title={words.live.none}>
            {words.live.noneHint}
          </Empty>
        }
      />
    </div>
  );
}

/** The player's last settled bets. */
export function OwnFeed({ count }: { count: number }) {
  const list = useRead('GET /live-bets/my', { query: { status: 'SETTLED', count } });
  return (
    <Loaded of={list} skeleton={<RowSkeletons count={count} />}>
      {(rows) => (
        <div className="feed">
          <Table
            rows={rows}
            columns={columns(true, true)}
            caption={words.live.own}
            keyOf={({ id }) => id}
            to={({ id, gameIdentity: { type } }) => betPath(id, type)}
            empty={
              <Empty art="no-bets" title={words.live.none}>
                {words.live.noOwnHint}
              </Empty>
            }
          />
        </div>
      )}
    </Loaded>
  );
}

/** Returns the path of the page of a bet. */
export const betPath = (id: string, type: ShortGameIdentity['type']) =>
  `/bets/${type === 'HOUSE_GAME' ? 'house' : 'slots'}/${id}`;

/** Boxes with the heights of a table. */
const RowSkeletons = ({ count }: { count: number }) => <Skeleton height={36 + count * 44 + count + 2} />;

import './wins.css';
import { Link } from 'wouter';
import type { LiveBetRow } from '../../../../client/call.ts';
import { Skeleton } from '../../../kit/figures.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { money, multiplier } from '../../../kit/intl.ts';
import { pictureOf } from '../../game-tile.tsx';
import { words } from '../../words.ts';
import { useLiveBets } from '../bets/use-live-bets.ts';

const COUNT = 20;
/** Fewer wins stand still, because they do not fill the line. */
const LEAST_MOVING = 8;

/** The latest wins with a high multiplier. The line moves slowly, and stops under the pointer and while it has the focus. */
export function Wins() {
  const { data, error } = useLiveBets('LUCKY_WINS', COUNT);
  const wins = data ?? [];
  const isMoving = wins.length >= LEAST_MOVING;
  return (
    <section className="wins" aria-label={words.home.wins.title}>
      <h2>
        <Icon name="trophy" />
        {words.home.wins.title}
      </h2>
      {data === undefined && !error && <Skeleton height={40} width="60%" />}
      {wins.length === 0 && (data || error) && <p className="dim sm">{words.home.wins.none}</p>}
      {wins.length > 0 && (
        <div className={isMoving ? 'line-of-wins moving' : 'line-of-wins'}>
          <List of={wins} />
          {isMoving && <List of={wins} isCopy />}
        </div>
      )}
    </section>
  );
}

/** The copy follows the list, so that the line has no end. Screen readers and the keyboard skip it. */
const List = ({ of, isCopy = false }: { of: readonly LiveBetRow[]; isCopy?: boolean }) => (
  <ul inert={isCopy} aria-hidden={isCopy || undefined}>
    {of.map((win) => (
      <li key={win.id}>
        <Link href={`/games/${win.gameIdentity.slug}`} className="win-tile" title={win.gameIdentity.name}>
          <img src={pictureOf(win.gameIdentity)} alt={win.gameIdentity.name} width={36} height={48} />
          <b className="good">{money(win.usdPayout)}</b>
          <span className="dim">
            {multiplier(win.multiplier)} · <span translate="no">{nameOf(win)}</span>
          </span>
        </Link>
      </li>
    ))}
  </ul>
);

const nameOf = ({ user }: LiveBetRow) =>
  user == null || user.id === null ? words.live.hidden : user.username;

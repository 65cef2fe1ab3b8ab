import { COLORS, type Color, colorOf } from '../../../src/modules/games/house-games/speed-roulette/rules.ts';
import { formatUnits, type Units, units } from '../../../src/platform/money.ts';
import { money, number } from '../../kit/intl.ts';
import { useOptionalMe } from '../../kit/session.tsx';
import { words } from '../words.ts';
import { type Info, type OwnBet, outcomeOf, resultWords } from './speed-round.ts';

/** Rows of bets below each colour. Phones show fewer of them (speed-roulette.css). */
const MOST_ROWS = 6;

const sum = (bets: readonly { betAmount: string }[]): Units =>
  bets.reduce((total, { betAmount }) => total + units(betAmount), 0n);

type BetsProps = {
  of: Info;
  own: readonly OwnBet[];
  /** The position on which the wheel stopped, while it is shown. */
  shown: number | undefined;
  /** The limit of the player's profit in a round. */
  maxProfit: number | undefined;
};

/** All players' bets of the round by colour: the player's own first, then the largest. */
export const Bets = (props: BetsProps) => (
  <div className="speed-bets">
    {COLORS.map((color) => (
      <ColorBets key={color} color={color} {...props} />
    ))}
  </div>
);

function ColorBets({ color, of: { usersBets }, own, shown, maxProfit }: BetsProps & { color: Color }) {
  const me = useOptionalMe();
  const t = words.speed;
  const all = usersBets.filter((bet) => bet.color === color);
  const others = all
    .filter(({ user }) => user.id === null || user.id !== me?.id)
    .toSorted((a, b) => Number(units(b.betAmount) - units(a.betAmount)));
  const mine = own.filter((bet) => bet.color === color);
  const rows = others.slice(0, mine.length > 0 ? MOST_ROWS - 1 : MOST_ROWS);
  const hasWon = shown !== undefined && colorOf(shown) === color;
  const state = shown === undefined ? '' : hasWon ? 'won' : 'lost';
  return (
    <section className={state} aria-label={words.roulette.colors[color]}>
      <h2 className={`on-${color.toLowerCase()}`}>
        <span>{t.bets(all.length)}</span>
        <b>{money(formatUnits(sum(all)))}</b>
      </h2>
      <ul>
        {mine.length > 0 && (
          <li className="own">
            <b className="clip">{t.you}</b>{' '}
            {/* Bets on other colours pay nothing, so the payout of the round belongs to this row. */}
            <b>{money(hasWon ? outcomeOf(shown, own, maxProfit).payout : formatUnits(sum(mine)))}</b>
          </li>
        )}
        {rows.map(({ user, betAmount }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bets have no id here
          <li key={index}>
            <span className="clip">{user.username || t.hiddenName}</span> <span>{money(betAmount)}</span>
          </li>
        ))}
        {all.length === 0 && mine.length === 0 && <li className="faint">{t.none}</li>}
      </ul>
    </section>
  );
}

type RecentProps = { of: Info; shown: number | undefined };

/** The last results, and how often each colour won. The result of this round joins them when the wheel has stopped. */
export function Recent({ of: { game, latestGames, latestStats }, shown }: RecentProps) {
  const t = words.speed;
  const earlier = latestGames.flatMap(({ roundId, position }) =>
    position === null || roundId === game.roundId ? [] : [{ roundId, position }],
  );
  const all = shown === undefined ? earlier : [{ roundId: game.roundId, position: shown }, ...earlier];
  // The server counts a round when the next one begins.
  const isNew = shown !== undefined && !latestGames.some(({ roundId }) => roundId === game.roundId);
  const counts = latestStats.map(({ color, count }) => ({
    color,
    count: isNew && colorOf(shown) === color ? count + 1 : count,
  }));
  return (
    <div className="speed-recent">
      <ol aria-label={t.recent}>
        {all.slice(0, 15).map(({ position }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the places stay, and the numbers move on
          <li key={index} className={`on-${colorOf(position).toLowerCase()}`} title={resultWords(position)}>
            {position}
            <span className="hidden"> {words.roulette.colors[colorOf(position)]}</span>
          </li>
        ))}
      </ol>
      <p className="faint xs">
        {t.stats(counts.reduce((sum, { count }) => sum + count, 0))}
        {counts.map(({ color, count }) => (
          <span key={color}>
            <i className={`on-${color.toLowerCase()}`} />
            <span className="hidden">{words.roulette.colors[color]}</span> {number(count)}
          </span>
        ))}
      </p>
    </div>
  );
}

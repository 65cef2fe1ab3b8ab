import { useEffect, useMemo, useRef, useState } from 'react';
import {
  COLORS,
  type Color,
  colorOf,
  multiplierOf,
} from '../../../src/modules/games/house-games/speed-roulette/rules.ts';
import { formatUnits, units } from '../../../src/platform/money.ts';
import { Amount } from '../../kit/amount.tsx';
import { useIsLive } from '../../kit/live.ts';
import { Loaded } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { useMe } from '../../kit/session.tsx';
import { useSettledBet } from '../room.ts';
import { words } from '../words.ts';
import './speed-roulette.css';
import { Game, RoundCommitment } from './game.tsx';
import { INFO, type Info, useRound } from './speed-round.ts';
import { StakePanel } from './stake.tsx';
import { useBet } from './use-bet.ts';
import { type Pocket, Wheel } from './wheel.tsx';

/** Order of the positions on the wheel: zero, then alternately red and black. */
const ORDER: readonly number[] = [0, 1, 8, 2, 9, 3, 10, 4, 11, 5, 12, 6, 13, 7, 14];
const ASK_MS = 2000;
const WHEEL: readonly Pocket[] = ORDER.map((number) => ({ number, colour: colorOf(number) }));

const paysOf = (color: Color): number => {
  const position = ORDER.find((at) => colorOf(at) === color)!;
  return Number(multiplierOf(color, position));
};

/** Speed-roulette: one shared round for all players. */
export function SpeedRoulette() {
  const [color, setColor] = useState<Color>('RED');
  // Without the socket, no event reports changes of the round, so it is polled.
  const isLive = useIsLive();
  const info = useRead(INFO, {}, isLive ? {} : { everyMs: ASK_MS });
  const config = useRead('GET /casino/games/house/speed-roulette/config', {}, { staleMs: 60_000 });
  const betId = useSettledBet('speed-roulette');
  const turning = useRef<SVGGElement>(null);
  const wheel = useMemo(() => ({ turning, order: ORDER }), []);
  const { shown, said, setSaid, noteBet } = useRound(wheel, info.data, config.data?.maxProfit);
  const { play, isBusy, refused } = useBet('POST /casino/games/house/speed-roulette/bet', {
    say: (bet) => {
      const text = words.speed.placed(`${bet.betAmount} USD`, words.house.colours[bet.color]);
      setSaid(text);
      return text;
    },
  });
  const bet = async (stake: { currencyId: string; betAmount: string }) => {
    const roundId = info.data?.game.roundId;
    const done = await play({ body: { ...stake, color } });
    if (done && roundId !== undefined) noteBet(roundId, done);
  };
  return (
    <Game
      name="speed-roulette"
      said={said}
      betId={betId}
      commitment={<RoundCommitment seedHash={info.data?.game.seedHash} />}
      panel={
        <StakePanel
          limits={config.data}
          onPlay={(stake) => void bet(stake)}
          isBusy={isBusy}
          isOff={info.data?.game.phase !== 'BETTING'}
          refused={refused}
        >
          <Colours chosen={color} onChange={setColor} />
        </StakePanel>
      }
    >
      <Loaded of={info}>
        {(found) => (
          <>
            <Countdown info={found} readAt={info.dataUpdatedAt} />
            <Wheel
              pockets={WHEEL}
              turning={turning}
              shown={shown}
              label={shown === undefined ? words.roulette.wheel : resultWords(shown)}
            />
            <History of={found} />
            <Bets of={found} />
          </>
        )}
      </Loaded>
    </Game>
  );
}

const Colours = ({ chosen, onChange }: { chosen: Color; onChange: (color: Color) => void }) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields, not for buttons
  <div className="actions" role="group" aria-label={words.speed.colour}>
    {COLORS.map((color) => (
      <button key={color} type="button" aria-pressed={chosen === color} onClick={() => onChange(color)}>
        <Dot of={color} /> {words.house.colours[color]} {paysOf(color)} ×
      </button>
    ))}
  </div>
);

const resultWords = (position: number) => `${position} ${words.house.colours[colorOf(position)]}`;

const Dot = ({ of }: { of: Color }) => (
  <svg className="dot" viewBox="-6 -6 12 12" aria-hidden="true">
    <circle className={of.toLowerCase()} r="5" />
  </svg>
);

/** Counts down to the end of the phase, by the server's clock. */
function Countdown({ info, readAt }: { info: Info; readAt: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, Math.ceil((readAt + info.timeToNextBlockMs - now) / 1000));
  return (
    <p className="countdown">
      {words.speed.phases[info.game.phase]} <span aria-hidden="true">{left} s</span>
    </p>
  );
}

function History({ of: { latestGames, latestStats } }: { of: Info }) {
  return (
    <>
      <ol className="results" aria-label={words.speed.history}>
        {latestGames.map(({ roundId, position }) =>
          position === null ? null : (
            <li
              key={roundId}
              className={`of-${colorOf(position).toLowerCase()}`}
              title={resultWords(position)}
            >
              {position} <span className="hidden">{words.house.colours[colorOf(position)]}</span>
            </li>
          ),
        )}
      </ol>
      <p className="dim">
        {words.speed.stats}{' '}
        {latestStats.map(({ color, count }) => `${words.house.colours[color]} ${count}`).join(' · ')}
      </p>
    </>
  );
}

/** All players' bets of the round, by colour. */
function Bets({ of: { usersBets } }: { of: Info }) {
  const { id } = useMe();
  return (
    <div className="everybody">
      {COLORS.map((color) => {
        const on = usersBets.filter((bet) => bet.color === color);
        const total = on.reduce((sum, { betAmount }) => sum + units(betAmount), 0n);
        return (
          <section key={color} aria-label={words.house.colours[color]}>
            <h2>
              <Dot of={color} /> {words.house.colours[color]} <Amount of={formatUnits(total)} in="USD" />
            </h2>
            <ul>
              {on
                .slice(-20)
                .toReversed()
                .map(({ user, betAmount }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: bets have no id here
                  <li key={on.length - index}>
                    {user.id === id ? <strong>{words.speed.you}</strong> : user.username}{' '}
                    <Amount of={betAmount} in="USD" />
                  </li>
                ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

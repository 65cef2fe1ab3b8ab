import { useEffect, useState } from 'react';
import {
  COLORS,
  type Color,
  colorOf,
  multiplierOf,
  POSITIONS,
} from '../../../src/modules/games/house-games/speed-roulette/rules.ts';
import { Skeleton } from '../../kit/figures.tsx';
import { money, multiplier, unit } from '../../kit/intl.ts';
import { Refusal } from '../../kit/note.tsx';
import { useOptionalMe } from '../../kit/session.tsx';
import { words } from '../words.ts';
import './colours.css';
import './speed-roulette.css';
import { useConfig } from './play/config.ts';
import { RoundCommitment } from './play/fair/round.tsx';
import { Game } from './play/game.tsx';
import { BetPanel } from './play/panel.tsx';
import type { Stake } from './play/stake.ts';
import { announce, useBet } from './play/use-bet.ts';
import { Bets, Recent } from './speed-bets.tsx';
import { type Info, leftMs, resultWords, useInfo, useOwnBets, useResult } from './speed-round.ts';
import { Strip, useStrip } from './speed-strip.tsx';

const BET = 'POST /casino/games/house/speed-roulette/bet';
const TICK_MS = 250;

const paysOf = (color: Color): number => {
  const positions = Array.from({ length: POSITIONS }, (_, at) => at);
  return Number(multiplierOf(color, positions.find((at) => colorOf(at) === color)!));
};

/** Speed roulette: one shared round for all players, by the server's clock. */
export function SpeedRoulette() {
  const config = useConfig('GET /casino/games/house/speed-roulette/config');
  const isIn = useOptionalMe() !== undefined;
  const [color, setColor] = useState<Color>('RED');
  const { info, readAt, refused, ask } = useInfo();
  const { own, note } = useOwnBets(info);
  const { strip, spin } = useStrip();
  const shown = useResult({ info, readAt, config, own, spin });
  const bet = useBet(BET, {
    say: ({ betAmount, color: on }) => words.speed.placed(money(betAmount), on),
  });
  const { forget, refused: no } = bet;
  const roundId = info?.game.roundId;
  // A bet that was too late for its round is no problem in the next one, which has no result yet.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each round
  useEffect(() => {
    forget();
    announce('');
  }, [roundId]);
  // The player looks at the wheel, not at the panel, when the time runs out.
  useEffect(() => {
    if (no?.code === 'BETTING_CLOSED') announce(words.speed.late);
  }, [no]);
  const place = async (stake: Stake) => {
    const placed = await bet.play({ body: { ...stake, color } });
    if (placed) note(placed);
  };
  return (
    <Game
      name="speed-roulette"
      config={config}
      commitment={<RoundCommitment seedHash={info?.game.seedHash} />}
      panel={
        <BetPanel
          bet={bet}
          limits={config}
          action={words.speed.action}
          why={info?.game.phase === 'BETTING' ? undefined : words.speed.closed}
          multiplier={paysOf(color)}
          onPlay={place}
          keys={COLORS.map((one, index) => ({
            key: String(index + 1),
            text: words.roulette.colors[one],
            run: () => setColor(one),
          }))}
        >
          <Colors chosen={color} onChange={setColor} />
        </BetPanel>
      }
    >
      <div className="speed-stage">
        {isIn && (
          <div className="speed-clock">
            {info ? (
              <Clock info={info} readAt={readAt} shown={shown} />
            ) : (
              !refused && <Skeleton height={34} />
            )}
          </div>
        )}
        <Strip
          strip={strip}
          label={shown === undefined ? words.speed.strip : resultWords(shown)}
          isShown={shown !== undefined}
        />
        {!isIn && <p className="guest dim">{words.speed.guest}</p>}
        {refused && !info && <Refusal of={refused} onRetry={ask} />}
        {info && <Recent of={info} shown={shown} />}
        {info && <Bets of={info} own={own} shown={shown} maxProfit={config?.maxProfit} />}
        {isIn && !info && !refused && (
          <>
            <div className="speed-recent" />
            <div className="speed-bets">
              {COLORS.map((one) => (
                <section key={one} />
              ))}
            </div>
          </>
        )}
      </div>
    </Game>
  );
}

/** The three colours with what they pay. */
const Colors = ({ chosen, onChange }: { chosen: Color; onChange: (color: Color) => void }) => (
  <fieldset className="speed-colors">
    <legend className="label">{words.speed.color}</legend>
    {COLORS.map((color) => (
      <label key={color} className={`on-${color.toLowerCase()}`}>
        <input
          type="radio"
          className="hidden"
          name="color"
          checked={chosen === color}
          onChange={() => onChange(color)}
        />
        <span>{words.roulette.colors[color]}</span>
        <b>{multiplier(paysOf(color))}</b>
      </label>
    ))}
  </fieldset>
);

type ClockProps = { info: Info; readAt: number; shown: number | undefined };

/** The phase of the round and, while bets are open, the time that is left by the server's clock. */
function Clock({ info, readAt, shown }: ClockProps) {
  const [, setNow] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const { phase } = info.game;
  const left = leftMs(info, readAt);
  const whole = Math.max(1, Date.parse(info.game.endsAt) - Date.parse(info.game.startedAt));
  const isOpen = phase === 'BETTING';
  return (
    <>
      <p>
        <strong>
          {shown === undefined
            ? words.speed.phases[phase === 'RESULT' ? 'WAITING' : phase]
            : resultWords(shown)}
        </strong>
        {isOpen && <span aria-hidden="true">{unit(Math.ceil(left / 1000), 'second')}</span>}
      </p>
      <div className="left">
        <i style={{ transform: `scaleX(${isOpen ? Math.min(1, left / whole) : 0})` }} />
      </div>
    </>
  );
}

import { type RefObject, useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import { Chip } from '../../kit/form/toggle.tsx';
import { money, multiplier, number } from '../../kit/intl.ts';
import { useKept } from '../../kit/store.ts';
import { own } from '../own.ts';
import { words } from '../words.ts';
import './limbo.css';
import { bounded, isTarget, type Odds } from './limbo-odds.ts';
import { partOf } from './limbo-path.ts';
import { type Flight, Sky } from './limbo-sky.tsx';
import { useConfig } from './play/config.ts';
import { Game } from './play/game.tsx';
import { everyFrame } from './play/motion.ts';
import { NumberField } from './play/number-field.tsx';
import { BetPanel } from './play/panel.tsx';
import { send } from './play/send.ts';
import { sound } from './play/sound.ts';
import { useBet } from './play/use-bet.ts';

const BET = 'POST /casino/games/house/limbo/bet';
type Result = Answer<typeof BET>;

const USUAL = { rtp: 99, minMultiplier: 1.01, maxMultiplier: 1_000_000 };
const TARGETS = [1.5, 2, 5, 10, 100] as const;
/** The number counts up longer for a larger result. */
const RISE = { baseMs: 500, perDecadeMs: 250, mostMs: 1600 };
/** A tick sounds with every tenth of a decade. */
const TICKS = 10;

/** Limbo: the bet wins if the resulting multiplier reaches the player's target. */
export function Limbo() {
  const config = useConfig('GET /casino/games/house/limbo/config');
  const odds = config ?? USUAL;
  const [kept, setTarget] = useKept(own, 'chosen.limbo', [2, isTarget]);
  // The operator may have changed the range since the target was chosen.
  const target = bounded(kept, odds);
  const flight = useFlight();
  const bet = useBet(BET, { reveal: flight.reveal, say });
  const step = (by: number) => setTarget(bounded(target + by, odds));
  return (
    <Game
      name="limbo"
      config={config}
      panel={
        <BetPanel
          bet={bet}
          limits={config}
          action={words.limbo.action}
          multiplier={target}
          onPlay={(stake) => bet.play({ body: { ...stake, multiplier: target } })}
          auto={{
            ask: (stake, count) =>
              send('POST /casino/games/house/limbo/series', {
                body: { ...stake, multiplier: target, count },
              }),
            reveal: flight.reveal,
            say,
          }}
          keys={[
            { key: 'ArrowUp', text: words.limbo.target, run: () => step(0.5), isOff: bet.isBusy },
            { key: 'ArrowDown', text: words.limbo.target, run: () => step(-0.5), isOff: bet.isBusy },
          ]}
        >
          <Target target={target} odds={odds} onChange={(next) => setTarget(bounded(next, odds))} />
        </BetPanel>
      }
    >
      <Sky target={target} flight={flight} />
      <p className={`limbo-number ${flight.state ?? ''}`} aria-hidden="true" translate="no">
        <span ref={flight.figure}>{multiplier(1)}</span>
      </p>
    </Game>
  );
}

const say = (result: Result) => {
  const at = multiplier(result.offeredMultiplier);
  const text = hasWon(result) ? words.limbo.reached(at, money(result.payout)) : words.limbo.missed(at);
  return `${multiplier(result.randomMultiplier)} · ${text}`;
};

const hasWon = ({ randomMultiplier, offeredMultiplier }: Result) => randomMultiplier >= offeredMultiplier;

/** The flight of the rocket. One progress value moves the multiplier, the curve and the rocket. */
function useFlight(): Flight & {
  figure: RefObject<HTMLElement | null>;
  reveal: (result: Result) => Promise<void>;
} {
  const [state, setState] = useState<Flight['state']>();
  const draw = useRef<(part: number) => void>(() => {});
  const figure = useRef<HTMLSpanElement>(null);
  const reveal = async (result: Result) => {
    const { randomMultiplier: end, offeredMultiplier: target } = result;
    const decades = Math.log10(end);
    const ms = Math.min(RISE.mostMs, RISE.baseMs + RISE.perDecadeMs * decades);
    setState('flying');
    let ticks = 0;
    await everyFrame(ms, (progress) => {
      const reached = decades * (1 - (1 - progress) ** 3);
      const now = progress < 1 ? 10 ** reached : end;
      if (figure.current) figure.current.textContent = multiplier(now);
      draw.current(partOf(now, target));
      if (progress < 1 && Math.floor(reached * TICKS) > ticks) {
        ticks = Math.floor(reached * TICKS);
        sound('tick');
      }
      if (now >= target) setState('passed');
    });
    setState(hasWon(result) ? 'won' : 'lost');
  };
  return { state, draw, figure, reveal };
}

type TargetProps = { target: number; odds: Odds; onChange: (target: number) => void };

/** The target and the chance to reach it. Each can be typed, and the other follows. */
function Target({ target, odds, onChange }: TargetProps) {
  const { rtp, minMultiplier, maxMultiplier } = odds;
  return (
    <>
      <div className="pair">
        <NumberField
          name="target"
          label={words.limbo.target}
          value={target}
          decimals={2}
          min={minMultiplier}
          max={maxMultiplier}
          problem={words.limbo.range(number(minMultiplier), number(maxMultiplier))}
          onChange={onChange}
          end={<span className="faint">×</span>}
        />
        <NumberField
          name="chance"
          label={words.table.chance}
          value={rtp / target}
          decimals={target > 1000 ? 4 : 2}
          min={rtp / maxMultiplier}
          max={rtp / minMultiplier}
          onChange={(chance) => onChange(rtp / chance)}
          end={<span className="faint">%</span>}
        />
      </div>
      <div className="limbo-targets">
        {TARGETS.map((one) => (
          <Chip key={one} {...(one === target && { kind: 'set' })} onClick={() => onChange(one)}>
            {`${number(one)}×`}
          </Chip>
        ))}
      </div>
    </>
  );
}

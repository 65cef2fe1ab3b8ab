import { type RefObject, useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import { Button } from '../../kit/button.tsx';
import { fixed } from '../../kit/intl.ts';
import { useKept } from '../../kit/store.ts';
import { own } from '../own.ts';
import { words } from '../words.ts';
import './dice.css';
import { isSide, multiplierOf, type Side, sideOf, winningFor, winningOf, winningRange } from './dice-odds.ts';
import { useConfig } from './play/config.ts';
import { Game } from './play/game.tsx';
import { beat, everyFrame, move } from './play/motion.ts';
import { NumberField } from './play/number-field.tsx';
import { paidWords } from './play/outcome.ts';
import { BetPanel } from './play/panel.tsx';
import { send } from './play/send.ts';
import { sound } from './play/sound.ts';
import { useBet } from './play/use-bet.ts';

const BET = 'POST /casino/games/house/dice/bet';
type Result = Answer<typeof BET>;

const TRAVEL_MS = 450;
const DIGITS_MS = 120;
/** At the ends of the line the figure moves towards the middle by this part of its width (percent), so that it stays on the stage. */
const INWARDS = 26;
/** The length of these ends (percent). */
const END = 8;
const offsetAt = (x: number) => -50 + INWARDS * (Math.max(0, 1 - x / END) - Math.max(0, 1 - (100 - x) / END));

/** Odds until the configuration is loaded. */
const USUAL = { rtp: 99, maxMultiplier: 9900 };

/** Dice: the roll is over or under the player's threshold. */
export function Dice() {
  const config = useConfig('GET /casino/games/house/dice/config');
  const odds = config ?? USUAL;
  const [kept, setSide] = useKept<Side>(own, 'chosen.dice', [{ threshold: 50.5, above: true }, isSide]);
  // The operator may have changed the range since the side was chosen.
  const side = sideOf(winningOf(kept), kept.above, odds);
  const multiplier = multiplierOf(side, odds);
  const { mark, digits, rolled, reveal } = useRoll();
  const bet = useBet(BET, { reveal, say });
  const choose = (winning: number, above = side.above) => setSide(sideOf(winning, above, odds));
  const swap = () => choose(winningOf(side), !side.above);
  const step = (by: number) => choose(winningOf({ ...side, threshold: side.threshold + by }));
  return (
    <Game
      name="dice"
      config={config}
      panel={
        <BetPanel
          bet={bet}
          limits={config}
          action={words.roll.action}
          multiplier={multiplier}
          onPlay={(stake) => bet.play({ body: { ...stake, ...side } })}
          auto={{
            ask: (stake, count) =>
              send('POST /casino/games/house/dice/series', { body: { ...stake, ...side, count } }),
            reveal,
            say,
          }}
          keys={[
            { key: 'ArrowLeft', text: words.roll.threshold, run: () => step(-1), isOff: bet.isBusy },
            { key: 'ArrowRight', text: words.roll.threshold, run: () => step(1), isOff: bet.isBusy },
            { key: 'u', text: words.roll.side, run: swap, isOff: bet.isBusy },
          ]}
        />
      }
    >
      <div className="dice-stage">
        <Line
          side={side}
          rolled={rolled}
          mark={mark}
          digits={digits}
          isLocked={bet.isBusy}
          onChange={choose}
        />
        <Odds
          side={side}
          odds={odds}
          multiplier={multiplier}
          isLocked={bet.isBusy}
          onChange={choose}
          onSwap={swap}
        />
      </div>
    </Game>
  );
}

const say = (result: Result) => `${fixed(result.randomValue)} · ${paidWords(result)}`;

/** The last roll. Its marker travels from its previous place, and its digits roll before they stop. */
function useRoll() {
  const [rolled, setRolled] = useState<'won' | 'lost'>();
  const mark = useRef<HTMLDivElement>(null);
  const digits = useRef<HTMLElement>(null);
  const at = useRef(50);
  const reveal = async ({ randomValue, didWin }: Result) => {
    const ends = [at.current, randomValue];
    const frames = ends.map((x) => ({ transform: `translateX(${x}%)`, opacity: 1 }));
    const inside = ends.map((x) => ({ transform: `translateX(${offsetAt(x)}%)` }));
    setRolled(undefined);
    sound('slide');
    const write = (value: number) => {
      if (digits.current) digits.current.textContent = fixed(value);
    };
    // Before the first roll there are no digits.
    write(at.current);
    at.current = randomValue;
    const roll = async () => {
      await beat(TRAVEL_MS - DIGITS_MS);
      await everyFrame(DIGITS_MS, (progress) => write(progress < 1 ? Math.random() * 100 : randomValue));
    };
    await Promise.all([
      move(mark.current, frames, TRAVEL_MS),
      move(digits.current, inside, TRAVEL_MS),
      roll(),
    ]);
    setRolled(didWin ? 'won' : 'lost');
  };
  return { mark, digits, rolled, reveal };
}

type LineProps = {
  side: Side;
  rolled: 'won' | 'lost' | undefined;
  mark: RefObject<HTMLDivElement | null>;
  digits: RefObject<HTMLElement | null>;
  isLocked: boolean;
  onChange: (winning: number) => void;
};

/** The line from 0 to 100 with the part that wins, the threshold to drag, and the marker of the last roll. */
function Line({ side, rolled, mark, digits, isLocked, onChange }: LineProps) {
  const { threshold, above } = side;
  return (
    <div className="dice-line">
      <div className="way">
        <div ref={mark} className="mark">
          <i />
          <b ref={digits} className={rolled} aria-hidden="true" translate="no" />
        </div>
      </div>
      <div className="ticks" aria-hidden="true">
        {[0, 25, 50, 75, 100].map((tick) => (
          <span key={tick}>{tick}</span>
        ))}
      </div>
      <div className={rolled === 'won' ? 'track won' : 'track'}>
        <input
          type="range"
          className={above ? 'over' : 'under'}
          style={{ '--at': `${threshold}%` }}
          aria-label={words.roll.threshold}
          min={0}
          max={100}
          step="any"
          value={threshold}
          disabled={isLocked}
          onChange={({ target }) =>
            onChange(winningOf({ above, threshold: Math.round(Number(target.value) * 2) / 2 }))
          }
        />
      </div>
    </div>
  );
}

type OddsProps = {
  side: Side;
  odds: { rtp: number; maxMultiplier: number };
  multiplier: number | undefined;
  isLocked: boolean;
  onChange: (winning: number) => void;
  onSwap: () => void;
};

/** Multiplier, threshold and chance. Each can be typed, and the others follow. */
function Odds({ side, odds, multiplier = 1, isLocked, onChange, onSwap }: OddsProps) {
  const { least, most } = winningRange(odds);
  const [from, to] = [sideOf(least, side.above, odds), sideOf(most, side.above, odds)].map(
    (one) => one.threshold,
  );
  const label = side.above ? words.roll.over : words.roll.under;
  return (
    <div className="odds">
      <NumberField
        name="multiplier"
        label={words.table.multiplier}
        value={multiplier}
        decimals={4}
        min={1.01}
        max={odds.maxMultiplier}
        disabled={isLocked}
        onChange={(next) => onChange(winningFor(next, odds))}
        end={<span className="faint">×</span>}
      />
      <NumberField
        name="threshold"
        label={label}
        value={side.threshold}
        decimals={2}
        min={Math.min(from!, to!)}
        max={Math.max(from!, to!)}
        disabled={isLocked}
        onChange={(threshold) => onChange(winningOf({ ...side, threshold }))}
        end={
          <Button
            kind="ghost"
            size="sm"
            icon="arrow-left-right"
            aria-label={words.roll.swap(label)}
            disabled={isLocked}
            onClick={onSwap}
          />
        }
      />
      <NumberField
        name="chance"
        label={words.table.chance}
        value={winningOf(side) / 100}
        decimals={2}
        min={least / 100}
        max={most / 100}
        disabled={isLocked}
        onChange={(next) => onChange(next * 100)}
        end={<span className="faint">%</span>}
      />
    </div>
  );
}

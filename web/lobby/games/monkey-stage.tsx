import { type KeyboardEvent, useRef, useState } from 'react';
import { multiplier } from '../../kit/intl.ts';
import { words } from '../words.ts';
import { Banana, Bank, Monkey, Scenery, Stone, type StoneState } from './monkey-art.tsx';
import {
  cameraAt,
  HEIGHT,
  jumpMs,
  jumpOf,
  type Point,
  stoneAt,
  swimAt,
  viewOf,
  WIDTH,
} from './monkey-path.ts';
import { beat, move } from './play/motion.ts';
import { sound } from './play/sound.ts';
import { useRoving } from './roving.ts';

const SINK_MS = 300;
const SWIM_MS = 260;
const WAVE_MS = 480;
const LOOK_MS = 220;
/** A stone that the monkey has left sinks by this distance. */
const SUNK = 6;

const across = (x: number) => ({ transform: `translateX(${x}px)` });
const down = (y: number) => ({ transform: `translateY(${y}px)`, opacity: 1 });
const RINGS = [
  { transform: 'scale(.3)', opacity: 0.9 },
  { transform: 'scale(1.25)', opacity: 0 },
];
const WAVE = ['0', '-120', '-80', '-120', '0'].map((turn) => ({ transform: `rotate(${turn}deg)` }));
const RISING = [
  { transform: 'translateY(-60px)', opacity: 0 },
  { transform: 'translateY(-150px)', opacity: 1 },
  { transform: 'translateY(-170px)', opacity: 0 },
];

/** The monkey in the river: where it is, and its ways to move. */
export function useMonkey() {
  const svg = useRef<SVGSVGElement>(null);
  const [at, setAt] = useState(0);
  const [isSwimming, setSwimming] = useState(false);
  const part = (name: string) => svg.current?.querySelector(`.${name}`) ?? null;
  const stand = async ({ x, y }: Point) => {
    await Promise.all([move(part('walker'), [across(x)], 0), move(part('jumper'), [down(y)], 0)]);
  };
  /** Shows the monkey on a tile without a jump. */
  const place = async (tile: number) => {
    setSwimming(false);
    setAt(tile);
    for (const rock of svg.current?.querySelectorAll('.rock') ?? [])
      for (const animation of rock.getAnimations()) animation.cancel();
    await Promise.all([stand(stoneAt(tile)), move(part('river'), [across(cameraAt(tile))], 0)]);
  };
  const jump = async (to: number, ms: number) => {
    const [start, end] = [stoneAt(to - 1), stoneAt(to)];
    sound('step');
    await Promise.all([
      move(part('walker'), [across(start.x), across(end.x)], ms, 'inout'),
      move(part('jumper'), jumpOf(start, end).map(down), ms, 'inout'),
      move(part('river'), [across(cameraAt(to))], ms, 'inout'),
    ]);
  };
  const run = async (from: number, to: number, isTrapped: boolean) => {
    const ms = jumpMs(to - from + (isTrapped ? 1 : 0));
    for (let tile = from + 1; tile <= to; tile++) {
      await jump(tile, ms);
      setAt(tile);
    }
    if (!isTrapped) return;
    await jump(to + 1, ms);
    sound('trap');
    const { y } = stoneAt(to + 1);
    void move(part('rings'), [across(stoneAt(to + 1).x)], 0);
    void move(part('ring'), RINGS, SINK_MS, 'out');
    void move(
      part(`stone-${to + 1} .rock`),
      [down(0), { transform: 'translateY(60px)', opacity: 0 }],
      SINK_MS,
    );
    await move(part('jumper'), [down(y), { transform: `translateY(${y + 70}px)`, opacity: 0 }], SINK_MS);
    setSwimming(true);
    const water = swimAt(to);
    await stand({ x: water.x, y: water.y + 40 });
    await move(part('jumper'), [down(water.y + 40), down(water.y)], SWIM_MS);
  };
  const celebrate = async () => {
    void move(part('arm'), WAVE, WAVE_MS, 'inout');
    void move(part('banana'), RISING, WAVE_MS, 'out');
    await beat(WAVE_MS);
  };
  const look = (tile: number) =>
    void move(part('river'), [across(cameraAt(viewOf(tile, at)))], LOOK_MS, 'out');
  return { svg, at, isSwimming, place, run, celebrate, look };
}

type StageProps = {
  monkey: ReturnType<typeof useMonkey>;
  /** The multipliers of all tiles that a round can reach. */
  multipliers: readonly number[];
  /** The first trap, once the round has ended. */
  trap: number | undefined;
  canRun: boolean;
  onRun: (tile: number) => void;
};

/** The river with its stones. The stones ahead are buttons. */
export function Stage({ monkey, multipliers, trap, canRun, onRun }: StageProps) {
  const { svg, at, isSwimming, look } = monkey;
  const roving = useRoving<SVGGElement>(multipliers.length, Math.max(1, multipliers.length));
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: its tiles have labels, and the rest is decoration
    <svg
      ref={svg}
      className="monkey-stage"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="xMidYMid slice"
    >
      <Scenery />
      <g className="river" style={across(cameraAt(0))}>
        <g transform="translate(0 452)">
          <Bank />
        </g>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be in a drawing */}
        {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it only moves the focus */}
        <g ref={roving.grid} role="group" aria-label={words.monkey.tiles} onKeyDown={roving.onKeyDown}>
          {multipliers.map((one, i) => (
            <Tile
              // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies the tile
              key={i}
              tile={i + 1}
              text={trap === i + 1 ? '✕' : multiplier(one)}
              state={stateOf(i + 1, at, trap)}
              name={words.monkey.tile(i + 1, multiplier(one), noteOf(i + 1, at, trap))}
              canPress={canRun && i + 1 > at}
              onPress={() => onRun(i + 1)}
              onLook={() => look(i + 1)}
              cell={roving.cell(i)}
            />
          ))}
        </g>
        <g transform={`translate(${stoneAt(multipliers.length + 1).x} 452)`}>
          <Bank isFar />
        </g>
        {canRun && at < multipliers.length && <path className="way" d={wayOf(at)} />}
        <g className="rings">
          <g transform={`translate(0 ${stoneAt(1).y + 20})`}>
            <ellipse className="ring" rx="90" ry="26" />
          </g>
        </g>
        <g className="walker">
          <g className="jumper" style={down(stoneAt(0).y)}>
            <Monkey isSwimming={isSwimming} />
            <g className="banana">
              <Banana />
            </g>
          </g>
        </g>
      </g>
    </svg>
  );
}

/** Returns the way of the next jump. */
function wayOf(at: number): string {
  const [from, to] = [stoneAt(at), stoneAt(at + 1)];
  return `M${from.x + 50} ${from.y - 90}C${from.x + 80} ${from.y - 140} ${to.x - 40} ${to.y - 140} ${to.x - 6} ${to.y - 44}`;
}

const stateOf = (tile: number, at: number, trap: number | undefined): StoneState =>
  tile === trap ? 'trap' : tile < at ? 'past' : tile === at ? 'here' : 'ahead';

const noteOf = (tile: number, at: number, trap: number | undefined): string | undefined =>
  tile === trap ? words.monkey.isTrap : tile === at ? words.monkey.isHere : undefined;

type TileProps = {
  tile: number;
  text: string;
  state: StoneState;
  name: string;
  canPress: boolean;
  onPress: () => void;
  onLook: () => void;
  cell: ReturnType<ReturnType<typeof useRoving<SVGGElement>>['cell']>;
};

function Tile({ tile, text, state, name, canPress, onPress, onLook, cell }: TileProps) {
  const { x, y } = stoneAt(tile);
  const press = () => canPress && onPress();
  return (
    <g transform={`translate(${x} ${y})`}>
      {/* biome-ignore lint/a11y/useSemanticElements: a button cannot be in a drawing */}
      <g
        {...cell}
        className={`stone stone-${tile} ${state}`}
        role="button"
        aria-disabled={!canPress}
        aria-label={name}
        style={{ transform: `translateY(${state === 'past' ? SUNK : 0}px)` }}
        onFocus={() => {
          cell.onFocus();
          onLook();
        }}
        onClick={press}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key !== 'Enter' && event.key !== ' ') return;
          event.preventDefault();
          press();
        }}
      >
        <Stone state={state} text={text} />
      </g>
    </g>
  );
}

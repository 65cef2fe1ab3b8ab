import { memo, type RefObject, useRef } from 'react';
import './roulette-wheel.css';
import { beat, everyFrame, move } from './play/motion.ts';
import { sound } from './play/sound.ts';
import { colourOf, ORDER } from './wheel-order.ts';

const STEP = 360 / ORDER.length;
const SPIN_MS = 1900;
const FALL_MS = 500;
const EASING = 'cubic-bezier(.15, .7, .1, 1)';
const ROUNDS = { wheel: 3, ball: 4 };
/** The ball stops near the top, not always on the same spot. In degrees. */
const SPREAD = 70;
const TICKS = 26;

const RADIUS = 142;
const INNER = 96;
/** Distances of the ball from the centre: on its track, as it jumps, and in a pocket. */
const BALL = { track: 149, jump: 112, pocket: 106 };

type Parts = {
  wheel: RefObject<SVGGElement | null>;
  ball: RefObject<SVGGElement | null>;
  fall: RefObject<SVGGElement | null>;
};

/** The wheel and its ball. `spin` resolves when the ball lies on the number. */
export function useWheel() {
  const parts: Parts = { wheel: useRef(null), ball: useRef(null), fall: useRef(null) };
  const rest = useRef({ wheel: 0, ball: 0 });
  const spin = async (number: number) => {
    const { wheel, ball } = rest.current;
    const top = (Math.random() - 0.5) * SPREAD;
    const end = top - ORDER.indexOf(number) * STEP;
    const to = {
      wheel: end + 360 * Math.ceil((wheel + ROUNDS.wheel * 360 - end) / 360),
      ball: top - 360 * Math.ceil((top - ball + ROUNDS.ball * 360) / 360),
    };
    rest.current = to;
    await Promise.all([
      move(parts.wheel.current, turned(wheel, to.wheel), SPIN_MS, EASING),
      move(parts.ball.current, turned(ball, to.ball), SPIN_MS, EASING),
      fallIn(parts.fall.current),
      ticks(),
    ]);
  };
  return { parts, spin };
}

const turned = (...ends: readonly number[]) =>
  ends.map((degrees) => ({ transform: `rotate(${degrees}deg)` }));

/** The ball runs on its track, and falls into the pocket at the end. */
async function fallIn(ball: Element | null): Promise<void> {
  const at = (distance: number) => ({ transform: `translateY(${-distance}px)`, opacity: 1 });
  await move(ball, [at(BALL.track), at(BALL.track)], 0);
  await beat(SPIN_MS - FALL_MS);
  await move(
    ball,
    [
      at(BALL.track),
      { ...at(BALL.pocket), offset: 0.45 },
      { ...at(BALL.jump), offset: 0.65 },
      at(BALL.pocket),
    ],
    FALL_MS,
    'inout',
  );
}

/** The ball ticks on the pockets, slower and slower. */
async function ticks(): Promise<void> {
  let heard = 0;
  await everyFrame(SPIN_MS, (progress) => {
    const passed = Math.floor((1 - (1 - progress) ** 3) * TICKS);
    if (passed > heard && progress < 1) sound('tick');
    heard = passed;
  });
}

/** The wheel. It does not draw again while it turns. */
export const Wheel = memo(({ parts, label }: { parts: Parts; label: string }) => (
  <svg className="roulette-wheel" viewBox="-162 -162 324 324" role="img" aria-label={label}>
    <defs>
      <linearGradient id="rw-gold" x2="0" y2="1">
        <stop stopColor="#ffe6a8" />
        <stop offset=".5" stopColor="#c48a2c" />
        <stop offset="1" stopColor="#7a4a12" />
      </linearGradient>
      <radialGradient id="rw-wood" cy=".4">
        <stop stopColor="#7d3d22" />
        <stop offset="1" stopColor="#2f130a" />
      </radialGradient>
      <radialGradient id="rw-ball" cx=".35" cy=".3">
        <stop stopColor="#fff" />
        <stop offset="1" stopColor="#a7b0c6" />
      </radialGradient>
    </defs>
    <circle r="161" fill="url(#rw-gold)" />
    <circle r="153" fill="#2a0f0a" />
    <g ref={parts.wheel}>
      {ORDER.map((number, at) => (
        <g key={number} transform={`rotate(${at * STEP})`}>
          <path d={POCKET} className={colourOf(number).toLowerCase()} />
          <text y="-122" textAnchor="middle">
            {number}
          </text>
        </g>
      ))}
      <circle r="95" fill="url(#rw-wood)" stroke="#e9c067" strokeWidth="2" />
      <path className="cross" d="M-52 0H52M0-52V52" />
      <g fill="#ffe9b8">
        <circle cx="54" r="9" />
        <circle cx="-54" r="9" />
        <circle cy="54" r="9" />
        <circle cy="-54" r="9" />
      </g>
    </g>
    <circle r="28" fill="url(#rw-gold)" />
    <circle r="11" fill="#fff4d4" />
    <g ref={parts.ball}>
      <g ref={parts.fall} className="ball">
        <circle r="8.5" fill="url(#rw-ball)" />
      </g>
    </g>
  </svg>
));

const POCKET = sector(STEP);

function sector(angle: number): string {
  const half = (angle * Math.PI) / 360;
  const on = (radius: number, side: 1 | -1) =>
    `${(side * radius * Math.sin(half)).toFixed(2)} ${(-radius * Math.cos(half)).toFixed(2)}`;
  return `M${on(RADIUS, -1)}A${RADIUS} ${RADIUS} 0 0 1 ${on(RADIUS, 1)}L${on(INNER, 1)}A${INNER} ${INNER} 0 0 0 ${on(INNER, -1)}Z`;
}

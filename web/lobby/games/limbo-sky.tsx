import { type RefObject, useEffect, useRef } from 'react';
import { multiplier } from '../../kit/intl.ts';
import { words } from '../words.ts';
import { CURVE, partOf, placeAt } from './limbo-path.ts';

export type Flight = {
  state: 'flying' | 'passed' | 'won' | 'lost' | undefined;
  /** Draws curve and rocket up to a part of the curve. The sky sets it. */
  draw: RefObject<(part: number) => void>;
};

const STARS = Array.from({ length: 46 }, (_, i) => ({
  x: (i * 197) % 876,
  y: (i * 131) % 480,
  r: (i % 3) * 0.6 + 0.7,
  opacity: 0.25 + (i % 4) * 0.12,
}));

/** The sky with the target line, the curve and the rocket. */
export function Sky({ target, flight: { state, draw } }: { target: number; flight: Flight }) {
  const mask = useRef<SVGRectElement>(null);
  const rocket = useRef<SVGGElement>(null);
  const part = useRef(partOf(1, 2));
  useEffect(() => {
    draw.current = (next) => {
      part.current = next;
      const { x, y, degrees } = placeAt(next);
      mask.current?.setAttribute('transform', `scale(${x / 876} 1)`);
      rocket.current?.setAttribute('transform', `translate(${x} ${y}) rotate(${degrees}) scale(.36)`);
    };
    draw.current(part.current);
  }, [draw]);
  const line = placeAt(partOf(target, target)).y;
  return (
    <svg
      className={`limbo-sky ${state ?? ''}`}
      viewBox="0 0 876 580"
      preserveAspectRatio="xMaxYMid slice"
      aria-hidden="true"
    >
      <defs>
        <linearGradient id="limbo-trail" x1="0" y1="1" x2="1" y2="0">
          <stop stopColor="#ff5fa8" stopOpacity="0" />
          <stop offset="1" stopColor="#ffd36e" />
        </linearGradient>
        <linearGradient id="limbo-air" x2="0" y2="1">
          <stop stopColor="#ff8ad0" stopOpacity=".28" />
          <stop offset="1" stopColor="#ff8ad0" stopOpacity="0" />
        </linearGradient>
        <clipPath id="limbo-flown">
          <rect ref={mask} width="876" height="580" />
        </clipPath>
      </defs>
      <g fill="#fff">
        {STARS.map(({ x, y, r, opacity }) => (
          <circle key={`${x} ${y}`} cx={x} cy={y} r={r} opacity={opacity} />
        ))}
      </g>
      <path className="grid" d="M0 470H876M0 360H876M0 250H876M0 140H876" />
      <g clipPath="url(#limbo-flown)">
        <path d={`${CURVE}V580H0Z`} fill="url(#limbo-air)" />
        <path d={CURVE} fill="none" stroke="url(#limbo-trail)" strokeWidth="7" strokeLinecap="round" />
      </g>
      <g className="target" transform={`translate(0 ${line})`}>
        <path d="M0 0H876" />
        <g transform="translate(438 0)">
          <rect x="-58" y="-13" width="116" height="26" rx="13" />
          <text y="5" textAnchor="middle">
            {words.limbo.targetAt(multiplier(target))}
          </text>
        </g>
      </g>
      <Rocket place={rocket} />
    </svg>
  );
}

const Rocket = ({ place }: { place: RefObject<SVGGElement | null> }) => (
  <g ref={place}>
    <g className="rocket">
      <path d="M-22 92C-30 120-14 138 0 178C14 138 30 120 22 92Z" fill="#ffb02e" />
      <path
        d="M-34 40C-66 58-68 92-62 112C-48 96-38 90-24 88ZM34 40C66 58 68 92 62 112C48 96 38 90 24 88Z"
        fill="#ff4f8b"
      />
      <path d="M0-104C40-66 46-10 30 92H-30C-46-10-40-66 0-104Z" fill="#f3f0ff" />
      <path d="M0-104C22-83 33-56 37-26H-37C-33-56-22-83 0-104Z" fill="#ff5f93" />
      <circle cy="12" r="18" fill="#3aa6f0" stroke="#3b2a9c" strokeWidth="7" />
    </g>
  </g>
);

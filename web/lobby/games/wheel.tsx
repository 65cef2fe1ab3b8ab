import type { RefObject } from 'react';
import { move } from './use-bet.ts';
import './wheel.css';

export type Pocket = { number: number; colour: 'RED' | 'BLACK' | 'GREEN' };

type WheelProps = {
  pockets: readonly Pocket[];
  /** The rotating part of the wheel. */
  turning: RefObject<SVGGElement | null>;
  label: string;
  /** The winning pocket, while the wheel stands still. */
  shown?: number | undefined;
};

/** The current angle of each wheel. */
const rests = new WeakMap<Element, number>();

const RADIUS = 100;
const INNER = 66;

/** A wheel. The pocket at the top wins. */
export function Wheel({ pockets, turning, label, shown }: WheelProps) {
  const angle = 360 / pockets.length;
  return (
    <svg className="wheel" viewBox="-112 -116 224 228" role="img" aria-label={label}>
      <circle className="rim" r={RADIUS + 6} />
      <g ref={turning}>
        {pockets.map(({ number, colour }, at) => (
          <g key={number} className={colour.toLowerCase()} transform={`rotate(${at * angle})`}>
            <path d={sector(angle)} />
            <text y={-RADIUS + 16} textAnchor="middle" className={pockets.length > 20 ? 'small' : undefined}>
              {number}
            </text>
          </g>
        ))}
      </g>
      <circle className="hub" r={INNER - 22} />
      {shown !== undefined && (
        <text className="result" y="14" textAnchor="middle">
          {shown}
        </text>
      )}
      <path className="pointer" d="M0 -92 L-7 -114 L7 -114 Z" />
    </svg>
  );
}

/** Turns the wheel until pocket `at` of `of` is at the top. */
export function spinTo(turning: SVGGElement | null, at: number, of: number, ms: number): Promise<void> {
  const from = (turning && rests.get(turning)) ?? 0;
  const end = (-at * 360) / of;
  const to = end - 360 * Math.ceil((end - from + 2 * 360) / 360);
  if (turning) rests.set(turning, to);
  const frames = [from, to].map((degrees) => ({ transform: `rotate(${degrees}deg)` }));
  return move(turning, frames, ms, 'cubic-bezier(.1, .6, .15, 1)');
}

function sector(angle: number): string {
  const half = (angle * Math.PI) / 360;
  const on = (radius: number, side: 1 | -1) =>
    `${(side * radius * Math.sin(half)).toFixed(2)} ${(-radius * Math.cos(half)).toFixed(2)}`;
  return `M${on(RADIUS, -1)} A${RADIUS} ${RADIUS} 0 0 1 ${on(RADIUS, 1)} L${on(INNER, 1)} A${INNER} ${INNER} 0 0 0 ${on(INNER, -1)} Z`;
}

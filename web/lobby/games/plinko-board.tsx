import type { RefObject } from 'react';
import { number } from '../../kit/intl.ts';
import { words } from '../words.ts';
import {
  BUCKETS,
  bucketX,
  HEIGHT,
  type Layout,
  layoutOf,
  pinsHit,
  pinsOf,
  trailOf,
  WIDTH,
} from './plinko-path.ts';

/** Number of balls that may fall at once. Each is drawn with two halos for the pins that it hits. */
export const BALLS = 8;
const SLOTS = Array.from({ length: BALLS }, (_, slot) => slot);

type BoardProps = {
  svg: RefObject<SVGSVGElement | null>;
  rows: number;
  risk: string;
  pays: readonly number[];
  /** The last ball that has landed. */
  landed: { results: readonly number[]; bucket: number } | undefined;
};

/** The pins, the buckets and the balls. */
export function Board({ svg, rows, risk, pays, landed }: BoardProps) {
  const layout = layoutOf(rows);
  const label = words.plinko.board(
    rows,
    risk,
    pays.map((multiplier) => `${number(multiplier)}×`),
  );
  return (
    <svg ref={svg} className="plinko-board" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <defs>
        <radialGradient id="plinko-ball" cx=".36" cy=".3" r=".78">
          <stop stopColor="#fff6cf" />
          <stop offset=".5" stopColor="#ffc53a" />
          <stop offset="1" stopColor="#b86200" />
        </radialGradient>
      </defs>
      {SLOTS.flatMap((slot) => [
        <circle key={slot} className="halo" r={layout.pin * 2.1} />,
        <circle key={`${slot} second`} className="halo" r={layout.pin * 2.1} />,
      ])}
      <g className="pins">
        {pinsOf(layout).map(({ x, y }) => (
          <circle key={`${x} ${y}`} cx={x} cy={y} r={layout.pin} />
        ))}
      </g>
      {landed && <Trail layout={layout} results={landed.results} />}
      {pays.map((multiplier, bucket) => (
        <Bucket
          // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies the bucket
          key={bucket}
          x={bucketX(layout, bucket)}
          width={layout.gap - 6}
          multiplier={multiplier}
          colour={heatOf(multiplier, Math.max(...pays))}
          isLanded={landed?.bucket === bucket}
        />
      ))}
      {SLOTS.map((slot) => (
        <g key={slot} className="ball">
          <g>
            <circle r={layout.ball} fill="url(#plinko-ball)" />
            <ellipse
              className="shine"
              cx={-layout.ball / 3}
              cy={-layout.ball / 2}
              rx={layout.ball / 3}
              ry={layout.ball / 5}
            />
          </g>
        </g>
      ))}
    </svg>
  );
}

/** The way of the last ball, and the pins that it hit. */
const Trail = ({ layout, results }: { layout: Layout; results: readonly number[] }) => (
  <>
    <path className="trail" d={trailOf(layout, results)} />
    {pinsHit(layout, results)
      .slice(0, layout.rows)
      .map(({ x, y }, row) => (
        <circle
          key={y}
          className="lit"
          cx={x}
          cy={y}
          r={layout.pin * (1.4 + row / layout.rows)}
          opacity={0.08 + 0.3 * (row / layout.rows)}
        />
      ))}
  </>
);

type BucketProps = { x: number; width: number; multiplier: number; colour: string; isLanded: boolean };

const Bucket = ({ x, width, multiplier, colour, isLanded }: BucketProps) => (
  <g transform={`translate(${x - width / 2} ${BUCKETS})`}>
    <g className={isLanded ? 'bucket landed' : 'bucket'}>
      <rect
        className="light"
        x={-7}
        y={-7}
        width={width + 14}
        height={51}
        rx={15}
        fill={colour}
        opacity={0}
      />
      <rect y={5} width={width} height={36} rx={9} opacity={0.4} />
      <rect width={width} height={37} rx={9} fill={colour} />
      <rect className="shine" width={width} height={17} rx={9} />
      <rect className="ring" x={-2} y={-2} width={width + 4} height={41} rx={11} />
      <text
        x={width / 2}
        y={19}
        textAnchor="middle"
        dominantBaseline="central"
        style={{ '--fit': `${fitOf(width, multiplier)}px` }}
      >
        {figureOf(multiplier)}
        <tspan>×</tspan>
      </text>
    </g>
  </g>
);

/** Returns the colour of a bucket, from yellow for the smallest multiplier to red for the largest. */
function heatOf(multiplier: number, most: number): string {
  const part = Math.min(1, Math.log(multiplier / 0.2) / Math.log(most / 0.2));
  return `hsl(${Math.round(48 - 60 * part)} 88% ${Math.round(62 - 6 * part)}%)`;
}

/** Width of a digit, as a part of the text's size. */
const DIGIT = 0.62;
/** Returns a multiplier as short as possible: 1000 is 1K. */
const figureOf = (multiplier: number): string =>
  multiplier >= 1000 ? `${number(multiplier / 1000)}K` : number(multiplier);

/** Returns the size of the largest text that fits into a bucket. */
const fitOf = (width: number, multiplier: number): number =>
  (width - 2) / (figureOf(multiplier).length * DIGIT);

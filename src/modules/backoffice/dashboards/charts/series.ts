import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import type { Steps } from '../periods/rules.ts';
import type { TimeSeriesPoint } from '../schemas.ts';

type Point = z.input<typeof TimeSeriesPoint>;

/** Returns a point for each step, including empty ones. */
export const seriesOf = ({ starts }: Steps, valueAt: (step: number) => number): Point[] =>
  starts.map((at, step) => ({ at: iso(new Date(at)), value: valueAt(step) }));

/** Like `seriesOf`, without a point for the first step, which is the previous period. */
export const seriesAfterFirst = ({ starts, until }: Steps, valueAt: (step: number) => number): Point[] =>
  seriesOf({ starts: starts.slice(1), until }, (step) => valueAt(step + 1));

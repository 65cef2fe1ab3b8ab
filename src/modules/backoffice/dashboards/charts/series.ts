import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import type { Steps } from '../periods/rules.ts';
import type { RegistrationStats } from '../schemas.ts';

type Point = z.input<typeof RegistrationStats>['registrationTimeSeries'][number];

/** A point for each step, empty ones too. */
export const seriesOf = ({ starts }: Steps, valueAt: (step: number) => number): Point[] =>
  starts.map((at, step) => ({ at: iso(new Date(at)), value: valueAt(step) }));

/** The same where the first step is the period before, which has no point. */
export const seriesAfterFirst = ({ starts, until }: Steps, valueAt: (step: number) => number): Point[] =>
  seriesOf({ starts: starts.slice(1), until }, (step) => valueAt(step + 1));

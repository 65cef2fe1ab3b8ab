import { z } from 'zod';
import { text } from '../../../../../http/schemas.ts';
import { isNumeral, type Numeral } from '../../../../../platform/exact-json.ts';
import { numeralText } from './rules.ts';

/** A JSON integer as parsed, or its original string if a float cannot represent it. No amount is ever converted to a float. */
export const Integer = z
  .custom<number | Numeral>((value) => typeof value === 'number' || isNumeral(value), 'needs to be a number')
  .meta({ type: 'integer' });

/** An id in a report: a string, or a number if the provider uses numeric ids. */
export const ReportedName = z.preprocess((value) => numeralText(value), text(200).min(1));

/** An optional field of a report. If it is unreadable, the field is ignored and the report is still used. */
export const MaybeName = ReportedName.optional().catch(undefined);

const FLAGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  [1, true],
  ['1', true],
]);
export const MaybeFlag = z
  .unknown()
  .optional()
  .transform((value) => FLAGS.get(value) ?? false);

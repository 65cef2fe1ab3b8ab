import type { Dialect, DialectName } from './dialect.ts';
import { generic } from './dialects/generic.ts';
import { hub88 } from './dialects/hub88.ts';
import { pragmatic } from './dialects/pragmatic.ts';
import { softswiss } from './dialects/softswiss.ts';
import { sportsbook } from './dialects/sportsbook.ts';

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  generic,
  hub88,
  softswiss,
  pragmatic,
  sportsbook,
};

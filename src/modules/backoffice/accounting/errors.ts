import { errors } from '../../../platform/errors.ts';

export const accountingErrors = errors({
  SORT_NEEDS_USER: [400, 'Sorting by amount or usdAmount needs userId or username in the filter.'],
});

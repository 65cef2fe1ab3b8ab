import { errors } from '../../../platform/errors.ts';

export const accountingErrors = errors({
  SORT_NEEDS_USER: [400, 'Add userId or username to the filter to sort by amount or usdAmount.'],
});

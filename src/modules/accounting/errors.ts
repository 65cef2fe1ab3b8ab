import { errors } from '../../platform/errors.ts';

export const accountingErrors = errors({
  PAGE_TOO_DEEP: [
    400,
    'Only the beginning of so long a filtered list can be read: narrow the filter, or turn the order.',
  ],
  FILTER_TOO_WIDE: [
    400,
    'Too few of the movements that were looked at match: name a user, a type or a shorter time.',
  ],
  SORT_NEEDS_USER: [400, 'Sorting by amount or usdAmount needs userId or username in the filter.'],
  SORT_TOO_LONG: [
    400,
    'So many movements cannot be sorted by amount: narrow the filter, or sort by createdAt.',
  ],
});

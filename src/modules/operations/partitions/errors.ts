import { errors } from '../../../platform/errors.ts';

export const partitionErrors = errors({
  PARTITION_NOT_FOUND: [
    404,
    'There is no such partition, or it is not where this needs it. List them first.',
  ],
  PARTITION_IN_USE: [409, 'It cannot be detached yet: see reason.'],
});

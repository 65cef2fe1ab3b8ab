import { errors } from '../../../platform/errors.ts';

export const partitionErrors = errors({
  PARTITION_NOT_FOUND: [
    404,
    'This partition does not exist or is not the next one to move. List the partitions; details names the next one.',
  ],
  PARTITION_IN_USE: [409, 'The partition cannot be detached or attached yet; see details.reason.'],
});

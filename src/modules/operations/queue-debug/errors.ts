import { errors } from '../../../platform/errors.ts';

export const queueErrors = errors({
  QUEUE_NOT_FOUND: [404, 'There is no queue of this name.'],
  RESPONDER_NOT_FOUND: [404, 'No process that runs now responds to this pattern.'],
  QUEUE_NOT_DEBUG: [403, 'Only queues whose names begin with "debug." may be emptied.'],
});

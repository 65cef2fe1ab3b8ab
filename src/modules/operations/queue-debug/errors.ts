import { errors } from '../../../platform/errors.ts';

export const queueErrors = errors({
  QUEUE_NOT_FOUND: [404, 'Queue not found. Check the name.'],
  RESPONDER_NOT_FOUND: [404, 'No running process responds to this pattern. Start one and try again.'],
  QUEUE_NOT_DEBUG: [403, 'Only queues with the prefix "debug." can be emptied.'],
});

import { defineModule } from '../../../http/module.ts';
import { bind } from '../../../http/operation.ts';
import {
  createQueueDebug,
  emitEvent,
  emptyQueue,
  getQueue,
  peekMessages,
  type QueueDebugDeps,
  sendMessage,
} from './queues.ts';

const operations = [sendMessage, emitEvent, getQueue, emptyQueue, peekMessages];

type Services = QueueDebugDeps & { config: { isDevelopment: boolean } };

/** These operations are available only in development. */
export const queueDebug = defineModule({
  name: 'queue-debug',
  tags: { 'queue debug': 'Manual access to the message broker and the job queue, for development.' },
  create: (before: Parameters<typeof createQueueDebug>[0]) => ({ queueDebug: createQueueDebug(before) }),
  routes: (s: Services) => (s.config.isDevelopment ? bind(operations, s) : []),
});

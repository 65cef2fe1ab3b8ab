import { defineModule } from '../../../http/module.ts';
import { emptyQueue, getQueue, peekMessages } from './inspect.ts';
import { emitEvent, sendMessage } from './send.ts';

/** Served only if `isDevelopment` is configured (see area.ts). */
export const queueDebug = defineModule({
  name: 'queue-debug',
  operations: [sendMessage, emitEvent, getQueue, emptyQueue, peekMessages],
});

import { defineModule } from '../../../http/module.ts';
import { type BetQueueDeps, retryBets } from './bet-queue.ts';

export const betting = defineModule<BetQueueDeps>({ name: 'betting', operations: [retryBets] });

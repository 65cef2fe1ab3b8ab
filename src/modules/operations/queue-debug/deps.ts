import type { Broker } from '../../../platform/broker/broker.ts';
import type { QueueDebug } from './service.ts';

export type QueueDebugDeps = { broker: Broker; queueDebug: QueueDebug };

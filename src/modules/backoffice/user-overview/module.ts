import { defineModule } from '../../../http/module.ts';
import type { Db } from '../../../platform/database/db.ts';
import { listUserConnections } from './connections.ts';
import { type GateDeps, getUserGate } from './gate.ts';
import { getUserTimeline } from './timeline.ts';

export const userOverview = defineModule<GateDeps & { reads: Db }>({
  name: 'user-overview',
  operations: [getUserGate, getUserTimeline, listUserConnections],
});

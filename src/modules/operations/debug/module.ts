import { defineModule } from '../../../http/module.ts';
import { bind } from '../../../http/operation.ts';
import { executeTestUserAction } from './act.ts';
import { createTestUser } from './create-user.ts';
import { completeDeposit, simulateDeposit } from './deposit.ts';
import type { DebugDeps } from './deps.ts';
import { emitToSockets, sendToSockets } from './gateway.ts';
import { giveAdmin } from './give-admin.ts';
import { giveMoney } from './give-money.ts';
import { loginByUsername } from './login.ts';
import { sendNotification } from './notify.ts';

const operations = [
  giveAdmin,
  giveMoney,
  createTestUser,
  executeTestUserAction,
  sendNotification,
  simulateDeposit,
  completeDeposit,
  emitToSockets,
  sendToSockets,
  loginByUsername,
];

/** Served only in development. */
export const debug = defineModule({
  name: 'debug',
  operations: [],
  routes: (s: DebugDeps) => (s.config.isDevelopment ? bind(operations, s) : []),
});

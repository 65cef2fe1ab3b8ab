import { defineModule } from '../../../http/module.ts';
import { bind } from '../../../http/operation.ts';
import { executeTestUserAction } from './act.ts';
import { createTestUser } from './create-user.ts';
import type { DebugDeps } from './debug.ts';
import { completeDeposit, simulateDeposit } from './deposit.ts';
import { giveAdmin, giveMoney } from './give.ts';
import { loginByUsername } from './login.ts';
import { emitToSockets, sendNotification, sendToSockets } from './send.ts';

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

/** These operations are available only in development. */
export const debug = defineModule({
  name: 'debug',
  tags: { Debug: 'Shortcuts for development: play money, test users and sign-in by username.' },
  operations: [],
  routes: (s: DebugDeps) => (s.config.isDevelopment ? bind(operations, s) : []),
});

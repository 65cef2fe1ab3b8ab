import { defineModule } from '../../../http/module.ts';
import { executeTestUserAction } from './act.ts';
import { createTestUser } from './create-user.ts';
import { completeDeposit, simulateDeposit } from './deposit.ts';
import { giveAdmin, giveMoney } from './give.ts';
import { loginByUsername } from './login.ts';
import { emitToSockets, sendNotification, sendToSockets } from './send.ts';

/** Served only if `isDevelopment` is configured (see area.ts). */
export const debug = defineModule({
  name: 'debug',
  operations: [
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
  ],
});

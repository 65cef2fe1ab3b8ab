import type { Broker } from '../../../platform/broker/broker.ts';
import type { Notifications } from '../../base/notifications/service.ts';
import type { Deposits } from '../../money/payments/deposits/service.ts';
import { createAction } from './action.ts';
import { createDebugDeposits } from './deposits.ts';
import { createDebugGateway } from './gateway.ts';
import { giveMoney } from './money.ts';
import { createTestUsers, type TestUserDeps } from './users.ts';

export type Debug = ReturnType<typeof createDebug>;

type DebugDeps = TestUserDeps & { deposits: Deposits; notifications: Notifications; broker: Broker };

/** Short cuts for development and tests. Never built into a service outside `local` and `test`. */
export function createDebug(deps: DebugDeps) {
  const { db, currencies, deposits, notifications, broker } = deps;
  return {
    ...createTestUsers(deps),
    ...createDebugDeposits({ db, deposits }),
    act: createAction({ db, currencies }),
    giveMoney: (userId: number, dollars: number) => giveMoney(db, currencies, userId, dollars),
    sendNotification: notifications.send,
    gateway: createDebugGateway({ broker }),
  };
}

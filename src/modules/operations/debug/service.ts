import type { z } from 'zod';
import type { Broker } from '../../../platform/broker/broker.ts';
import type { Notifications } from '../../base/notifications/service.ts';
import type { Deposits } from '../../money/payments/deposits/service.ts';
import { createAction } from './action.ts';
import { createDebugDeposits } from './deposits.ts';
import { giveMoney } from './money.ts';
import type { EventMessage, GatewayReceipt } from './schemas.ts';
import { createTestUsers, type TestUserDeps } from './users.ts';

export type Debug = ReturnType<typeof createDebug>;

type Sent = z.output<typeof EventMessage>;
type Receipt = z.output<typeof GatewayReceipt>;
type DebugDeps = TestUserDeps & { deposits: Deposits; notifications: Notifications; broker: Broker };

/** A socket has five seconds to acknowledge. */
const ANSWER_MS = 8000;

/** Short cuts for development and tests. Never built into a service outside `local` and `test`. */
export function createDebug(deps: DebugDeps) {
  const { db, currencies, affiliates, deposits, notifications, broker } = deps;
  return {
    ...createTestUsers(deps),
    ...createDebugDeposits({ db, deposits }),
    act: createAction({ db, currencies, affiliates }),
    giveMoney: (userId: number, dollars: number) => giveMoney(db, currencies, userId, dollars),
    sendNotification: notifications.send,
    /** To sockets, by every realtime process. */
    emit: async (message: Sent) => void (await broker.publish('gateway.emit', message)),
    /** The same, by one of them for all. Throws BROKER_NO_RESPONDER while none runs, BROKER_REFUSED, BROKER_TIMEOUT. */
    send: async (message: Sent) =>
      (await broker.request('gateway.send', message, { timeoutMs: ANSWER_MS })) as Receipt,
  };
}

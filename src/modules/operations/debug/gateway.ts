import type { z } from 'zod';
import type { Broker } from '../../../platform/broker/broker.ts';
import type { EventMessage, GatewayReceipt } from './schemas.ts';

/** Every realtime process consumes EMIT; one of them answers SEND for all. */
const EMIT = 'gateway.emit';
const SEND = 'gateway.send';
/** A socket has five seconds to acknowledge. */
const ANSWER_MS = 8000;

/** Messages by hand to the sockets of the realtime application, through the broker. */
export const createDebugGateway = ({ broker }: { broker: Broker }) => ({
  async emit(message: z.output<typeof EventMessage>): Promise<void> {
    await broker.publish(EMIT, message);
  },
  /** Throws BROKER_NO_RESPONDER while no realtime process runs, BROKER_REFUSED, BROKER_TIMEOUT. */
  send: async (message: z.output<typeof EventMessage>): Promise<z.output<typeof GatewayReceipt>> =>
    (await broker.request(SEND, message, { timeoutMs: ANSWER_MS })) as z.output<typeof GatewayReceipt>,
});

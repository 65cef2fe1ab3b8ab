import type { Db } from '../db.ts';
import type { Log } from '../log.ts';
import { type Broker, WAITS, type Waits } from './broker.ts';
import { createPostgresBroker } from './postgres.ts';
import { createRabbitBroker } from './rabbitmq.ts';

/** The broker of a process: RabbitMQ when `brokerUrl` names one, else PostgreSQL. Nothing is opened before it is used. */
export function openBroker(parts: {
  brokerUrl: string | undefined;
  db: Db;
  connectionString: string;
  name: string;
  log: Log;
  waits?: Waits;
}): Broker {
  const { brokerUrl, waits = WAITS } = parts;
  return brokerUrl === undefined
    ? createPostgresBroker({ ...parts, waits })
    : createRabbitBroker({ ...parts, brokerUrl, waits });
}

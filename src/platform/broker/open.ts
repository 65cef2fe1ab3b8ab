import type { Db } from '../db.ts';
import type { Log } from '../log.ts';
import { type Broker, WAITS, type Waits } from './broker.ts';
import { createPostgresBroker } from './postgres.ts';

/** The broker of a process: RabbitMQ when `brokerUrl` names one, else PostgreSQL. Nothing is opened before it is used. */
export async function openBroker(parts: {
  brokerUrl: string | undefined;
  db: Db;
  connectionString: string;
  name: string;
  log: Log;
  waits?: Waits;
}): Promise<Broker> {
  const { brokerUrl, waits = WAITS } = parts;
  if (brokerUrl === undefined) return createPostgresBroker({ ...parts, waits });
  const { createRabbitBroker } = await import('./rabbitmq.ts');
  return createRabbitBroker({ ...parts, brokerUrl, waits });
}

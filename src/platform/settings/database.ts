import { z } from 'zod';
import { count, flag, setting } from './setting.ts';

export const database = {
  DATABASE_URL: setting(
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'needs to start with postgres://')
      .optional(),
    'Any PostgreSQL 15 or newer. Absent: a real PostgreSQL from npm, with its data in DATA_DIR.',
    true,
  ),
  BROKER_URL: setting(
    z
      .string()
      .regex(/^amqps?:\/\//, 'needs to start with amqp:// or amqps://')
      .optional(),
    'RabbitMQ for messages between processes and to others. Absent: PostgreSQL carries them.',
    true,
  ),
  DATABASE_POOL_SIZE: setting(count(16), 'Connections of the general pool of each process.'),
  DATABASE_CONNECT_TIMEOUT_MS: setting(count(2000), 'Longest wait for a connection of the pool; then 503.'),
  DATABASE_STATEMENT_TIMEOUT_MS: setting(count(2500), 'Longest run of one statement; then 503.'),
  WATERMARK_WARN_SECONDS: setting(
    count(2),
    'What follows bets and events waits for a transaction that does not end: after so long the log says for which.',
  ),
  WATERMARK_DEGRADED_SECONDS: setting(count(10), 'The same: after so long health calls it degraded.'),
  DATABASE_READ_URL: setting(
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'needs to start with postgres://')
      .optional(),
    "A streaming replica of DATABASE_URL that answers staff's reports and searches. Absent: the primary does.",
    true,
  ),
  READ_MAX_LAG_MS: setting(
    count(5000, 0, 30_000),
    'How far the replica may be behind. While it is further, or does not answer, the primary answers in its place.',
  ),
  ALLOW_UNSAFE_DATABASE: setting(
    flag(false),
    'Start although fsync, full_page_writes or synchronous_commit is off. Refused outside `test`.',
  ),
};

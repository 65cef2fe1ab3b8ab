import { address, choice, count, flag, hidden } from './setting.ts';

export const database = {
  DATABASE_URL: hidden(address(/^postgres(ql)?:\/\//, 'postgres://')).describe(
    'Any PostgreSQL 15 or newer. Absent: a real PostgreSQL from npm, with its data in DATA_DIR.',
  ),
  BROKER_URL: hidden(address(/^amqps?:\/\//, 'amqp:// or amqps://')).describe(
    'RabbitMQ for messages between processes and to others. Absent: PostgreSQL carries them.',
  ),
  DATABASE_POOL_SIZE: count(16).describe('Connections of the general pool of each process.'),
  DATABASE_CONNECT_TIMEOUT_MS: count(2000).describe('Longest wait for a connection of the pool; then 503.'),
  DATABASE_START_TIMEOUT_MS: count(60_000).describe(
    'How long a start waits for a database that is slow, full or starting. A wrong password or a missing database ends it immediately.',
  ),
  DATABASE_STATEMENT_TIMEOUT_MS: count(2500).describe('Longest run of one statement; then 503.'),
  DATABASE_COMMIT_TIMEOUT_MS: count(2000, 50, 30_000).describe(
    'Longest wait for the small write by which health tells whether the database commits; then it is not ready.',
  ),
  DATABASE_REPLICATION: choice(['any', 'required'], 'any').describe(
    '`required`: start only on a primary whose commits wait until a standby has them on its disk (`synchronous_standby_names`, and `synchronous_commit` at `on` or `remote_apply`).',
  ),
  WATERMARK_WARN_SECONDS: count(2).describe(
    'What follows bets and events waits for a transaction that does not end: after so long the log says for which.',
  ),
  WATERMARK_DEGRADED_SECONDS: count(10).describe('The same: after so long health calls it degraded.'),
  DATABASE_READ_URL: hidden(address(/^postgres(ql)?:\/\//, 'postgres://')).describe(
    "A streaming replica of DATABASE_URL that answers staff's reports and searches. Absent: the primary does.",
  ),
  READ_MAX_LAG_MS: count(5000, 0, 30_000).describe(
    'How far the replica may be behind. While it is further, or does not answer, the primary answers in its place.',
  ),
  READ_HISTORIES_WAIT_MS: count(0, 0, 1000).describe(
    "Longest wait of a player's list or history until the replica of DATABASE_READ_URL has everything that the primary had when the request arrived; then the primary is read. 0: always the primary.",
  ),
  DASHBOARD_SHARED_SECONDS: count(60, 0, 3600).describe(
    'How long everybody who asks for the same figures on a dashboard shares an answer.',
  ),
  ALLOW_UNSAFE_DATABASE: flag.describe(
    'Start although fsync, full_page_writes or synchronous_commit is off. Refused outside `test`.',
  ),
};

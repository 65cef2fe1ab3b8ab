import { address, choice, count, flag, hidden } from './setting.ts';

export const database = {
  DATABASE_URL: hidden(address(/^postgres(ql)?:\/\//, 'postgres://')).describe(
    'PostgreSQL 15 or newer. If absent, a real PostgreSQL from npm is started, with its data in DATA_DIR.',
  ),
  BROKER_URL: hidden(address(/^amqps?:\/\//, 'amqp:// or amqps://')).describe(
    'RabbitMQ, which sends the events to other programs. If absent, no events are sent.',
  ),
  DATABASE_POOL_SIZE: count(16).describe('Number of connections in the general pool of each process.'),
  DATABASE_CONNECT_TIMEOUT_MS: count(2000).describe(
    'Maximum time to wait for a connection from the pool. After that the request gets 503.',
  ),
  DATABASE_START_TIMEOUT_MS: count(60_000).describe(
    'How long a starting process waits for a database that is slow, full or starting. A wrong password or a missing database ends the start immediately.',
  ),
  DATABASE_STATEMENT_TIMEOUT_MS: count(2500).describe(
    'Maximum duration of one statement. After that the request gets 503.',
  ),
  DATABASE_COMMIT_TIMEOUT_MS: count(2000, 50, 30_000).describe(
    'Maximum duration of the small write with which the health check tests whether the database commits. After that the process is not ready.',
  ),
  DATABASE_REPLICATION: choice(['any', 'required'], 'any').describe(
    '`required` starts only on a primary whose commits wait until a standby has written them to disk (`synchronous_standby_names`, and `synchronous_commit` set to `on` or `remote_apply`).',
  ),
  WATERMARK_WARN_SECONDS: count(2).describe(
    'Consumers of bets and events wait for open transactions. A transaction that is open for longer is logged as a warning.',
  ),
  WATERMARK_DEGRADED_SECONDS: count(10).describe(
    'The health check reports `degraded` if such a transaction is open for longer.',
  ),
  DATABASE_READ_URL: hidden(address(/^postgres(ql)?:\/\//, 'postgres://')).describe(
    "A streaming replica of DATABASE_URL for staff's reports and searches. If absent, they use the primary.",
  ),
  READ_MAX_LAG_MS: count(5000, 0, 30_000).describe(
    'Maximum lag of the replica. While the lag is higher, or the replica does not respond, the primary is used instead.',
  ),
  READ_HISTORIES_WAIT_MS: count(0, 0, 1000).describe(
    "Maximum time that a player's list or history waits for the replica of DATABASE_READ_URL to catch up with the state of the primary at the time of the request. After that the primary is read. 0: always read the primary.",
  ),
  DASHBOARD_SHARED_SECONDS: count(60, 0, 3600).describe(
    'Time for which a dashboard response is reused for all requests of the same figures.',
  ),
  ALLOW_UNSAFE_DATABASE: flag.describe(
    'Starts even if fsync, full_page_writes or synchronous_commit is off. Rejected outside `test`.',
  ),
};

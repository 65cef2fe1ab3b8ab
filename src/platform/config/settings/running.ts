import { choice, count, hidden, list, optionalText, port, textOr } from './setting.ts';

export const running = {
  APP_ENV: choice(['local', 'test', 'staging', 'production'], 'local').describe(
    'The environment. `local` binds every listener to 127.0.0.1. Debug routes exist only in `local` and `test`.',
  ),
  HOST: optionalText().describe(
    'Address to listen on. Default: 127.0.0.1 in `local` and `test`, otherwise 0.0.0.0.',
  ),
  PORT: port(3000).describe('Port of the main API.'),
  BACKOFFICE_PORT: port(3001).describe('Port of the backoffice API.'),
  REALTIME_PORT: port(3002).describe('Port of the realtime application.'),
  WORKER_PORT: port(3003).describe("Port of the worker's health check and metrics."),
  SANDBOX_PORT: port(3900).describe(
    'Port of the sandbox, which simulates external services (`local` and `test` only).',
  ),
  SANDBOX_SMTP_PORT: port(3925).describe(
    "Port of the sandbox's mail server. Its inbox is at /inbox of SANDBOX_PORT.",
  ),
  DATA_DIR: textOr('.data').describe(
    'Folder of the embedded database, local secrets and, with FILE_STORAGE=disk, uploaded files.',
  ),
  LOG_LEVEL: choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'info').describe(
    'Minimum level of log messages.',
  ),
  SHUTDOWN_MS: count(8000).describe('Time for open requests to finish after SIGTERM.'),
  SHUTDOWN_DRAIN_MS: count(0, 0, 600_000).describe(
    'Time for which a service continues to respond after SIGTERM before it closes its port. `/health/ready` returns 503 during this time, so that load balancers notice. It precedes SHUTDOWN_MS.',
  ),
  EXPORTS_AT_ONCE: count(2, 1, 100).describe(
    'Number of CSV exports that one process sends concurrently. Each uses a connection from the general pool or the replica pool.',
  ),
  EXPORT_ROWS_AT_ONCE: count(1000, 1, 10_000).describe(
    'Number of rows that an export reads into memory at a time.',
  ),
  EXPORT_SECONDS: count(600, 1, 3600).describe(
    'Maximum duration of one CSV export; its connection is closed after that. An export reads one snapshot, which keeps VACUUM from removing rows.',
  ),
  COMMIT: optionalText().describe(
    'Deployed commit, shown by `GET /version`. Default: the commit of the checkout, or `unknown` without a checkout.',
  ),
  PLAINTEXT_HOSTS: list.describe(
    'Comma-separated host names in your private network that may be used without TLS outside `local` and `test`. Applies to DATABASE_URL, REDIS_URL, BROKER_URL, SMTP_URL and addresses of external services. The local machine never needs TLS.',
  ),
  TRUSTED_PROXIES: list.describe(
    'Comma-separated addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted. Empty: none.',
  ),
  METRICS_TOKEN: hidden(optionalText(16)).describe(
    'Bearer token that `GET /metrics` requires. Without it, metrics are available only from the loopback address.',
  ),
};

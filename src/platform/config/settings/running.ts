import { choice, count, hidden, list, optionalText, port, textOr } from './setting.ts';

export const running = {
  APP_ENV: choice(['local', 'test', 'staging', 'production'], 'local').describe(
    'Where this runs. `local` binds every listener to 127.0.0.1; debug routes exist in `local` and `test` only.',
  ),
  HOST: optionalText().describe(
    'Address to listen on. Default: 127.0.0.1 in `local` and `test`, else 0.0.0.0.',
  ),
  PORT: port(3000).describe('Main API.'),
  BACKOFFICE_PORT: port(3001).describe('Backoffice.'),
  REALTIME_PORT: port(3002).describe('Realtime application.'),
  WORKER_PORT: port(3003).describe('Health and metrics of the worker.'),
  SANDBOX_PORT: port(3900).describe('Sandbox of outside services (`local` and `test` only).'),
  SANDBOX_SMTP_PORT: port(3925).describe(
    'Mail server of the sandbox; its inbox is at /inbox of SANDBOX_PORT.',
  ),
  DATA_DIR: textOr('.data').describe(
    'Where the embedded database, local secrets and, with FILE_STORAGE=disk, uploaded files live.',
  ),
  LOG_LEVEL: choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'info').describe(
    'Least severe level that is logged.',
  ),
  SHUTDOWN_MS: count(8000).describe('How long requests in flight may take after SIGTERM.'),
  SHUTDOWN_DRAIN_MS: count(0, 0, 600_000).describe(
    'How long a service goes on answering after SIGTERM, before its port closes, while `/health/ready` says 503: time for load balancers to notice. It comes before SHUTDOWN_MS.',
  ),
  EXPORTS_AT_ONCE: count(2, 1, 100).describe(
    'CSV exports that one process sends at a time. Each holds a connection from the general pool or the replica pool.',
  ),
  EXPORT_ROWS_AT_ONCE: count(1000, 1, 10_000).describe(
    'Rows of an export that are read into memory at a time.',
  ),
  EXPORT_SECONDS: count(600, 1, 3600).describe(
    'Maximum duration of one CSV export; its connection is closed after that. An export reads one snapshot, which keeps VACUUM from removing rows.',
  ),
  COMMIT: optionalText().describe(
    'Commit that was deployed, shown by `GET /version`. Absent: that of the checkout, or `unknown` where there is none.',
  ),
  PLAINTEXT_HOSTS: list.describe(
    'Comma-separated host names on a network of your own, to which DATABASE_URL, REDIS_URL, BROKER_URL, SMTP_URL and addresses of outside services may lead without TLS outside `local` and `test`. This machine always may.',
  ),
  TRUSTED_PROXIES: list.describe(
    "Comma-separated addresses or CIDR ranges whose X-Forwarded-For is believed. Empty: nobody's.",
  ),
  METRICS_TOKEN: hidden(optionalText(16)).describe(
    'Bearer token that `GET /metrics` asks for. Without it metrics are answered to the loopback address only.',
  ),
};

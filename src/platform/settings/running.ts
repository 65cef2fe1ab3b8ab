import { z } from 'zod';
import { count, list, port, setting } from './setting.ts';

export const running = {
  APP_ENV: setting(
    z.enum(['local', 'test', 'staging', 'production']).default('local'),
    'Where this runs. `local` binds every listener to 127.0.0.1; debug routes exist in `local` and `test` only.',
  ),
  HOST: setting(
    z.string().optional(),
    'Address to listen on. Default: 127.0.0.1 in `local` and `test`, else 0.0.0.0.',
  ),
  PORT: setting(port(3000), 'Main API.'),
  BACKOFFICE_PORT: setting(port(3001), 'Backoffice.'),
  REALTIME_PORT: setting(port(3002), 'Realtime application.'),
  WORKER_PORT: setting(port(3003), 'Health and metrics of the worker.'),
  SANDBOX_PORT: setting(port(3900), 'Sandbox of outside services (`local` and `test` only).'),
  SANDBOX_SMTP_PORT: setting(
    port(3925),
    'Mail server of the sandbox; its inbox is at /inbox of SANDBOX_PORT.',
  ),
  DATA_DIR: setting(
    z.string().default('.data'),
    'Where the embedded database, local secrets and, with FILE_STORAGE=disk, uploaded files live.',
  ),
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
    'Least severe level that is logged.',
  ),
  SHUTDOWN_MS: setting(count(8000), 'How long requests in flight may take after SIGTERM.'),
  SHUTDOWN_DRAIN_MS: setting(
    count(0, 0, 600_000),
    'How long a service goes on answering after SIGTERM, before its port closes, while `/health/ready` says 503: time for load balancers to notice. It comes before SHUTDOWN_MS.',
  ),
  COMMIT: setting(
    z.string().optional(),
    'Commit that was deployed, shown by `GET /version`. Absent: that of the checkout, or `unknown` where there is none.',
  ),
  PLAINTEXT_HOSTS: setting(
    list,
    'Comma-separated host names on a network of your own, to which DATABASE_URL, REDIS_URL, BROKER_URL, SMTP_URL and addresses of outside services may lead without TLS outside `local` and `test`. This machine always may.',
  ),
  TRUSTED_PROXIES: setting(
    list,
    "Comma-separated addresses or CIDR ranges whose X-Forwarded-For is believed. Empty: nobody's.",
  ),
  METRICS_TOKEN: setting(
    z.string().min(16).optional(),
    'Bearer token that `GET /metrics` asks for. Without it metrics are answered to the loopback address only.',
    true,
  ),
};

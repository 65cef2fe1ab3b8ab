import { z } from 'zod';

/**
 * Every setting of the platform: environment variable, form, default, meaning. `docs/configuration.md` is generated
 * from this list (`npm run docs`) and `loadConfig` reads nothing else.
 */
const port = (fallback: number) => z.coerce.number().int().min(0).max(65535).default(fallback);
const count = (fallback: number, min = 1, max = 1_000_000_000) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((v) => v === 'true');
const secret = z.string().min(32, 'needs at least 32 characters').optional();
const list = z
  .string()
  .default('')
  .transform((v) =>
    v
      .split(',')
      .map((s) => s.trim())
      .filter(Boolean),
  );

const secrets = (fallback: string) =>
  z
    .string()
    .min(16, 'needs at least 16 characters')
    .default(fallback)
    .transform((v) =>
      v
        .split(',')
        .map((s) => s.trim())
        .filter(Boolean),
    )
    .refine((all) => all.every((s) => s.length >= 16), 'needs at least 16 characters in each');

export const settings = {
  APP_ENV: setting(
    'Running',
    z.enum(['local', 'test', 'staging', 'production']).default('local'),
    'Where this runs. `local` binds every listener to 127.0.0.1; debug routes exist in `local` and `test` only.',
  ),
  HOST: setting(
    'Running',
    z.string().optional(),
    'Address to listen on. Default: 127.0.0.1 in `local` and `test`, else 0.0.0.0.',
  ),
  PORT: setting('Running', port(3000), 'Main API.'),
  BACKOFFICE_PORT: setting('Running', port(3001), 'Backoffice.'),
  REALTIME_PORT: setting('Running', port(3002), 'Realtime application.'),
  WORKER_PORT: setting('Running', port(3003), 'Health and metrics of the worker.'),
  SANDBOX_PORT: setting('Running', port(3900), 'Sandbox of outside services (`local` and `test` only).'),
  SANDBOX_SMTP_PORT: setting(
    'Running',
    port(3925),
    'Mail server of the sandbox; its inbox is at /inbox of SANDBOX_PORT.',
  ),
  DATA_DIR: setting(
    'Running',
    z.string().default('.data'),
    'Where the embedded database, local secrets and, with FILE_STORAGE=disk, uploaded files live.',
  ),
  LOG_LEVEL: setting(
    'Running',
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
    'Least severe level that is logged.',
  ),
  SHUTDOWN_MS: setting('Running', count(8000), 'How long requests in flight may take after SIGTERM.'),
  SHUTDOWN_DRAIN_MS: setting(
    'Running',
    count(0, 0, 600_000),
    'How long a service goes on answering after SIGTERM, before its port closes, while `/health/ready` says 503: time for load balancers to notice. It comes before SHUTDOWN_MS.',
  ),
  COMMIT: setting(
    'Running',
    z.string().optional(),
    'Commit that was deployed, shown by `GET /version`. Absent: that of the checkout, or `unknown` where there is none.',
  ),
  PLAINTEXT_HOSTS: setting(
    'Running',
    list,
    'Comma-separated host names on a network of your own, to which DATABASE_URL, REDIS_URL, BROKER_URL, SMTP_URL and addresses of outside services may lead without TLS outside `local` and `test`. This machine always may.',
  ),
  TRUSTED_PROXIES: setting(
    'Running',
    list,
    "Comma-separated addresses or CIDR ranges whose X-Forwarded-For is believed. Empty: nobody's.",
  ),
  METRICS_TOKEN: setting(
    'Running',
    z.string().min(16).optional(),
    'Bearer token that `GET /metrics` asks for. Without it metrics are answered to the loopback address only.',
    true,
  ),

  DATABASE_URL: setting(
    'Database',
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'needs to start with postgres://')
      .optional(),
    'Any PostgreSQL 15 or newer. Absent: a real PostgreSQL from npm, with its data in DATA_DIR.',
    true,
  ),
  BROKER_URL: setting(
    'Database',
    z
      .string()
      .regex(/^amqps?:\/\//, 'needs to start with amqp:// or amqps://')
      .optional(),
    'RabbitMQ for messages between processes and to others. Absent: PostgreSQL carries them.',
    true,
  ),
  DATABASE_POOL_SIZE: setting('Database', count(16), 'Connections of the general pool of each process.'),
  DATABASE_CONNECT_TIMEOUT_MS: setting(
    'Database',
    count(2000),
    'Longest wait for a connection of the pool; then 503.',
  ),
  DATABASE_STATEMENT_TIMEOUT_MS: setting('Database', count(2500), 'Longest run of one statement; then 503.'),
  WATERMARK_WARN_SECONDS: setting(
    'Database',
    count(2),
    'What follows bets and events waits for a transaction that does not end: after so long the log says for which.',
  ),
  WATERMARK_DEGRADED_SECONDS: setting(
    'Database',
    count(10),
    'The same: after so long health calls it degraded.',
  ),
  DATABASE_READ_URL: setting(
    'Database',
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'needs to start with postgres://')
      .optional(),
    "A streaming replica of DATABASE_URL that answers staff's reports and searches. Absent: the primary does.",
    true,
  ),
  READ_MAX_LAG_MS: setting(
    'Database',
    count(5000, 0, 30_000),
    'How far the replica may be behind. While it is further, or does not answer, the primary answers in its place.',
  ),
  ALLOW_UNSAFE_DATABASE: setting(
    'Database',
    flag(false),
    'Start although fsync, full_page_writes or synchronous_commit is off. Refused outside `test`.',
  ),

  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    'Traces',
    z
      .string()
      .regex(/^https?:\/\//, 'needs to start with http:// or https://')
      .optional(),
    'OpenTelemetry collector that gets the traces, by OTLP over HTTP (`http://127.0.0.1:4318`). Absent: there are none.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting(
    'Traces',
    z.string().optional(),
    'Headers that the collector asks for: `name=value,name=value`, values percent-encoded.',
    true,
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    'Traces',
    z.coerce.number().min(0).max(1).default(1),
    'Share of the traces that is kept, from 0 to 1.',
  ),

  LEDGER_KEEP_MONTHS: setting(
    'Retention',
    count(0, 0, 1000),
    'Months of ledger lines that stay where they can be read, the current one not counted; older ones are detached into the schema `archive`. 0: all. The law wants five years: 61 at least.',
  ),
  BETS_KEEP_MONTHS: setting('Retention', count(0, 0, 1000), 'The same of bets.'),
  SESSIONS_KEEP_DAYS: setting(
    'Retention',
    count(90),
    'How long a session, with address, device and used refresh tokens, is kept after its end.',
  ),
  USERNAMES_KEEP_DAYS: setting(
    'Retention',
    count(90),
    'How long nobody else can take the username that a player has left. The names of staff are never given again.',
  ),
  IDEMPOTENCY_KEEP_DAYS: setting(
    'Retention',
    count(30),
    'How long what an Idempotency-Key answered is kept.',
  ),
  WEBHOOKS_KEEP_DAYS: setting(
    'Retention',
    count(90),
    'How long the bodies of notices of partners are kept; that they came is known for ever.',
  ),

  SITE_ORIGINS: setting(
    'Web',
    list,
    "Comma-separated origins of the front ends (`https://example.com`). Only they may send cookies. Empty in `local` and `test`: the services' own origins.",
  ),
  BODY_LIMIT_BYTES: setting('Web', count(64 * 1024), 'Largest JSON body.'),
  HEADERS_TIMEOUT_MS: setting('Web', count(5000), 'A client has this long to send its headers.'),
  REQUEST_TIMEOUT_MS: setting(
    'Web',
    count(9000),
    'A client has this long to send the whole request. Must be above HEADERS_TIMEOUT_MS.',
  ),
  RATE_LIMIT_AUTH: setting(
    'Web',
    count(30, 0),
    'Requests a minute and address to sign-up, sign-in and refresh. 0: no limit.',
  ),
  RATE_LIMIT_MONEY: setting('Web', count(1200, 0), 'Money-moving requests a minute and player. 0: no limit.'),
  RATE_LIMIT_READ: setting('Web', count(1200, 0), 'Other requests a minute and player. 0: no limit.'),
  RATE_LIMIT_PUBLIC: setting(
    'Web',
    count(600, 0),
    'Anonymous requests and refused ones (401, 403) a minute and address. 0: no limit.',
  ),
  RATE_LIMIT_UPLOAD: setting('Web', count(60, 0), 'Uploads a minute and player. 0: no limit.'),
  RATE_LIMIT_APIKEY: setting('Web', count(300, 0), 'Requests a minute and API key. 0: no limit.'),

  USER_MONEY_AT_ONCE: setting(
    'Web',
    count(4, 0),
    'Calls of one user that move money and are under way at once in a process; the others wait in order. Bets have a queue of their own. With USER_CALLS_AT_ONCE keep it below DATABASE_POOL_SIZE. 0: no limit.',
  ),
  USER_MONEY_WAITING: setting(
    'Web',
    count(32, 0),
    'Calls of one user that may wait for USER_MONEY_AT_ONCE; beyond it 429 with Retry-After.',
  ),
  USER_CALLS_AT_ONCE: setting(
    'Web',
    count(4, 0),
    'All other calls of one user that are under way at once in a process: reads, uploads, searches of staff. 0: no limit.',
  ),
  USER_CALLS_WAITING: setting(
    'Web',
    count(64, 0),
    'Calls of one user that may wait for USER_CALLS_AT_ONCE; beyond it 429 with Retry-After.',
  ),

  REDIS_URL: setting(
    'Realtime',
    z
      .string()
      .regex(/^rediss?:\/\//, 'needs to start with redis:// or rediss://')
      .optional(),
    'Redis that realtime processes speak to each other over. Absent: PostgreSQL.',
    true,
  ),
  REALTIME_MESSAGES_PER_MINUTE: setting(
    'Realtime',
    count(240, 0),
    'Messages a minute and player, over all of their sockets. The third refusal within ten minutes ends a socket. 0: no limit.',
  ),
  REALTIME_RESUME_FRAMES_PER_MINUTE: setting(
    'Realtime',
    count(10_000, 0),
    'Frames that one player is told again within a minute after interruptions, over all sockets and processes; then RESUME_LIMITED. 0: no limit.',
  ),
  REALTIME_RESUME_BYTES_PER_MINUTE: setting(
    'Realtime',
    count(8 * 1024 * 1024, 0),
    'The same in bytes. 0: no limit.',
  ),
  REALTIME_HANDSHAKES_PER_MINUTE: setting(
    'Realtime',
    count(300, 0),
    'Connections a minute and address. 0: no limit.',
  ),
  REALTIME_SOCKETS_PER_USER: setting('Realtime', count(20), 'Sockets of one player on one process.'),
  REALTIME_SOCKETS_PER_ADDRESS: setting(
    'Realtime',
    count(500, 0),
    'Connections of one address on one process. 0: no limit.',
  ),
  REALTIME_FRAME_BYTES: setting('Realtime', count(16 * 1024), 'Largest message of a client.'),
  REALTIME_CONNECT_TIMEOUT_MS: setting(
    'Realtime',
    count(5000),
    'A connection has this long to say whose it is.',
  ),
  REALTIME_READ_MS: setting('Realtime', count(20), 'Pause between two reads of what has happened.'),
  REALTIME_BACKLOG_FRAMES: setting(
    'Realtime',
    count(1000),
    'A client that so many frames wait for is cut; it comes back and gets what it has missed.',
  ),

  JWT_SECRET: setting(
    'Accounts',
    secret,
    'Signs access and socket tokens. Absent in `local` and `test`: made once and kept in DATA_DIR.',
    true,
  ),
  JWT_SECRET_PREVIOUS: setting(
    'Accounts',
    secret,
    'The former JWT_SECRET while it is replaced: what it has signed is good until it is over. Take it away ACCESS_TOKEN_SECONDS after the last process has the new one.',
    true,
  ),
  SEED_SECRET: setting(
    'Accounts',
    secret,
    'Encrypts server seeds that are not revealed yet. Absent in `local` and `test`: made once and kept in DATA_DIR.',
    true,
  ),
  ACCESS_TOKEN_SECONDS: setting('Accounts', count(900), 'Life of access and socket tokens.'),
  REFRESH_TOKEN_DAYS: setting(
    'Accounts',
    count(30),
    'Life of a session after its last refresh, within SESSION_DAYS and STAFF_SESSION_HOURS.',
  ),
  SESSION_DAYS: setting(
    'Accounts',
    count(90),
    'When a session ends after its sign-in, however often it is refreshed.',
  ),
  STAFF_SESSION_HOURS: setting(
    'Accounts',
    count(12),
    'The same for whoever holds any right: staff, a role, a permission.',
  ),
  STAFF_IDLE_MINUTES: setting(
    'Accounts',
    count(30, 0),
    'Time without a request after which a session of whoever holds any right ends; 0: never. Refreshing tokens is no request.',
  ),
  PLAYER_IDLE_MINUTES: setting('Accounts', count(0, 0), 'The same for everybody else; 0: never.'),
  NOTIFICATIONS_KEEP_DAYS: setting(
    'Accounts',
    count(90),
    'How long what players were told is kept: the newest 100 of each.',
  ),
  REFRESH_GRACE_MS: setting(
    'Accounts',
    count(10_000),
    'A refresh token replayed within this time answers 409; later it ends the session.',
  ),
  PASSWORD_HASHES_AT_ONCE: setting('Accounts', count(2), 'Passwords hashed at the same time in one process.'),
  PASSWORD_HASH_QUEUE: setting('Accounts', count(64), 'Passwords waiting to be hashed; beyond it 503.'),
  CAPTCHA_LOCAL_TOKEN: setting(
    'Accounts',
    z.string().min(1).default('local-captcha'),
    'Accepted as x-captcha-token when APP_ENV is `local`, nowhere else.',
  ),
  CAPTCHA_VERIFY_URL: setting(
    'Accounts',
    z.url().optional(),
    'siteverify endpoint (reCAPTCHA v2, hCaptcha and Turnstile share the protocol; the score of v3 is not looked at). Default in `local` and `test`: the sandbox.',
  ),
  CAPTCHA_SECRET: setting(
    'Accounts',
    z.string().min(1).default('sandbox-captcha-secret'),
    'Secret sent to the captcha verifier.',
    true,
  ),
  DATA_SECRET: setting(
    'Accounts',
    secret,
    'Encrypts second factors and mails at rest and peppers passwords: without it nobody can sign in. Absent in `local` and `test`: made once and kept in DATA_DIR.',
    true,
  ),
  MFA_TOKEN_SECONDS: setting(
    'Accounts',
    count(300),
    'Life of the temporary token between password and second factor.',
  ),
  MFA_PROOF_SECONDS: setting(
    'Accounts',
    count(300),
    'How long a session counts as having just proven its second factor.',
  ),
  MFA_PENDING_SECONDS: setting(
    'Accounts',
    count(600),
    'How long the key of a new second factor waits for its session to confirm it.',
  ),
  STEP_UP_SECONDS: setting(
    'Accounts',
    count(900),
    'How long ago a session of staff may have proven its second factor for what is dangerous (rights, balances, API keys, payouts); else the header `x-mfa-code` proves it. Where STAFF_MFA_REQUIRED.',
  ),
  VERIFY_EMAIL_HOURS: setting('Accounts', count(24), 'Life of the link that verifies an email address.'),
  RESET_PASSWORD_MINUTES: setting('Accounts', count(60), 'Life of the link that resets a password.'),
  SIGN_IN_TRIES: setting(
    'Accounts',
    count(3),
    'Failed sign-ins of one account from one network or device within SIGN_IN_WINDOW_MINUTES; then 429.',
  ),
  SIGN_IN_TRIES_ACCOUNT: setting(
    'Accounts',
    count(10),
    'Failed sign-ins of one account from everywhere within SIGN_IN_WINDOW_MINUTES; devices that have signed in before go on.',
  ),
  SIGN_IN_WINDOW_MINUTES: setting('Accounts', count(30), 'How long failed sign-ins count.'),
  STAFF_MFA_REQUIRED: setting(
    'Accounts',
    z.enum(['true', 'false']).optional(),
    'Whether staff must have proven a second factor before any route of staff answers. Default: `true` outside `local` and `test`.',
  ),
  DEBUG_TOKEN: setting(
    'Accounts',
    z.string().min(8).optional(),
    'Asked for by `GET /debug/me/give-admin` (query `debug_token`), and in the header `x-debug-token` by the debug routes that make staff or sign in as staff. Absent in `local`: `local-debug-token`.',
    true,
  ),

  SITE_URL: setting(
    'Identity providers',
    z.url().optional(),
    'The front end that mails link to and identity providers return to. Default: the first of SITE_ORIGINS; in `local` and `test` the site of the sandbox.',
  ),
  PUBLIC_API_URL: setting(
    'Identity providers',
    z.url().optional(),
    'Address of the main API as browsers see it: identity providers send them back there. Default in `local` and `test`: http://127.0.0.1:PORT.',
  ),
  IDP_A_SEGMENT: setting(
    'Identity providers',
    z
      .string()
      .regex(/^[a-z0-9-]{2,32}$/)
      .default('google'),
    'Path segment of the OpenID Connect provider: /auth/{segment} and /auth/{segment}/callback.',
  ),
  OIDC_ISSUER: setting(
    'Identity providers',
    z.url().optional(),
    'Issuer of the OpenID Connect provider. Default in `local` and `test`: the sandbox. Absent elsewhere: this way to sign in is off.',
  ),
  OIDC_CLIENT_ID: setting(
    'Identity providers',
    z.string().min(1).default('croupier'),
    'Client id at that provider.',
  ),
  OIDC_CLIENT_SECRET: setting(
    'Identity providers',
    z.string().min(1).default('sandbox-oidc-secret'),
    'Client secret at that provider.',
    true,
  ),
  IDP_B_SEGMENT: setting(
    'Identity providers',
    z
      .string()
      .regex(/^[a-z0-9-]{2,32}$/)
      .default('steam'),
    'Path segment of the game platform (OpenID 2.0): /auth/{segment} and /auth/{segment}/return.',
  ),
  OPENID_ENDPOINT: setting(
    'Identity providers',
    z.url().optional(),
    'Endpoint of the game platform, pinned: assertions are verified there and nowhere else. Default in `local` and `test`: the sandbox. Absent elsewhere: off.',
  ),
  OPENID_CLAIMED_ID: setting(
    'Identity providers',
    z.url().optional(),
    'What claimed ids of the game platform begin with; 17 digits follow (`https://platform.example/openid/id/`). Default in `local` and `test`: the sandbox.',
  ),

  SMTP_URL: setting(
    'Mail',
    z
      .string()
      .regex(/^smtps?:\/\//, 'needs to start with smtp:// or smtps://')
      .optional(),
    'Mail server, with user and password if it asks for them. Default in `local` and `test`: the sandbox, whose inbox is at /inbox.',
    true,
  ),
  MAIL_FROM: setting(
    'Mail',
    z
      .string()
      .regex(
        /^[^\s<>@]+@[^\s<>@]+$|^[^<>\r\n]+ <[^\s<>@]+@[^\s<>@]+>$/,
        'needs an address, or `Name <address>`',
      )
      .default('Croupier <no-reply@croupier.example>'),
    'Sender of every mail.',
  ),
  ALERT_EMAIL: setting(
    'Mail',
    z.email('needs an address').optional(),
    'Who is told when a game returns something else than it should, or its results are uneven. Absent: nobody is mailed; the log and the metric `return_alert` say it.',
  ),
  BRAND_NAME: setting(
    'Mail',
    z.string().min(1).max(40).default('Croupier'),
    'Name of the site in mails and authenticator apps.',
  ),

  FILE_STORAGE: setting(
    'Files',
    z.enum(['disk', 's3']).default('disk'),
    'Where uploaded images are kept: in DATA_DIR/files, or in an S3 bucket.',
  ),
  FILES_URL: setting(
    'Files',
    z.url().optional(),
    'Where browsers find uploaded images: a CDN or the bucket. Default with `disk`: PUBLIC_API_URL/files.',
  ),
  S3_BUCKET: setting('Files', z.string().min(1).optional(), 'Bucket for FILE_STORAGE=s3.'),
  S3_REGION: setting('Files', z.string().min(1).default('us-east-1'), 'Region of the bucket.'),
  S3_ENDPOINT: setting('Files', z.url().optional(), 'Endpoint of an S3-compatible service other than AWS.'),
  S3_ACCESS_KEY_ID: setting('Files', z.string().min(1).optional(), 'Access key of the bucket.', true),
  S3_SECRET_ACCESS_KEY: setting('Files', z.string().min(1).optional(), 'Secret of that access key.', true),
  UPLOAD_LIMIT_BYTES: setting('Files', count(2 * 1024 * 1024), 'Largest image that is taken.'),
  UPLOAD_LIMIT_PIXELS: setting('Files', count(16_000_000), 'Most pixels that an image may have.'),

  PAYMENT_PROVIDER: setting(
    'Payments',
    z.enum(['sandbox', 'nowpayments', 'btcpay']).optional(),
    'Who gives addresses and pays out. Default in `local` and `test`: the sandbox. Absent elsewhere: no deposits and no withdrawals.',
  ),
  WEBHOOK_TOLERANCE_SECONDS: setting(
    'Payments',
    count(300),
    'How old a signed notice may be, and how far ahead its clock.',
  ),
  PAYMENT_API_URL: setting(
    'Payments',
    z.url().optional(),
    'Provider `sandbox`: its address. Default in `local` and `test`: the sandbox.',
  ),
  PAYMENT_API_KEY: setting(
    'Payments',
    z.string().min(1).default('sandbox-payment-key'),
    'Provider `sandbox`: key of its API.',
    true,
  ),
  PAYMENT_WEBHOOK_SECRETS: setting(
    'Payments',
    secrets('sandbox-payment-webhook-secret'),
    'Provider `sandbox`: secrets that sign its notices, comma-separated: two while one replaces the other.',
    true,
  ),
  NOWPAYMENTS_API_URL: setting(
    'Payments',
    z.url().default('https://api.nowpayments.io'),
    'Provider `nowpayments`: its address.',
  ),
  NOWPAYMENTS_API_KEY: setting(
    'Payments',
    z.string().min(1).optional(),
    'Provider `nowpayments`: API key. Its notices are taken when it is set.',
    true,
  ),
  NOWPAYMENTS_IPN_SECRETS: setting(
    'Payments',
    secrets('sandbox-nowpayments-ipn-secret'),
    'Provider `nowpayments`: IPN secrets, comma-separated.',
    true,
  ),
  NOWPAYMENTS_EMAIL: setting(
    'Payments',
    z.string().min(1).optional(),
    'Provider `nowpayments`: account that pays out.',
  ),
  NOWPAYMENTS_PASSWORD: setting(
    'Payments',
    z.string().min(1).optional(),
    'Provider `nowpayments`: password of that account.',
    true,
  ),
  NOWPAYMENTS_TOTP_SECRET: setting(
    'Payments',
    z
      .string()
      .regex(/^[A-Z2-7]{16,}$/, 'needs at least 16 letters of base32')
      .optional(),
    'Provider `nowpayments`: secret of its second factor (base32), which confirms payouts. Absent where the provider knows our addresses.',
    true,
  ),
  BTCPAY_URL: setting('Payments', z.url().optional(), 'Provider `btcpay`: address of the BTCPay Server.'),
  BTCPAY_API_KEY: setting(
    'Payments',
    z.string().min(1).optional(),
    'Provider `btcpay`: Greenfield API key. Its notices are taken when it is set.',
    true,
  ),
  BTCPAY_STORE_ID: setting('Payments', z.string().min(1).default('store'), 'Provider `btcpay`: store.'),
  BTCPAY_WEBHOOK_SECRETS: setting(
    'Payments',
    secrets('sandbox-btcpay-webhook-secret'),
    'Provider `btcpay`: webhook secrets, comma-separated.',
    true,
  ),
  SKINS_API_URL: setting(
    'Payments',
    z.url().optional(),
    'Skin marketplace. Default in `local` and `test`: the sandbox. Absent elsewhere: off.',
  ),
  SKINS_API_KEY: setting(
    'Payments',
    z.string().min(1).default('sandbox-skins-key'),
    'Key of the skin marketplace.',
    true,
  ),
  SKINS_WEBHOOK_SECRETS: setting(
    'Payments',
    secrets('sandbox-skins-webhook-secret'),
    'Secrets that sign its notices, comma-separated.',
    true,
  ),

  KYC_PROVIDER: setting(
    'Identity verification',
    z.enum(['sandbox', 'sumsub']).optional(),
    'Who checks documents. Default in `local` and `test`: the sandbox. Absent elsewhere: staff alone decides.',
  ),
  KYC_API_URL: setting(
    'Identity verification',
    z.url().optional(),
    'Its address. Default: the sandbox in `local` and `test`, https://api.sumsub.com for `sumsub`.',
  ),
  KYC_API_KEY: setting(
    'Identity verification',
    z.string().min(1).default('sandbox-kyc-token'),
    'Its app token.',
    true,
  ),
  KYC_API_SECRET: setting(
    'Identity verification',
    z.string().min(1).default('sandbox-kyc-secret'),
    'Secret that signs our requests to it.',
    true,
  ),
  KYC_WEBHOOK_SECRETS: setting(
    'Identity verification',
    secrets('sandbox-kyc-webhook-secret'),
    'Secrets that sign its notices, comma-separated.',
    true,
  ),
  KYC_LEVELS: setting(
    'Identity verification',
    z
      .string()
      .regex(/^[^,\s]+,[^,\s]+,[^,\s]+$/, 'needs three names')
      .default('identity,address,source-of-funds')
      .transform((v) => v.split(',')),
    'Names of its levels for IDENTITY, ADDRESS and SOURCE_OF_FUNDS.',
  ),

  RATE_SOURCE: setting(
    'Rates',
    z.enum(['fixed', 'coinbase']).default('fixed'),
    'Where exchange rates come from: a fixed table, or the public Coinbase rates.',
  ),
  RATE_SOURCE_URL: setting(
    'Rates',
    z.url().default('https://api.coinbase.com/v2/exchange-rates?currency=USD'),
    'Address of the HTTP source.',
  ),
  RATE_REFRESH_SECONDS: setting('Rates', count(30), 'How often the worker asks the source.'),
  RATE_MAX_AGE_SECONDS: setting(
    'Rates',
    count(300),
    'A rate older than this is stale: shown as such and refused for bets.',
  ),

  BET_LANES: setting(
    'Bets',
    count(1),
    'Database connections that settle bets, each with a queue of its own: fewer make larger batches, which cost less per bet.',
  ),
  LIVE_BETS_HIGH_ROLLER_USD: setting(
    'Bets',
    count(100),
    'US dollars staked from which on a bet is one of HIGH_ROLLERS in the live feed.',
  ),
  LIVE_BETS_LUCKY_MULTIPLIER: setting(
    'Bets',
    count(10),
    'Times its stake that a bet pays from which on it is one of LUCKY_WINS in the live feed.',
  ),
  LIVE_BETS_EVERY_MS: setting(
    'Realtime',
    count(1000, 100, 60_000),
    'How often everybody is sent the newest settled bets at most (`live-bets.new`): each time one message for every socket.',
  ),
  RESUME_SECONDS: setting(
    'Realtime',
    count(300, 1, 86_400),
    'How long a socket may have been away and still be told all that it missed.',
  ),
  EVENTS_KEEP_DAYS: setting('Realtime', count(7, 1, 3650), 'How long events are kept.'),
  // Each bet takes three of the 1024 ids that one transaction reserves.
  BET_BATCH: setting('Bets', count(256, 1, 341), 'Most bets settled in one transaction.'),
  BET_QUEUE: setting('Bets', count(4096), 'Most bets waiting in one lane; beyond it 503 with Retry-After.'),
  BET_QUEUE_PER_PLAYER: setting(
    'Bets',
    count(512),
    'Most bets of one player waiting in a lane, those of series too; beyond it 429 with Retry-After.',
  ),
  BET_DEADLINE_MS: setting(
    'Bets',
    count(2500),
    'A bet that has waited longer for its turn answers 503 and is not made.',
  ),
  SEED_PAIR_BETS: setting(
    'Bets',
    count(1000),
    'A seed pair that has served so many bets is rotated by the worker once its player is away.',
  ),
  SEED_PAIR_IDLE_MINUTES: setting(
    'Bets',
    count(10),
    'How long a player has not bet when their pair is rotated.',
  ),
  ROUND_ABANDONED_HOURS: setting(
    'Bets',
    count(24),
    'A round whose player has done nothing for so long is ended the way that takes no further risk.',
  ),

  SPEED_ROULETTE_CHAIN_LENGTH: setting(
    'Speed-roulette',
    count(1_000_000, 1, 100_000_000),
    'Rounds that one chain of seeds lasts. The next is published when fewer than 1000 are left.',
  ),
  PUBLIC_CHAIN_URL: setting(
    'Speed-roulette',
    z.url().optional(),
    'Public chain of blocks whose hashes become public seeds, read in the form of Esplora (`https://blockstream.info/api`). Default in `local` and `test`: the sandbox. Absent elsewhere: speed-roulette is not played.',
  ),
  PUBLIC_CHAIN_BLOCKS_AHEAD: setting(
    'Speed-roulette',
    count(2, 1, 1000),
    'How far ahead of the highest block the one lies that a new chain of seeds names.',
  ),
  PUBLIC_CHAIN_DEPTH: setting(
    'Speed-roulette',
    count(2, 1, 1000),
    'A hash counts once its block is so deep, itself included: blocks on top of a chain are sometimes replaced.',
  ),
} satisfies Record<string, Setting>;

/** What the settings come to once they are read. */
export type Values = { [K in keyof typeof settings]: z.output<(typeof settings)[K]['schema']> };

type Setting<S extends z.ZodType = z.ZodType> = {
  section: string;
  schema: S;
  meaning: string;
  secret: boolean;
};
function setting<S extends z.ZodType>(
  section: string,
  schema: S,
  meaning: string,
  isSecret = false,
): Setting<S> {
  return { section, schema, meaning, secret: isSecret };
}

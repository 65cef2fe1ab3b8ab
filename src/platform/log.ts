import { pino } from 'pino';

export type Log = {
  trace(facts: object, message: string): void;
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
  child(facts: Record<string, unknown>): Log;
};

const SECRET_KEYS = [
  'password',
  'passwordHash',
  'token',
  'accessToken',
  'refreshToken',
  'socketToken',
  'mfaSecret',
  'serverSeed',
  'nextServerSeed',
  'secret',
  'apiKey',
  'authorization',
  'cookie',
  'connectionString',
  'databaseUrl',
  'JWT_SECRET',
  'SEED_SECRET',
  'DATABASE_URL',
  'refresh-token',
  'set-cookie',
  'x-captcha-token',
];

/** JSON lines on stdout: one event a line, secrets replaced wherever they stand up to two levels deep. */
export function createLog(options: {
  level: string;
  service: string;
  destination?: { write(line: string): void };
}): Log {
  const redact = SECRET_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]);
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redact, censor: '[redacted]' },
    },
    options.destination ?? pino.destination({ dest: 1, sync: false }),
  );
}

export const silentLog: Log = pino({ level: 'silent' });

/** Sources of log lines. Each has its own level. */
export const LOGGERS = [
  'http',
  'db',
  'jobs',
  'broker',
  'mail',
  'auth',
  'bets',
  'rates',
  'payments',
  'webhooks',
  'kyc',
  'crm',
  'sockets',
] as const;
export type LoggerName = (typeof LOGGERS)[number];
export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

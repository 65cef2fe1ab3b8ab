import { operation } from '../../../http/operation.ts';
import type { LogLevelDeps } from './deps.ts';
import { LoggerLevel } from './schemas.ts';

export const getLogLevels = operation({
  method: 'GET',
  path: '/admin/logger',
  tag: 'Admin Core',
  access: { permission: 'logger.read' },
  summary: 'Get the current log levels',
  response: LoggerLevel,
  handler: ({ logLevels }: LogLevelDeps) => logLevels.current(),
});

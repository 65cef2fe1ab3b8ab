import { route } from '../../../http/route.ts';
import { LoggerLevel, LoggerLevelChange } from './schemas.ts';
import type { LogLevels } from './service.ts';

export const logLevelStaffRoutes = (logLevels: LogLevels) => [
  route({
    method: 'GET',
    path: '/admin/logger',
    tag: 'Admin Core',
    access: { permission: 'logger.read' },
    summary: 'Log levels in force',
    response: LoggerLevel,
    handler: () => logLevels.show(),
  }),
  route({
    method: 'PUT',
    path: '/admin/logger',
    tag: 'Admin Core',
    access: { permission: 'logger.write' },
    gate: 'none',
    summary: 'Change log levels of all processes for a while',
    description:
      'Replaces what is in force for a while; loggers that are not named follow `default`, and without it the configuration. After `ttlSeconds` the configuration holds again; an empty `level` ends it immediately.',
    body: LoggerLevelChange,
    response: LoggerLevel,
    handler: ({ by, body }) => logLevels.change(by, body),
  }),
];

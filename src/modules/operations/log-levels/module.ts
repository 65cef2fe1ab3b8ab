import { defineModule } from '../../../http/module.ts';
import { changeLogLevels, getLogLevels } from './levels.ts';
import type { LogLevelDeps } from './service.ts';
import { createLogLevels } from './service.ts';

export const logLevels = defineModule({
  name: 'log-levels',
  create: (before: Parameters<typeof createLogLevels>[0]) => ({ logLevels: createLogLevels(before) }),
  operations: [getLogLevels, changeLogLevels],
  start: ({ logLevels }: LogLevelDeps) => logLevels.start(),
  close: ({ logLevels }) => logLevels.close(),
});

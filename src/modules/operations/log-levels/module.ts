import { defineModule } from '../../../http/module.ts';
import { changeLogLevels, createLogLevels, getLogLevels, type LogLevelDeps } from './levels.ts';

export const logLevels = defineModule({
  name: 'log-levels',
  create: (before: Parameters<typeof createLogLevels>[0]) => ({ logLevels: createLogLevels(before) }),
  operations: [getLogLevels, changeLogLevels],
  start: ({ logLevels }: LogLevelDeps) => logLevels.start(),
  close: ({ logLevels }) => logLevels.close(),
});

import { defineModule } from '../../../http/module.ts';
import { changeLogLevels } from './change.ts';
import type { LogLevelDeps } from './deps.ts';
import { getLogLevels } from './get.ts';

export const logLevels = defineModule({
  name: 'log-levels',
  operations: [getLogLevels, changeLogLevels],
  start: ({ logLevels }: LogLevelDeps) => logLevels.start(),
  close: ({ logLevels }) => logLevels.close(),
});

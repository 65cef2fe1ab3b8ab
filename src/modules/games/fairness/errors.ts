import { errors } from '../../../platform/errors.ts';

export const fairnessErrors = errors({
  FAIRNESS_ROUND_OPEN: [409, 'Finish the open round first: the revealed seed would show its board.'],
});

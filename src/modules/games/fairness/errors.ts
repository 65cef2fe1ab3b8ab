import { errors } from '../../../platform/errors.ts';

export const fairnessErrors = errors({
  FAIRNESS_ROUND_OPEN: [
    409,
    'Revealing the seed would show the board of your open round. Finish that round first.',
  ],
});

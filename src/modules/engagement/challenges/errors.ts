import { errors } from '../../../platform/errors.ts';

export const challengeErrors = errors({
  CHALLENGE_NOT_FOUND: [404, 'There is no such challenge.'],
  CHALLENGE_FINISHED: [409, 'The reward of the challenge is paid; roll it back first.'],
  CHALLENGE_TERMS_FIXED: [409, 'The challenge has its winner: only whether it is hidden can change.'],
  CHALLENGE_NOT_AWARDED: [409, 'The challenge is not finished: no reward has been paid.'],
  CHALLENGE_BET_NOT_ELIGIBLE: [409, 'This bet does not win the challenge; see details.rule.'],
  CHALLENGE_REWARD_SPENT: [
    409,
    'The winner has less than the reward in cash; withdrawLessIfNotEnoughBalance takes what is there.',
  ],
});

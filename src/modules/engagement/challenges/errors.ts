import { errors } from '../../../platform/errors.ts';
export const challengeErrors = errors({
  CHALLENGE_NOT_FOUND: [404, 'This challenge does not exist.'],
  CHALLENGE_FINISHED: [409, 'The reward of this challenge has already been paid. Roll it back first.'],
  CHALLENGE_TERMS_FIXED: [409, 'The challenge already has a winner; only its visibility can change.'],
  CHALLENGE_NOT_AWARDED: [409, 'No reward has been paid for this challenge.'],
  CHALLENGE_BET_NOT_ELIGIBLE: [409, 'This bet cannot win the challenge; see `details.rule`.'],
  CHALLENGE_REWARD_SPENT: [
    409,
    "The winner's balance is below the reward. Set withdrawLessIfNotEnoughBalance to take what is left.",
  ],
});

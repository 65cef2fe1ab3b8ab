import { errors } from '../../../platform/errors.ts';

export const leaderboardErrors = errors({
  LEADERBOARD_NOT_FOUND: [404, 'There is no such leaderboard.'],
  LEADERBOARD_SCHEDULE_NOT_FOUND: [404, 'There is no such schedule; they are daily, weekly and monthly.'],
  LEADERBOARD_USER_NOT_FOUND: [404, 'This player does not take part in the leaderboard.'],
  LEADERBOARD_NOT_FINISHED: [
    409,
    'The places are not final yet: prizes are given once the leaderboard awaits payout.',
  ],
  LEADERBOARD_PRIZE_PAID: [409, 'The prize of this place has been paid.'],
  LEADERBOARD_NO_PRIZE: [
    409,
    'There is no prize for this player: their place has none, or they may not win.',
  ],
  LEADERBOARD_STATUS_CONFLICT: [409, 'The leaderboard has ended, or was cancelled; see details.status.'],
});

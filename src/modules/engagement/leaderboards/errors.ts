import { errors } from '../../../platform/errors.ts';
export const leaderboardErrors = errors({
  LEADERBOARD_NOT_FOUND: [404, 'This leaderboard does not exist.'],
  LEADERBOARD_SCHEDULE_NOT_FOUND: [404, 'This schedule does not exist. Use daily, weekly or monthly.'],
  LEADERBOARD_USER_NOT_FOUND: [404, 'This player is not a participant of the leaderboard.'],
  LEADERBOARD_NOT_FINISHED: [
    409,
    'The places are not final yet. Pay prizes once the leaderboard awaits payout.',
  ],
  LEADERBOARD_PRIZE_PAID: [409, 'The prize for this place has already been paid.'],
  LEADERBOARD_NO_PRIZE: [409, 'This player has no prize: their place has none, or they are not eligible.'],
  LEADERBOARD_STATUS_CONFLICT: [409, 'The leaderboard has ended or was cancelled; see `details.status`.'],
});

import { errors } from '../../../platform/errors.ts';
import { message } from '../../base/notifications/message.ts';

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

/** `amount` is exact decimal text. */
type Won = { leaderboardId: string; name: string; place: number; amount: string; currencyId: string };

const messages = {
  'leaderboard.prize': message<Won>('LEADERBOARD', {
    en: {
      title: 'You have won a prize',
      body: (f) =>
        `Place ${f.place} in ${f.name}: ${f.amount} ${f.currencyId} have been added to your balance.`,
    },
    de: {
      title: 'Sie haben einen Preis gewonnen',
      body: (f) =>
        `Platz ${f.place} in ${f.name}: ${f.amount} ${f.currencyId} wurden Ihrem Guthaben gutgeschrieben.`,
    },
    es: {
      title: 'Ha ganado un premio',
      body: (f) => `Puesto ${f.place} en ${f.name}: se han añadido ${f.amount} ${f.currencyId} a su saldo.`,
    },
  }),
};

/** Selects runs whose scores belong to the cursor's generation or no longer change. */
const CURRENT = `(select r.* from leaderboards r, cursors c where c.name = 'leaderboards' and not r.is_purged
  and (r.generation = c.generation or r.status not in ('SCHEDULED', 'ACTIVE', 'FINALIZING')))`;

export const declares = {
  about: 'leaderboards by amount wagered: schedules, runs, scores, places, prizes',
  tags: {
    Leaderboard:
      'Leaderboards by amount wagered, and their prizes. In the backoffice: schedules, participants, prizes.',
    'Admin Leaderboard': 'Leaderboard schedules, participants and prizes.',
  },
  permissions: {
    'leaderboard.read': 'View leaderboards and their participants',
    'leaderboard.write': 'Cancel leaderboards',
    'leaderboard.pay': 'Create leaderboards and schedules, and pay prizes to winners',
  },
  messages,
  checks: {
    'a score of a leaderboard is not the sum of the bets that count': `
      select leaderboard_id, user_id, s.score, b.usd, s.reached_place, b.place from (
        select s.* from leaderboard_scores s join ${CURRENT} r on r.id = s.leaderboard_id) s
      full join (
        select b.leaderboard_id, b.user_id, sum(b.usd) as usd, max(b.place) as place from leaderboard_bets b
        join ${CURRENT} r on r.id = b.leaderboard_id group by 1, 2) b using (leaderboard_id, user_id)
      where (s.score, s.reached_place) is distinct from (b.usd, b.place)`,
    'a leaderboard does not count those who take part': `
      select r.id, r.participants, count(s.user_id) as scores from leaderboards r left join leaderboard_scores s on s.leaderboard_id = r.id
      group by r.id having r.participants <> count(s.user_id)`,
    'a place of a leaderboard is not that of its score': `
      select * from (
        select s.leaderboard_id, s.user_id, s.place, row_number() over (partition by s.leaderboard_id
          order by s.score desc, s.reached_place, s.user_id) as ordered
        from leaderboard_scores s join leaderboards r on r.id = s.leaderboard_id and r.status in ('AWAITING_PAYOUT', 'FINISHED')) placed
      where place is distinct from ordered`,
    'a finished leaderboard owes a prize, or one that is not finished owes none': `
      select r.id, r.status, w.owed from leaderboards r
      cross join lateral (
        select count(*) as owed from leaderboard_scores s left join leaderboard_prizes p using (leaderboard_id, user_id)
        where s.leaderboard_id = r.id and s.prize_usd is not null and p.user_id is null) w
      where (r.status = 'AWAITING_PAYOUT') <> (w.owed > 0)`,
    'a prize of a leaderboard is not that of its place': `
      select p.leaderboard_id, p.user_id, p.place, s.place as placed, p.full_usd_amount, s.prize_usd from leaderboard_prizes p
      left join leaderboard_scores s using (leaderboard_id, user_id)
      where s.user_id is null or s.place <> p.place or s.prize_usd is null or p.full_usd_amount > s.prize_usd`,
  },
} as const;

/** Invariant N10: finds each inconsistency in the data and prizes of leaderboards, and reports nothing else. */
import { testBreaks } from '../../../../test/kit/backoffice/findings.ts';
import { startLeaderboards } from '../../../../test/kit/engagement/leaderboards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

/** Creates two leaderboards. The first has ended; its first prize is paid and its second is not. The other one is still open. */
const world = fixture(async () => {
  const started = await startLeaderboards();
  const [a, b] = [await started.player(), await started.player()];
  const ended = await started.special();
  await started.bet(a, '2');
  await started.bet(b, '1');
  await started.end(ended);
  await started.give(started.boss, ended, a);
  await started.special();
  for (const amount of ['10', '11']) await started.bet(a, amount);
  await started.bet(b, '20');
  await started.count();
  return started;
});

const ENDED = 'leaderboard_id = (select min(id) from leaderboards)';
const OPEN = 'leaderboard_id = (select max(id) from leaderboards)';
const FIRST = 'user_id = (select min(user_id) from leaderboard_scores)';
const SECOND = 'user_id = (select max(user_id) from leaderboard_scores)';
const LAST_BET = `${OPEN} and ${FIRST} and place = (select max(place) from leaderboard_bets where ${OPEN} and ${FIRST})`;

const SCORE = 'a leaderboard score is not the sum of the counted bets';
const BET = 'an open leaderboard counts a bet with the wrong amount, or does not count it';
const OWED = "a leaderboard's status does not match its unpaid prizes";
const PRIZE = 'a leaderboard prize does not match its rank';
const ENTRY = 'a leaderboard prize does not match exactly one ledger entry, or an entry has no prize';

testBreaks(world, [
  [
    'a unit of a score',
    `update leaderboard_scores set score = score + 1 where ${OPEN} and ${FIRST}`,
    `update leaderboard_scores set score = score - 1 where ${OPEN} and ${FIRST}`,
    [SCORE],
  ],
  [
    'a participant',
    'update leaderboards set participants = participants + 1',
    'update leaderboards set participants = participants - 1',
    ["a leaderboard's participant count is not the number of its scores"],
  ],
  [
    'a place',
    `update leaderboard_scores set place = 9 where ${ENDED} and ${SECOND}`,
    `update leaderboard_scores set place = 2 where ${ENDED} and ${SECOND}`,
    ['a leaderboard rank does not match its score'],
  ],
  [
    'an end that is said to be',
    `update leaderboards set status = 'FINISHED' where status = 'AWAITING_PAYOUT'`,
    `update leaderboards set status = 'AWAITING_PAYOUT' where status = 'FINISHED'`,
    [OWED],
  ],
  [
    'a prize of another worth',
    `update leaderboard_scores set prize_usd = 1 where ${ENDED} and ${FIRST}`,
    `update leaderboard_scores set prize_usd = 10000000000 where ${ENDED} and ${FIRST}`,
    [PRIZE],
  ],
  [
    'a unit of a prize that was paid',
    'update leaderboard_prizes set amount = amount + 1',
    'update leaderboard_prizes set amount = amount - 1',
    [ENTRY],
  ],
  [
    'an entry without its prize',
    'create table prizes_away as select * from leaderboard_prizes; delete from leaderboard_prizes',
    'insert into leaderboard_prizes select * from prizes_away; drop table prizes_away',
    [ENTRY],
  ],
  [
    'a unit of a bet that counts',
    `update leaderboard_bets set usd = usd + 1 where ${OPEN} and ${SECOND}`,
    `update leaderboard_bets set usd = usd - 1 where ${OPEN} and ${SECOND}`,
    [BET, SCORE],
  ],
  [
    'a bet that counts',
    `create table bets_away as select * from leaderboard_bets where ${LAST_BET}; delete from leaderboard_bets where ${LAST_BET}`,
    'insert into leaderboard_bets select * from bets_away; drop table bets_away',
    [BET, SCORE],
  ],
]);

/** Invariant N10: finds each inconsistency in the data and rewards of challenges, and reports nothing else. */

import { testBreaks } from '../../../../test/kit/backoffice/findings.ts';
import { startChallenges } from '../../../../test/kit/engagement/challenges.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(async () => {
  const started = await startChallenges();
  const player = await started.player();
  const [paid, back] = [await started.create(), await started.create()];
  await started.create();
  const betId = await started.win(player);
  await started.consume();
  await started.award(paid.id, betId);
  await started.award(back.id, betId);
  await started.rollBack(back.id);
  return started.app;
});

const REWARD = 'a challenge reward does not match exactly one ledger entry';
const TAKEN = 'a reversed challenge reward does not match the ledger';
const UNKNOWN = 'the ledger contains a challenge reward that was not awarded';
const AWARDS = 'a challenge does not match its awards';
const CANDIDATE = 'a candidate bet of a challenge does not qualify, or has the wrong multiplier';
const BEST = "a player's stored best bet in a challenge is not their best bet";
const HOUR = 'hourly reward totals do not match the ledger';

testBreaks(app, [
  [
    'a unit of a reward',
    'update challenge_awards set amount = amount + 1 where rolled_back_at is null',
    'update challenge_awards set amount = amount - 1 where rolled_back_at is null',
    [REWARD],
  ],
  [
    'a unit that was taken back',
    'update challenge_awards set taken = taken - 1 where taken > 0',
    'update challenge_awards set taken = taken + 1 where taken > 0',
    [TAKEN],
  ],
  [
    'an award under another number',
    'update challenge_awards set n = 2 where rolled_back_at is null',
    'update challenge_awards set n = 1 where rolled_back_at is null',
    [REWARD, UNKNOWN],
  ],
  [
    'an award that is said to stand',
    'update challenge_awards set rolled_back_at = null, taken = null where taken > 0',
    `update challenge_awards set rolled_back_at = now(), taken = amount where challenge_id <> (select id from challenges where status = 'FINISHED')`,
    [AWARDS, TAKEN],
  ],
  [
    'an award too many',
    `update challenges set awards = awards + 1 where status = 'FINISHED'`,
    `update challenges set awards = awards - 1 where status = 'FINISHED'`,
    [AWARDS],
  ],
  [
    'another winning bet',
    `update challenges set winner_bet_id = winner_bet_id + 1 where status = 'FINISHED'`,
    `update challenges set winner_bet_id = winner_bet_id - 1 where status = 'FINISHED'`,
    [AWARDS],
  ],
  [
    'a bet that does not win',
    `update challenge_candidates set multiplier_e4 = multiplier_e4 + 1`,
    `update challenge_candidates set multiplier_e4 = multiplier_e4 - 1`,
    [CANDIDATE],
  ],
  [
    'a bet that is not the best',
    `update challenge_bests set multiplier_e4 = multiplier_e4 + 1`,
    `update challenge_bests set multiplier_e4 = multiplier_e4 - 1`,
    [BEST],
  ],
  [
    'a reward that was counted with another amount',
    `update money_hours set amount = amount + 1 where kind = 'challenge.rollback'`,
    `update money_hours set amount = amount - 1 where kind = 'challenge.rollback'`,
    [HOUR],
  ],
]);

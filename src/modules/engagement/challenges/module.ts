import { defineModule } from '../../../http/module.ts';
import { challengeEvents, payAward } from './award.ts';
import { checks } from './checks.ts';
import { type Challenges, createChallenges } from './consumer.ts';
import { DECIDE, runDecision } from './decide.ts';
import { createChallenge, deleteUnfinished, updateUnfinished } from './edit.ts';
import { setChallengeImage } from './image.ts';
import {
  getChallenge,
  getChallengeForStaff,
  listChallenges,
  listChallengesForStaff,
  listOwnChallenges,
} from './list.ts';
import { listChallengeBets } from './list-bets.ts';
import { challengeMessages } from './messages.ts';
import type { ChallengeDeps } from './queries.ts';
import { rollBackAward } from './roll-back.ts';

type Services = ChallengeDeps & { challenges: Challenges };

export const challenges = defineModule({
  name: 'challenges',
  tags: {
    Challenge: 'Challenges: the first bet on a game that reaches a multiplier wins a reward.',
    'Admin Challenge': 'Create challenges, confirm their winners, and pay or reverse rewards.',
  },
  events: challengeEvents,
  messages: challengeMessages,
  checks,
  create: (before: Parameters<typeof createChallenges>[0]) => ({ challenges: createChallenges(before) }),
  operations: [
    listChallenges,
    listOwnChallenges,
    getChallenge,
    listChallengesForStaff,
    createChallenge,
    getChallengeForStaff,
    updateUnfinished,
    deleteUnfinished,
    setChallengeImage,
    listChallengeBets,
    payAward,
    rollBackAward,
  ],
  tasks: (deps: Services) => ({ [DECIDE]: (payload) => runDecision(deps, payload) }),
  consumers: (services: Services) => [services.challenges],
});

import { route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { betErrors } from '../../games/bets/errors.ts';
import { casinoErrors } from '../../games/casino/errors.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { challengeErrors } from './errors.ts';
import { RULES } from './rules.ts';
import {
  AdminChallengeQuery,
  Challenge,
  ChallengeAward,
  ChallengeBetPage,
  ChallengeBetQuery,
  ChallengeChange,
  ChallengePage,
  ChallengePath,
  ChallengeRollback,
  NewChallenge,
  NoFields,
} from './schemas.ts';
import type { Challenges } from './service.ts';

const tag = 'Admin Challenge';
const path = '/admin/challenge';
const one = `${path}/{id}`;
const read = { method: 'GET', tag, access: { permission: 'challenge.read' } } as const;
const write = { tag, access: { permission: 'challenge.write' }, gate: 'none', response: Challenge } as const;
const pay = {
  method: 'POST',
  tag,
  access: { permission: 'challenge.pay' },
  gate: 'staff',
  idempotent: true,
  params: ChallengePath,
  response: Challenge,
} as const;
const { CHALLENGE_NOT_FOUND, CHALLENGE_FINISHED } = challengeErrors;
const { GAME_NOT_FOUND } = casinoErrors;
const { CURRENCY_NOT_FOUND } = commonErrors;

export const challengeStaffRoutes = (challenges: Challenges) => [
  route({
    ...read,
    path,
    summary: 'Challenges, by filter and in order',
    description:
      'The winner is found by their id, a part of their username, or the slug of the game. The total counts up to 10,000 and pages end there.',
    query: AdminChallengeQuery,
    response: ChallengePage,
    handler: ({ by, query }) => challenges.staff.list(by, query),
  }),
  route({
    ...write,
    method: 'PUT',
    path,
    status: 200,
    summary: 'Set up a challenge, with the image of its game',
    description: 'Bets count that are made after it is shown. Multipliers have four decimals at most.',
    body: NewChallenge,
    errors: [GAME_NOT_FOUND, CURRENCY_NOT_FOUND],
    handler: ({ by, body }) => challenges.staff.create(by, body),
  }),
  route({
    ...read,
    path: one,
    summary: 'One challenge',
    params: ChallengePath,
    response: Challenge,
    errors: [CHALLENGE_NOT_FOUND],
    handler: ({ by, params }) => challenges.staff.get(by, params.id),
  }),
  route({
    ...write,
    method: 'PATCH',
    path: one,
    summary: 'Change a challenge that is not finished',
    description:
      'With another game, stake or multiplier bets count from now on; so they do when it is shown again. While it has a winner only isHidden can change.',
    params: ChallengePath,
    body: ChallengeChange,
    errors: [
      CHALLENGE_NOT_FOUND,
      CHALLENGE_FINISHED,
      challengeErrors.CHALLENGE_TERMS_FIXED,
      GAME_NOT_FOUND,
      CURRENCY_NOT_FOUND,
    ],
    handler: ({ by, params, body }) => challenges.staff.change(by, params.id, body),
  }),
  route({
    ...write,
    method: 'DELETE',
    path: one,
    summary: 'Delete a challenge that is not finished',
    params: ChallengePath,
    errors: [CHALLENGE_NOT_FOUND, CHALLENGE_FINISHED],
    handler: ({ by, params }) => challenges.staff.remove(by, params.id),
  }),
  route({
    ...write,
    method: 'POST',
    path: `${one}/image`,
    summary: 'Give a challenge an image of its own; that of the game stays',
    description: 'Drawn anew as WebP of 480 × 640 pixels, without anything else that the file carried.',
    multipart: 'image',
    body: NoFields,
    params: ChallengePath,
    errors: [CHALLENGE_NOT_FOUND, commonErrors.IMAGE_INVALID],
    handler: ({ by, params, file }) => challenges.staff.setImage(by, params.id, file),
  }),
  ...rewardRoutes(challenges),
];

const rewardRoutes = (challenges: Challenges) => [
  route({
    ...read,
    path: `${one}/bets`,
    summary: 'Bets that can win a challenge, the first settled first',
    description: 'About the first 1,000 of a challenge.',
    params: ChallengePath,
    query: ChallengeBetQuery,
    response: ChallengeBetPage,
    errors: [CHALLENGE_NOT_FOUND],
    handler: ({ by, params, query }) => challenges.staff.bets(by, params.id, query),
  }),
  route({
    ...pay,
    path: `${one}/award`,
    summary: 'Pay the reward to the player of a bet that can win; the challenge is finished',
    description: `The chosen bet or another one, checked again. CHALLENGE_BET_NOT_ELIGIBLE says in \`details.rule\` what it does not meet: ${RULES.join(', ')}.`,
    body: ChallengeAward,
    errors: [
      commonErrors.OWN_ACCOUNT,
      accessErrors.ACCOUNT_CONNECTED,
      CHALLENGE_NOT_FOUND,
      betErrors.BET_NOT_FOUND,
      CHALLENGE_FINISHED,
      challengeErrors.CHALLENGE_BET_NOT_ELIGIBLE,
      gateErrors.AUTH_GEO_BLOCKED,
      CURRENCY_NOT_FOUND,
      currencyErrors.RATE_STALE,
    ],
    handler: ({ by, params, body, idempotencyKey: key }) =>
      challenges.staff.award(by, params.id, { ...body, key }),
  }),
  route({
    ...pay,
    path: `${one}/rollback`,
    summary: 'Take a reward back: the bet does not win the challenge again, another one can',
    description:
      'Takes the reward from cash. Where that holds less, it takes nothing unless withdrawLessIfNotEnoughBalance lets it take what is there.',
    body: ChallengeRollback,
    errors: [
      commonErrors.OWN_ACCOUNT,
      accessErrors.ACCOUNT_CONNECTED,
      CHALLENGE_NOT_FOUND,
      challengeErrors.CHALLENGE_NOT_AWARDED,
      challengeErrors.CHALLENGE_REWARD_SPENT,
    ],
    handler: ({ by, params, body, idempotencyKey: key }) =>
      challenges.staff.rollBack(by, params.id, { ...body, key }),
  }),
];

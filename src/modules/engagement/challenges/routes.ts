import { route } from '../../../http/route.ts';
import { challengeErrors } from './errors.ts';
import {
  ChallengeMyPage,
  ChallengeMyQuery,
  ChallengePath,
  ChallengePublicDetail,
  ChallengePublicPage,
  ChallengeQuery,
} from './schemas.ts';
import type { Challenges } from './service.ts';

const of = { method: 'GET', tag: 'Challenge' } as const;

export const challengeRoutes = (challenges: Challenges) => [
  route({
    ...of,
    path: '/challenge',
    access: 'anonymous',
    summary: 'Challenges',
    description: 'The search finds parts of titles, which begin with the name of the game.',
    query: ChallengeQuery,
    response: ChallengePublicPage,
    handler: ({ query }) => challenges.list(query),
  }),
  route({
    ...of,
    path: '/challenge/my',
    access: 'auth',
    summary: 'Challenges that the player has a bet in: won ones and near misses, with their best bet',
    query: ChallengeMyQuery,
    response: ChallengeMyPage,
    handler: ({ user, query }) => challenges.own(user.id, query),
  }),
  route({
    ...of,
    path: '/challenge/{id}',
    access: 'anonymous',
    summary: 'One challenge, and its rules',
    params: ChallengePath,
    response: ChallengePublicDetail,
    errors: [challengeErrors.CHALLENGE_NOT_FOUND],
    handler: ({ params }) => challenges.get(params.id),
  }),
];

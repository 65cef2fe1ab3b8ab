import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import type { Upload } from '../../../http/route.ts';
import type { Config } from '../../../platform/config.ts';
import { createConsumer, type OnConsumed } from '../../games/bets/consume.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { type AdministerDeps, CURSOR, change, create, remove } from './administer.ts';
import { apply } from './apply.ts';
import { type AwardDeps, award } from './award.ts';
import { type DecideDeps, decide, runDecision } from './decide.ts';
import { type ImageDeps, setImage } from './image.ts';
import {
  getForStaff,
  getPublic,
  type ListDeps,
  listBets,
  listForStaff,
  listOwn,
  listPublic,
} from './lists.ts';
import { type RollBackDeps, rollBack } from './roll-back.ts';
import type {
  AdminChallengeQuery,
  ChallengeAward,
  ChallengeBetQuery,
  ChallengeChange,
  ChallengeMyQuery,
  ChallengeQuery,
  ChallengeRollback,
  NewChallenge,
} from './schemas.ts';

export type Challenges = ReturnType<typeof createChallenges>;

type Given = Omit<
  AdministerDeps & AwardDeps & DecideDeps & ImageDeps & ListDeps & RollBackDeps,
  'toUsd' | 'maxPixels' | 'currencies'
> & { config: Config; currencies: Currencies; onConsumed: OnConsumed };
type WithKey<T> = T & { key: string | undefined };

/** Challenges: a consumer keeps the bets that can win them, a job chooses the first, staff confirms it, and the reward is paid. */
export function createChallenges(given: Given) {
  const { db, currencies, onConsumed, config } = given;
  const deps = {
    ...given,
    toUsd: currencies.toUsd,
    maxPixels: config.UPLOAD_LIMIT_PIXELS,
  };
  return {
    ...createConsumer(db, { name: CURSOR, apply }, onConsumed),

    list: (query: z.output<typeof ChallengeQuery>) => listPublic(deps, query),
    get: (id: string) => getPublic(deps, id),
    own: (userId: number, query: z.output<typeof ChallengeMyQuery>) => listOwn(deps, userId, query),

    /** What a worker does when a bet can win a challenge, or a winner has to be looked at again. */
    decide: (id: string) => decide(deps, id),
    run: (payload: unknown) => runDecision(deps, payload),

    staff: {
      list: (by: StaffCall, query: z.output<typeof AdminChallengeQuery>) => listForStaff(deps, by, query),
      get: (by: StaffCall, id: string) => getForStaff(deps, by, id),
      bets: (by: StaffCall, id: string, query: z.output<typeof ChallengeBetQuery>) =>
        listBets(deps, by, { id, ...query }),
      create: (by: StaffCall, request: z.output<typeof NewChallenge>) => create(deps, by, request),
      change: (by: StaffCall, id: string, request: z.output<typeof ChallengeChange>) =>
        change(deps, by, { id, ...request }),
      remove: (by: StaffCall, id: string) => remove(deps, by, id),
      async setImage(by: StaffCall, id: string, file: Upload | undefined) {
        await setImage(deps, by, { id, file });
        return getForStaff(deps, by, id);
      },
      award: (by: StaffCall, id: string, request: WithKey<z.output<typeof ChallengeAward>>) =>
        award(deps, by, { id, ...request }),
      rollBack: (by: StaffCall, id: string, request: WithKey<z.output<typeof ChallengeRollback>>) =>
        rollBack(deps, by, { id, ...request }),
    },
  };
}

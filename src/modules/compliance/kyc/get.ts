import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object } from '../../../http/schemas.ts';
import { userErrors } from '../../base/users/errors.ts';
import { transactionTime } from '../gate/service.ts';
import type { KycDeps } from './deps.ts';
import { toPlayerTier } from './level.ts';
import { readTiers } from './queries.ts';
import { asOfNow, levelOf } from './rules.ts';
import { KycAdminDetail, KycPath, KycTier } from './schemas.ts';
import { readDetail } from './view.ts';

const KycState = object('KycState', {
  level: z.number(),
  tiers: z.array(KycTier),
  requiredFor: z.array(z.string()),
});

export const getOwnKyc = operation({
  method: 'GET',
  path: '/kyc',
  tag: 'KYC',
  access: 'auth',
  summary: 'Get your verification status',
  response: KycState,
  handler: async ({ db, kyc }: KycDeps, { user: { id: userId } }) => {
    const now = await transactionTime(db);
    const tiers = await readTiers(db, userId);
    const level = levelOf(tiers, now);
    return {
      level,
      tiers: tiers.map((tier) => toPlayerTier(asOfNow(tier, now))),
      requiredFor: await kyc.requiredFor(userId, level),
    };
  },
});

export const getKyc = operation({
  method: 'GET',
  path: '/admin/kyc/{userId}',
  tag: 'KYC Admin',
  access: { permission: 'kyc.read' },
  summary: "Get a user's verification",
  description: 'Tiers, history, checks and risk signals.',
  params: KycPath,
  response: KycAdminDetail,
  errors: [userErrors.USER_NOT_FOUND],
  handler: ({ db, kyc }: KycDeps, { by, params }) => readDetail(db, kyc.persons, by, params.userId),
});

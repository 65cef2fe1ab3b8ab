import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { revokeSessions } from '../../accounts/auth/revoke-sessions.ts';
import { setCash, targetOf } from '../../backoffice/user-admin/balance.ts';
import { emitEvent } from '../../base/events/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import {
  announceUserChange,
  assertNoBot,
  getUser,
  toUserDto,
  type UserRow,
} from '../../base/users/service.ts';
import { setKycLevel } from '../../compliance/kyc/level.ts';
import { clearLimits } from '../../compliance/limits/change.ts';
import { clearExclusions } from '../../compliance/limits/exclude.ts';
import type { Affiliates } from '../../engagement/affiliates/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { completeWagering } from '../../money/payments/rollover.ts';
import type { TestUserAction } from './schemas.ts';

type Action = TestUserAction['action'];
type Params = NonNullable<TestUserAction['params']>;
type ActionDeps = { db: Db; currencies: Currencies; affiliates: Pick<Affiliates, 'onApproved'> };
type Work = (tx: Tx, userId: number, params: Params) => Promise<unknown>;

const write = (values: (params: Params) => Partial<UserRow>) => (tx: Tx, userId: number, params: Params) =>
  tx.updateTable('users').set(values(params)).where('id', '=', userId).execute();

async function setVipLevel(tx: Tx, userId: number, level: number): Promise<void> {
  const { vip_level: previousLevel } = await getUser(tx, userId);
  if (level === previousLevel) return;
  await tx.updateTable('users').set({ vip_level: level }).where('id', '=', userId).execute();
  await emitEvent(tx, { event: 'vip.level', userId, data: { level, previousLevel } });
}

/** With personal data: these operations are called by the developers who created the test user. */
export const showTestUser = (user: UserRow) => toUserDto(user, { showsPii: true });

/** Puts a user into a state that takes long to reach otherwise. Throws 404 USER_NOT_FOUND, 409 BOT_ACCOUNT. */
export function createAction({ db, currencies, affiliates }: ActionDeps) {
  const works: Record<Action, Work> = {
    VERIFY_EMAIL: write(() => ({ email_verified: true })),
    SET_BALANCE: (tx, userId, { currencyId, amount }) => {
      const cash = targetOf(currencies, { currencyId: currencyId!, balance: amount! });
      return setCash(tx, { userId, currencyId: currencyId!, cash });
    },
    SET_VIP_LEVEL: (tx, userId, { level }) => setVipLevel(tx, userId, level!),
    SET_KYC_LEVEL: (tx, userId, { level }) => setKycLevel(tx, affiliates, { userId, level: level! }),
    SET_COUNTRY: write(({ country }) => ({ country_code: country! })),
    COMPLETE_WAGERING: completeWagering,
    CLEAR_EXCLUSION: clearExclusions,
    CLEAR_LIMITS: clearLimits,
    CLOSE_SESSIONS: (tx, userId) => revokeSessions(tx, userId, 'CLOSED_FOR_TEST'),
  };
  return ({ userId, action, params = {} }: TestUserAction) =>
    transaction(db, async (tx) => {
      await lockPlayers(tx, [userId]);
      assertNoBot(await getUser(tx, userId));
      await works[action](tx, userId, params);
      await announceUserChange(tx, userId);
      return { success: true, user: showTestUser(await getUser(tx, userId)) };
    });
}

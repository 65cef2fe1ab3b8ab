import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type DbOrTx, transaction } from '../../../platform/db.ts';
import { assertMayDecide } from '../../base/access/connected.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { getUser, SHORT_USER_COLUMNS, sightOf, toShortPrivateUser } from '../../base/users/service.ts';
import { transactionTime } from '../gate/service.ts';
import { kycErrors } from './errors.ts';
import { changeTiers, lockStanding, tierIn } from './level.ts';
import { listTiers } from './list.ts';
import type { Persons } from './persons.ts';
import { findReference, readHistory, readTiers } from './queries.ts';
import {
  afterDecision,
  asOfNow,
  canResubmit,
  levelOf,
  type Status,
  type Tier,
  type TierState,
} from './rules.ts';
import type { KycAdminDetail, KycDecision, KycQuery } from './schemas.ts';
import { signalsOf } from './signals.ts';

type Detail = z.input<typeof KycAdminDetail>;

/** What staff sees of players' verification, and what it decides. */
export const createReview = ({ db, persons }: { db: Db; persons: Persons }) => ({
  list: (by: StaffCall, query: z.output<typeof KycQuery>) => listTiers(db, query, sightOf(by.user)),

  /** Throws 404 USER_NOT_FOUND. */
  detail: (by: StaffCall, userId: number): Promise<Detail> => detailOf(db, persons, by, userId),

  /**
   * Decides about one tier. What is so already stays as it is. Throws 400 REASON_REQUIRED, 404 USER_NOT_FOUND, 403 OWN_ACCOUNT and as
   * freshActor does.
   */
  decide(by: StaffCall, userId: number, input: z.output<typeof KycDecision>): Promise<Detail> {
    const reason = input.reason.trim();
    if (reason === '') throw kycErrors.REASON_REQUIRED();
    return transaction(db, async (tx) => {
      // Locks the member of staff too, so that their ban either happened before this or waits.
      await lockPlayers(tx, [by.user.id, userId]);
      const standing = await lockStanding(tx, userId);
      await assertMayDecide(tx, await freshActor(tx, by), await getUser(tx, userId));
      const { tier, action, rejectType } = input;
      const before = tierIn(standing, tier);
      const after = afterDecision(before, { action, rejectType, by: by.user.id }, standing.now);
      if (!after) return detailOf(tx, persons, by, userId);
      const changed = await changeTiers(tx, standing, [after], { actorId: by.user.id, reason });
      const detail = await detailOf(tx, persons, by, userId);
      await recordAudit(tx, by, {
        before: { ...auditOf(before), level: levelOf(standing.tiers, standing.now) },
        after: { ...auditOf(after), level: levelOf(changed.tiers, changed.now) },
        reason,
      });
      return detail;
    });
  },
});

const auditOf = ({ tier, status, rejectType, expiresAt }: TierState) => ({
  tier,
  status,
  rejectType,
  expiresAt: expiresAt && iso(expiresAt),
});

async function detailOf(db: DbOrTx, persons: Persons, by: StaffCall, userId: number): Promise<Detail> {
  const sight = sightOf(by.user);
  const user = await getUser(db, userId);
  const now = await transactionTime(db);
  const tiers = (await readTiers(db, userId)).map((state) => asOfNow(state, now));
  const history = await readHistory(db, userId);
  const actors = [...tiers.map((state) => state.decidedBy), ...history.map((row) => row.actor_id)];
  const people = await readPeople(db, actors);
  const shownActor = (id: number | null) => {
    const person = id === null ? undefined : people.get(id);
    return person ? toShortPrivateUser(person, sight) : null;
  };
  const reference = await findReference(db, userId);
  return {
    userId,
    user: toShortPrivateUser(user, sight),
    level: levelOf(tiers, now),
    tiers: tiers.map((state) => ({ ...tierShown(state), decidedBy: shownActor(state.decidedBy) })),
    history: history.map((row) => ({
      id: row.id,
      tier: row.tier as Tier,
      fromStatus: row.from_status as Status,
      toStatus: row.to_status as Status,
      actor: shownActor(row.actor_id),
      reason: row.reason,
      at: iso(row.created_at),
    })),
    checks: tiers.flatMap(({ checks }) => checks.map((check) => ({ ...check, at: iso(check.at) }))),
    riskSignals: await signalsOf(db, { user, tiers, persons }),
    providerReference: reference?.applicant_id ?? null,
    clientComment: latestComment(tiers),
  };
}

const tierShown = (state: TierState) => ({
  tier: state.tier,
  status: state.status,
  submittedAt: state.submittedAt && iso(state.submittedAt),
  decidedAt: state.decidedAt && iso(state.decidedAt),
  expiresAt: state.expiresAt && iso(state.expiresAt),
  moderationComment: state.moderationComment,
  rejectLabels: [...state.rejectLabels],
  rejectType: state.rejectType,
  canResubmit: canResubmit(state),
});

/** What the provider has said last for staff alone. */
const latestComment = (tiers: readonly TierState[]): string | null =>
  tiers
    .filter((state) => state.clientComment !== null)
    .sort((a, b) => b.asOf.getTime() - a.asOf.getTime())
    .at(0)?.clientComment ?? null;

async function readPeople(db: DbOrTx, ids: readonly (number | null)[]) {
  const known = [...new Set(ids.filter((id) => id !== null))];
  if (known.length === 0) return new Map();
  const rows = await db.selectFrom('users').select(SHORT_USER_COLUMNS).where('id', 'in', known).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

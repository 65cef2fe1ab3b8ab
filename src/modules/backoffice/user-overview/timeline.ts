import { sql } from 'kysely';
import { z } from 'zod';
import type { SessionUser } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { Decimal, object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits } from '../../../platform/money.ts';
import { maskPersonal } from '../../base/audit/rules.ts';
import { ShortPrivateUser, UserId, userErrors } from '../../base/users/schemas.ts';
import { getUser, holds, maskEmail, type Sight, shortUsers, sightOf } from '../../base/users/service.ts';
import { type LimitType, shownLimit } from '../../compliance/gate/rules.ts';
import { type DepositStatus, shownStatus } from '../../money/payments/deposits/rules.ts';
import { CURSOR, type Place, readCursor, toCursor } from './rules.ts';
import { type EntryRow, entriesOf, KINDS, type Kind } from './timeline-sources.ts';

const Kinds = z.enum(Object.keys(KINDS) as [Kind, ...Kind[]]);

const TimelineEntry = object('TimelineEntry', {
  kind: Kinds,
  id: z.string().meta({ description: 'Unique within the kind. For bets it is the day.' }),
  at: Timestamp,
  state: z.string().nullable().meta({
    description:
      'The status of the object, the risk level of a note, or the action in the request of a staff member.',
  }),
  text: z
    .string()
    .nullable()
    .meta({
      description:
        'The device and address of a sign-in, the network or reason of a payment, the type and period of a limit, the text of a note, ' +
        'the tier of a verification, the name of a bonus, or the request of a staff member with its reason or the end of a mute.',
    }),
  amount: Decimal.nullable().meta({
    description: 'For a limit in dollars or minutes; null if it was removed.',
  }),
  currencyId: z.string().nullable(),
  usdAmount: Decimal.nullable(),
  freeSpins: object('TimelineFreeSpins', {
    count: z.number().int(),
    game: z.string(),
    value: Decimal.meta({ description: 'The stake of each spin, in `currencyId`.' }),
  })
    .nullable()
    .optional(),
  bets: object('TimelineBets', { count: z.number().int(), stakedUsd: Decimal, paidUsd: Decimal }).nullable(),
  by: ShortPrivateUser.nullable().meta({
    description: 'The other person who did this, usually a staff member.',
  }),
});
type Entry = z.input<typeof TimelineEntry>;

const Timeline = object('Timeline', {
  entries: z.array(TimelineEntry),
  next: z
    .string()
    .nullable()
    .meta({ description: 'The value of `before` for the next page. Null at the end.' }),
});

/** A list, given as a repeated parameter or separated by commas. */
const KindList = z
  .array(
    z
      .string()
      .max(200)
      .meta({ enum: Object.keys(KINDS) }),
  )
  .max(20)
  .transform((texts) => [...new Set(texts.flatMap((text) => text.split(',')).filter(Boolean))])
  .pipe(z.array(Kinds));

const Cursor = z
  .string()
  .regex(CURSOR, 'needs the value of `next`')
  .meta({ example: '1764460800000000_deposit_01926f3a-7c3e-7d2a-9c1b-3f5e8a7b6c5d' })
  .transform((given): Place => readCursor(given)!);

export const getUserTimeline = operation({
  method: 'GET',
  path: '/admin/users/{id}/timeline',
  tag: 'Admin User',
  access: { permission: 'user.read' },
  summary: 'List everything that happened to a user',
  description:
    'Newest first. The bets of a day are one entry, at the time of the last bet. `kinds` selects kinds; by default, all that the ' +
    'caller may see. Deposits require `deposit.read`, withdrawals `withdraw.read`, bets `bet.read`, limits and exclusions ' +
    '`limit.read`, notes `note.read`, verification `kyc.read`, bonuses `promo.read` and staff actions `audit.read`. Without ' +
    '`user.pii`, addresses are masked. Staff actions are successful changes that name the user: in the path or the `userId` of their ' +
    'request, or in the values that they changed, such as grants to several users, decisions on payments and changes of roles. Sessions are deleted some time after their end.',
  params: z.object({ id: UserId }),
  query: z.strictObject({
    kinds: KindList.optional(),
    before: Cursor.optional(),
    take: z.number().int().min(1).max(100).default(50),
  }),
  response: Timeline,
  errors: [userErrors.USER_NOT_FOUND],
  handler: async (
    { reads }: { reads: Db },
    { by, params: { id: userId }, query: { kinds, before, take } },
  ) => {
    const allowed = kindsFor(by.user, kinds);
    await getUser(reads, userId);
    if (allowed.length === 0) return { entries: [], next: null };
    const statement = entriesOf(allowed, { userId, before, most: take + 1 });
    const { rows } = await sql<EntryRow>`${statement}`.execute(reads);
    const shown = rows.slice(0, take);
    const last = shown.at(-1);
    const entries = await toEntries(reads, shown, { userId, sight: sightOf(by.user) });
    return { entries, next: last && rows.length > take ? toCursor(last) : null };
  },
});

/** Returns the kinds that the caller may see. Throws 403 FORBIDDEN if the caller asks for another one. */
function kindsFor(reader: SessionUser, kinds: readonly Kind[] | undefined): Kind[] {
  if (kinds === undefined || kinds.length === 0)
    return (Object.keys(KINDS) as Kind[]).filter((kind) => holds(reader, KINDS[kind]));
  const permission = kinds.map((kind) => KINDS[kind]).find((needed) => !holds(reader, needed));
  if (permission !== undefined) throw commonErrors.FORBIDDEN({ permission });
  return [...kinds];
}

async function toEntries(
  db: Db,
  rows: readonly EntryRow[],
  { userId, sight }: { userId: number; sight: Sight },
): Promise<Entry[]> {
  const others = rows.map(({ byId }) => (byId === userId ? null : byId));
  const people = await shortUsers(db, others, sight);
  return rows.map((row, i) => ({ ...toEntry(row, sight), by: people.get(others[i] ?? 0) ?? null }));
}

function toEntry(row: EntryRow, { showsPii }: Sight): Omit<Entry, 'by'> {
  const { kind, id, at, state, text, currencyId } = row;
  return {
    kind,
    id,
    at: iso(at),
    state: kind === 'deposit' ? shownStatus(state as DepositStatus) : state,
    text: showsPii ? text : (maskPersonal(text, maskEmail) as string | null),
    amount: amountOf(row),
    currencyId,
    usdAmount: row.usdAmount === null ? null : formatUnits(row.usdAmount),
    freeSpins: spinsOf(row),
    bets: row.bets === null ? null : betsOf(row.bets, row),
  };
}

const spinsOf = ({ spins, spinValue, game }: EntryRow): Entry['freeSpins'] =>
  spins === null ? null : { count: spins, game: game!, value: formatUnits(spinValue!) };

/** The text of a limit begins with its type. */
function amountOf({ kind, amount, text }: EntryRow): string | null {
  if (amount === null) return null;
  return kind === 'limit' ? shownLimit(text!.split(' ')[0] as LimitType, amount) : formatUnits(amount);
}

const betsOf = (count: bigint, { stakedUsd, paidUsd }: EntryRow): Entry['bets'] => ({
  count: Number(count),
  stakedUsd: formatUnits(BigInt(stakedUsd ?? 0)),
  paidUsd: formatUnits(BigInt(paidUsd ?? 0)),
});

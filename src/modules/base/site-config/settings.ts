import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { freshActor } from '../access/service.ts';
import { recordAudit } from '../audit/service.ts';
import { assertValue, type Leave, pairOf, staffValueErrors, withProposals } from '../staff-value/service.ts';
import { ShortPrivateUser } from '../users/schemas.ts';
import { shortUsers, sightOf } from '../users/service.ts';
import { emitChanges, type ListedCurrencies } from './public.ts';
import { givesMore } from './rewards/more.ts';
import { SECTIONS } from './rewards/schemas.ts';
import { CONFLICTS, changedFields, minStakeProblems, type Problem, pick, withChanges } from './rules.ts';
import { CONFIGS, ConfigCode, type ConfigOf, completed, defaultsOf, PublicConfigCode } from './schemas.ts';
import { CHANNEL, lowestOfDay, type SiteConfig } from './service.ts';

const ConfigPath = z.object({ code: ConfigCode });

/** The fields of one code. They differ from code to code, so the handler validates them. */
const ConfigFields = z.record(z.string(), z.unknown());
type Fields = z.output<typeof ConfigFields>;

const SiteSettings = object('SiteSettings', {
  config: ConfigFields,
  changes: z.array(
    z.object({
      version: z.number().int(),
      at: Timestamp,
      by: ShortPrivateUser.nullable(),
      before: ConfigFields,
      after: ConfigFields,
    }),
  ),
});

export type SiteConfigDeps = {
  db: Db;
  siteConfig: Pick<SiteConfig, 'publicView' | 'currencies' | 'reload'>;
};

const SECTION_NAMES = Object.keys(SECTIONS);
const MAX_CHANGES = 50;

const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
const FIELDS = Object.entries(CONFIGS)
  .map(([code, { shape }]) => `- ${code}: ${listed(Object.keys(shape))}`)
  .join('\n');

const changing = {
  access: 'superadmin',
  gate: 'none',
  stepUp: true,
  createsValue: 'reattributes',
  summary: 'Change site settings',
  description:
    `Changes the fields in the request and returns all fields. In the sections of COMMON (${listed(SECTION_NAMES)}), fields that the ` +
    'request omits keep their values; lists and maps are replaced as a whole. Every process applies a change within a second. A change ' +
    'that increases payments to players or affiliates (rakeback, VIP levels, commission) requires a second person. Fields by ' +
    `code:\n\n${FIELDS}`,
  response: ConfigFields,
  errors: [staffValueErrors.APPROVAL_NEEDED],
} as const;

export const getPublicSettings = operation({
  method: 'GET',
  path: '/config/{code}',
  tag: 'Core',
  access: 'anonymous',
  summary: 'Get public site settings',
  params: z.object({ code: PublicConfigCode }),
  response: ConfigFields,
  handler: ({ siteConfig }: SiteConfigDeps, { params }) => siteConfig.publicView(params.code),
});

export const getSettings = operation({
  method: 'GET',
  path: '/admin/config/{code}',
  tag: 'Admin Core',
  access: 'superadmin',
  summary: 'Get site settings and their changes',
  description: 'Returns the newest 50 changes, each with the fields that differ from the previous version.',
  params: ConfigPath,
  response: SiteSettings,
  handler: async ({ db }: SiteConfigDeps, { by, params: { code } }) => {
    const rows = await db
      .selectFrom('site_config_history')
      .select(['version', 'config', 'changed_by', 'changed_at'])
      .where('code', '=', code)
      .orderBy('version', 'desc')
      .limit(MAX_CHANGES + 1)
      .execute();
    const users = await shortUsers(
      db,
      rows.map((row) => row.changed_by),
      sightOf(by.user),
    );
    const changes = rows.slice(0, MAX_CHANGES).map(({ version, config, changed_by, changed_at }, at) => {
      const [before, after] = [completed(code, rows[at + 1]?.config), completed(code, config)];
      const changed = changedFields(before, after);
      return {
        version,
        at: iso(changed_at),
        by: changed_by === null ? null : (users.get(changed_by) ?? null),
        before: pick(before, changed),
        after: pick(after, changed),
      };
    });
    return { config: completed(code, rows[0]?.config), changes };
  },
});

export const changeSettings = operation({
  ...changing,
  method: 'PATCH',
  path: '/admin/config/{code}',
  tag: 'Admin Core',
  params: ConfigPath,
  body: ConfigFields,
  handler: (deps: SiteConfigDeps, { by, params, body }) => change(deps, by, params.code, body),
});

/** In the backoffice, the code is in the request body. */
export const changeSettingsInBackoffice = operation({
  ...changing,
  method: 'PUT',
  path: '/config',
  tag: 'Config',
  body: z.strictObject({ code: ConfigCode, config: ConfigFields }),
  handler: (deps: SiteConfigDeps, { by, body }) => change(deps, by, body.code, body.config),
});

async function change(
  { db, siteConfig }: SiteConfigDeps,
  by: StaffCall,
  code: ConfigCode,
  given: Fields,
): Promise<Fields> {
  const fields = readFields(code, given);
  assertNone(stakeProblems(fields as Partial<ConfigOf<'COMMON'>>, siteConfig.currencies));
  const config = await withProposals(db, by, () => transaction(db, (tx) => write(tx, by, code, fields)));
  await siteConfig.reload();
  return config;
}

async function write(tx: Tx, by: StaffCall, code: ConfigCode, fields: Fields): Promise<Fields> {
  const first = { code, config: JSON.stringify(defaultsOf(code)), version: 0 };
  await tx
    .insertInto('site_config')
    .values(first)
    .onConflict((c) => c.doNothing())
    .execute();
  const row = await tx
    .selectFrom('site_config')
    .select(['config', 'version'])
    .where('code', '=', code)
    .forUpdate()
    .executeTakeFirstOrThrow();
  await freshActor(tx, by);
  const before = completed(code, row.config);
  const after = withChanges(before, fields, SECTION_NAMES);
  assertNone(CONFLICTS[code](after as never));
  const changed = changedFields(before, after);
  if (changed.length === 0) return after;
  const leave = await assertGiving(tx, by, code, { before, after, changed });
  const next = { version: row.version + 1, config: JSON.stringify(after) };
  await tx
    .updateTable('site_config')
    .set({ ...next, updated_at: sql<Date>`now()`, updated_by: by.user.id })
    .where('code', '=', code)
    .execute();
  await tx
    .insertInto('site_config_history')
    .values({ code, ...next, changed_by: by.user.id, changed_at: CURRENT_TIME })
    .execute();
  await sql`select pg_notify(${CHANNEL}, ${code})`.execute(tx);
  await emitChanges(tx, code, { changed, after });
  const agreed = leave ? pairOf(leave) : {};
  await recordAudit(tx, by, { before: pick(before, changed), after: { ...pick(after, changed), ...agreed } });
  return after;
}

/**
 * Rewards count a bet by the version that was valid when the bet was placed. The start of the transaction may precede bets that were counted
 * by the previous version while the change waited for a lock. A bet that is placed after this time is counted after the commit, because the
 * change has locked a row, and consumers wait for all transactions that began to write before a bet (ledger/safe-watermark.ts).
 */
const CURRENT_TIME = sql<Date>`clock_timestamp()`;

type Changing = { before: Fields; after: Fields; changed: readonly string[] };

/** Asserts that two people have approved a change that raises payments to players or affiliates. Throws the errors of assertValue. */
async function assertGiving(
  tx: Tx,
  by: StaffCall,
  code: ConfigCode,
  { before, after, changed }: Changing,
): Promise<Leave | undefined> {
  if (!givesMore(code, before, after)) return undefined;
  return assertValue(tx, { siteConfig: { lowestOfDay } }, by, {
    operation: 'config',
    input: { code, changes: JSON.stringify(pick(after, changed)) },
    usdAmount: null,
    recipients: [],
    reason: `Settings ${changed.join(', ')} of ${code}`,
  });
}

const stakeProblems = ({ minStakes }: Partial<ConfigOf<'COMMON'>>, { find }: ListedCurrencies): Problem[] =>
  minStakes ? minStakeProblems(minStakes, find) : [];

/** Parses the fields that the request contains, without the defaults that the schema adds. */
function readFields(code: ConfigCode, fields: Fields): Fields {
  const parsed = CONFIGS[code].safeParse(fields);
  if (!parsed.success) assertNone(parsed.error.issues.flatMap(problemsOf));
  const read = (parsed.data ?? {}) as Fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, given]) => [
      name,
      // The schema has added the missing fields of the section, so only the given fields are kept.
      SECTION_NAMES.includes(name) ? pick(read[name] as Fields, Object.keys(given as Fields)) : read[name],
    ]),
  );
}

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const at = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return [{ path: at, message: issue.message }];
  return issue.keys.map((key) => ({
    path: [...issue.path, key].join('.'),
    message: 'is not a field of this code',
  }));
}

/** Throws 400 VALIDATION_FAILED with the first 20 problems, if there are any. */
function assertNone(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const fields = problems.slice(0, 20).map(({ path, message }) => ({ path: path.slice(0, 200), message }));
  throw commonErrors.VALIDATION_FAILED({ fields });
}

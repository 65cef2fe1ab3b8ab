import { sql } from 'kysely';
import type { Config } from '../config/config.ts';
import type { Db } from './db.ts';

const NEEDED = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;
const NAMES = 'synchronous_standby_names';
/** Values of synchronous_commit that acknowledge before a standby has flushed the commit to disk. */
const AHEAD_OF_STANDBY: ReadonlySet<string> = new Set(['local', 'remote_write']);

export type DurabilityRules = Pick<Config, 'ALLOW_UNSAFE_DATABASE' | 'DATABASE_REPLICATION'>;

/**
 * Returns the database settings with which an acknowledged bet could be lost, either in a crash or with the loss of the primary. Each
 * message begins with the setting's name.
 */
export async function unsafeSettings(db: Db, rules: DurabilityRules): Promise<string[]> {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in (${sql.join([...NEEDED, NAMES])})`.execute(db);
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const off = rules.ALLOW_UNSAFE_DATABASE ? [] : NEEDED.filter((name) => settings.get(name) === 'off');
  return [...off.map((name) => `${name} is off: switch it on`), ...unreplicated(settings, rules)];
}

function unreplicated(
  settings: ReadonlyMap<string, string>,
  { DATABASE_REPLICATION }: DurabilityRules,
): string[] {
  const isRequired = DATABASE_REPLICATION === 'required';
  const hasStandbys = settings.get(NAMES)?.trim() !== '';
  const commit = settings.get('synchronous_commit') ?? '';
  const problems: string[] = [];
  if (isRequired && !hasStandbys)
    problems.push(
      `${NAMES} is empty, but DATABASE_REPLICATION requires a synchronous standby: set it (Patroni: synchronous_mode with synchronous_mode_strict)`,
    );
  // If standbys are configured, commits should wait for them. With `remote_write` they do wait, but data is lost if the standby's machine
  // crashes.
  const isAhead = isRequired ? AHEAD_OF_STANDBY.has(commit) : hasStandbys && commit === 'local';
  if (isAhead)
    problems.push(
      `synchronous_commit is ${commit}, which does not wait for the standby's disk: set it to on`,
    );
  return problems;
}

/** Throws when the database could lose acknowledged writes, unless the rules allow it (tests only). */
export async function assertDurable(db: Db, rules: DurabilityRules): Promise<void> {
  const unsafe = await unsafeSettings(db, rules);
  if (unsafe.length === 0) return;
  throw new Error(`The database could lose acknowledged bets: ${unsafe.join('; ')}.`);
}

import { sql } from 'kysely';
import type { Db } from '../src/platform/database/db.ts';
import { fillHistory } from './growth-world.ts';
import { createPlayers, MONEY, type Secrets } from './players.ts';
import type { Server } from './processes.ts';
import type { Account } from './protocol.ts';
import { isRead, type ReadName, readOf } from './reads.ts';

const CURRENCIES = ['USDT', 'BTC', 'ETH', 'EUR'];
const BETS_EACH = 50;

/**
 * Creates players for the measurements of reads, with money in several currencies and a year of bets. They are not test users, because the
 * live feed hides test users.
 */
export async function createReaders(
  db: Db,
  secrets: Secrets,
  { group, count }: { group: string; count: number },
): Promise<Account[]> {
  const accounts = await createPlayers(db, secrets, { group, count, currencies: CURRENCIES });
  const owners = accounts.map(({ userId }) => userId);
  await sql`update users set is_test = false where id = any(${owners}::int4[])`.execute(db);
  await fillHistory(db, { bets: BETS_EACH * count, owners, cash: MONEY });
  return accounts;
}

/** Returns a server's responses to this player's read requests. Bare Fastify must return the same responses. */
export async function answersOf(
  { port }: Server,
  { token }: Account,
  names: readonly string[],
): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const name of names.filter(isRead)) texts[name] = await ask(name);
  return texts;

  async function ask(name: ReadName): Promise<string> {
    const { path, isPublic } = readOf(name);
    const headers = isPublic ? undefined : { authorization: `Bearer ${token}` };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, headers && { headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    if (JSON.stringify(JSON.parse(text)) !== text)
      throw new Error(`${path}: Fastify would serialise it to other bytes`);
    return text;
  }
}

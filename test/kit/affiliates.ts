import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { startAccounts } from './accounts.ts';
import type { Answer, CallOptions, Player } from './app.ts';
import { giveAddress, tell, webhookOf } from './deposits.ts';
import { newcomer } from './sign-in.ts';

/** Somebody who plays: no member of staff and no test user, whose deposits bring nothing. */
export type Person = Pick<Player, 'id' | 'username' | 'call'>;

/** A code that nobody has. */
export const aCode = () => `C-${randomBytes(6).toString('hex')}`;

let addresses = 0;
/** An address that nobody has signed up from. */
export const anAddress = () => `81.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses++ & 255}`;

/** A service with people who sign up, some through others, and who pay in. */
export async function startAffiliates(env: Record<string, string> = {}) {
  const world = await startAccounts({ TRUSTED_PROXIES: '127.0.0.1', ...env });
  const { app } = world;
  const boss = await app.as('superadmin');

  const personOf = async (answer: Answer, username: string): Promise<Person> => {
    expect(answer.status, answer.text).toBe(200);
    const token = answer.body.accessToken.token as string;
    const call = <T>(method: string, path: string, o: CallOptions = {}) =>
      app.call<T>(method, path, { token, ...o });
    const me = await call<{ id: number }>('GET', '/user/me');
    return { id: me.body.id, username, call: call as Player['call'] };
  };
  /** Somebody who signs up, from an address of their own unless one is named. */
  const join = async ({
    code,
    from = anAddress(),
  }: {
    code?: string;
    from?: string;
  } = {}): Promise<Person> => {
    const user = { ...newcomer(), ...(code === undefined ? {} : { affiliateCode: code }) };
    return personOf(await world.signUp(user, { 'x-forwarded-for': from }), user.username);
  };
  const affiliate = async (from?: string): Promise<Person & { code: string }> => {
    const person = await join(from === undefined ? {} : { from });
    const code = aCode();
    const made = await person.call('POST', '/affiliate/code', { body: { id: code } });
    expect([made.status, made.body]).toEqual([201, { id: code, usersCount: 0 }]);
    return { ...person, code };
  };
  const known = new Map<number, Promise<string>>();
  /** Where somebody pays in. */
  const addressOf = (id: number): Promise<string> => {
    const address = known.get(id) ?? giveAddress(app.db, id);
    known.set(id, address);
    return address;
  };
  return {
    ...world,
    boss,
    join,
    affiliate,

    /** Settings of the programme, until the next ones. */
    async set(fields: object): Promise<void> {
      const answer = await boss.call('PATCH', '/admin/config/AFFILIATES', { body: fields });
      expect(answer.status, answer.text).toBe(200);
    },

    /** Takes out what was written in place of bets that nobody made, before the books are proven. No deposit has brought commission. */
    async forgetPlay(): Promise<void> {
      for (const table of ['referrals', 'referral_days', 'affiliates'])
        await app.sql`update ${app.sql.table(table)} set wagered_usd = 0, ggr_usd = 0, earned_usd = 0`.execute(
          app.db,
        );
      await app.sql`update affiliate_days set earned_usd = 0`.execute(app.db);
    },

    /** Somebody pays so many USDT in; answers what the provider said. */
    async payIn({ id }: Pick<Person, 'id'>, amount: string) {
      const said = webhookOf(await addressOf(id), { amount });
      expect((await tell(app, said)).status).toBe(200);
      return said;
    },

    /** The provider takes it back. */
    async takeBack(said: object): Promise<void> {
      const answer = await tell(app, { ...said, status: 'REVERSED', occurredAt: new Date().toISOString() });
      expect(answer.status).toBe(200);
    },
  };
}

import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { startAccounts } from '../accounts/accounts.ts';
import { newcomer } from '../accounts/sign-in.ts';
import { type Answer, type CallOptions, callByTwo, type Player } from '../app.ts';
import { giveAddress, tell, webhookOf } from '../money/deposits.ts';

/** A player who is neither staff nor a test user, because deposits by staff and test users earn no commission. */
export type Person = Pick<Player, 'id' | 'username' | 'call'>;

/** Returns a new affiliate code. */
export const aCode = () => `C-${randomBytes(6).toString('hex')}`;

let addresses = 0;
/** Returns a new IP address. */
export const anAddress = () => `81.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses++ & 255}`;

/** Starts a service with helpers for players who sign up, some through affiliate codes, and make deposits. */
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
  /** Signs up a new player, by default from a new IP address. */
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
  /** Returns a player's deposit address. */
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

    /** Changes settings of the affiliate program. */
    async set(fields: object): Promise<void> {
      const answer = await callByTwo(boss, 'PATCH', '/admin/config/AFFILIATES', { body: fields });
      expect(answer.status, answer.text).toBe(200);
    },

    /**
     * Removes the effects of simulated play, so that the books can be reconciled. Do not use this function if deposits have earned
     * commission.
     */
    async forgetPlay(): Promise<void> {
      for (const table of ['referrals', 'referral_days', 'affiliates'])
        await app.sql`update ${app.sql.table(table)} set wagered_usd = 0, ggr_usd = 0, earned_usd = 0`.execute(
          app.db,
        );
      await app.sql`update affiliate_days set earned_usd = 0`.execute(app.db);
    },

    /** Makes a deposit in USDT. Returns the provider's webhook. */
    async payIn({ id }: Pick<Person, 'id'>, amount: string) {
      const said = webhookOf(await addressOf(id), { amount });
      expect((await tell(app, said)).status).toBe(200);
      return said;
    },

    /** Reports that the provider reversed a deposit. */
    async takeBack(said: object): Promise<void> {
      const answer = await tell(app, { ...said, status: 'REVERSED', occurredAt: new Date().toISOString() });
      expect(answer.status).toBe(200);
    },
  };
}

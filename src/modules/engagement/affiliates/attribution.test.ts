import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { newcomer } from '../../../../test/kit/accounts/sign-in.ts';
import { PATIENCE } from '../../../../test/kit/app.ts';
import { aCode, anAddress, startAffiliates } from '../../../../test/kit/engagement/affiliates.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { aName, anEmail, stepsAt, tokenOf } from '../../../../test/kit/games/providers.ts';
import { signInAtOidc } from '../../../../test/kit/http/outside.ts';

const world = fixture(() => startAffiliates(PATIENCE));

const referralOf = (id: number) =>
  world.app.db
    .selectFrom('referrals')
    .select(['affiliate_user_id', 'code_key', 'is_held'])
    .where('user_id', '=', id)
    .executeTakeFirst();
const countOf = async (person: { call: typeof world.app.call }) =>
  (await person.call('GET', '/affiliate/me')).body.referralCount;

test("makes a new user a referral of the code's owner, regardless of the code's letter case", async () => {
  const owner = await world.affiliate();
  const [one, other] = [
    await world.join({ code: owner.code }),
    await world.join({ code: owner.code.toUpperCase() }),
  ];
  const due = { affiliate_user_id: owner.id, code_key: owner.code.toLowerCase(), is_held: false };
  expect([await referralOf(one.id), await referralOf(other.id)]).toEqual([due, due]);
  expect((await owner.call('GET', '/affiliate/code')).body).toEqual([{ id: owner.code, usersCount: 2 }]);
  expect(await countOf(owner)).toBe(2);
});

test('attributes users who sign up through an identity provider', async () => {
  const owner = await world.affiliate();
  const { signIn, setUp } = stepsAt(world.app);
  const email = anEmail();
  const visit = (url: URL) => signInAtOidc(url.href, { email, emailVerified: true });
  const token = tokenOf(await signIn('google', { visit }));
  const username = aName();
  const opened = await setUp(token, { username, email, affiliateCode: owner.code });
  expect(opened.status).toBe(201);
  const { id } = await world.app.db
    .selectFrom('users')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirstOrThrow();
  expect(await referralOf(id)).toMatchObject({ affiliate_user_id: owner.id });
});

test('ignores unknown, deleted and malformed codes at sign-up', async () => {
  const owner = await world.affiliate();
  const removed = await world.boss.call('DELETE', '/admin/affiliate/code', { body: { id: owner.code } });
  expect(removed.status).toBe(200);
  for (const code of [aCode(), owner.code, 'a code with spaces', '%', "' or 1=1"])
    expect(await referralOf((await world.join({ code })).id)).toBeUndefined();
  expect(await countOf(owner)).toBe(0);
});

test('attributes no sign-ups while the affiliate program is disabled', async () => {
  const owner = await world.affiliate();
  await world.set({ isEnabled: false });
  expect(await referralOf((await world.join({ code: owner.code })).id)).toBeUndefined();
  await world.set({ isEnabled: true });
});

test('stores no referral for a rejected sign-up', async () => {
  const owner = await world.affiliate();
  const user = { ...newcomer(), affiliateCode: owner.code };
  expect((await world.signUp(user)).status).toBe(200);
  expect(codeOf(await world.signUp({ ...user, email: anEmail() }))).toBe('409 AUTH_USER_EXISTS');
  expect(await countOf(owner)).toBe(1);
});

test('counts every one of twelve concurrent sign-ups with one code', async () => {
  const owner = await world.affiliate();
  const joined = await Promise.all(Array.from({ length: 12 }, () => world.join({ code: owner.code })));
  expect((await owner.call('GET', '/affiliate/code')).body).toEqual([{ id: owner.code, usersCount: 12 }]);
  expect(await countOf(owner)).toBe(12);
  expect((await Promise.all(joined.map(({ id }) => referralOf(id)))).every(Boolean)).toBe(true);
});

test('counts only the sign-ups that precede the concurrent deletion of a code', async () => {
  const owner = await world.affiliate();
  const remove = () => world.boss.call('DELETE', '/admin/affiliate/code', { body: { id: owner.code } });
  const joining = Array.from({ length: 8 }, () => world.join({ code: owner.code }));
  const [removed, ...joined] = await Promise.all([remove(), ...joining]);
  expect(removed.status).toBe(200);
  const referrals = (await Promise.all(joined.map(({ id }) => referralOf(id)))).filter(Boolean);
  const { users_count } = await world.app.db
    .selectFrom('affiliate_codes')
    .select('users_count')
    .where('code', '=', owner.code)
    .executeTakeFirstOrThrow();
  expect(users_count).toBe(referrals.length);
  expect(await countOf(owner)).toBe(referrals.length);
});

test('holds a referral only if it shares both the IP address and the device with the owner', async () => {
  const from = anAddress();
  const agent = { 'user-agent': `Test/${randomBytes(4).toString('hex')}` };
  const owner = await world.affiliate(from);
  const same = await world.join({ code: owner.code, from });
  expect(await referralOf(same.id)).toMatchObject({ is_held: true });
  const elsewhere = await world.join({ code: owner.code });
  expect(await referralOf(elsewhere.id)).toMatchObject({ is_held: false });
  const user = { ...newcomer(), affiliateCode: owner.code };
  const answer = await world.signUp(user, { 'x-forwarded-for': from, ...agent });
  const me = await world.app.call('GET', '/user/me', { token: answer.body.accessToken.token });
  expect(await referralOf(me.body.id)).toMatchObject({ is_held: false });
});

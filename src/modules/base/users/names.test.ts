import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newcomer } from '../../../../test/kit/accounts/sign-in.ts';
import { type Answer, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { stepsAt, tokenOf, WAYS } from '../../../../test/kit/games/providers.ts';
import { startOutside } from '../../../../test/kit/http/outside.ts';
import { reservedAs } from './names.ts';

describe('reserved names', () => {
  const BRAND = 'Lucky Star';
  test.each([
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'null',
    'undefined',
    'NaN',
    'Incognito',
    '1ncogn1to',
    'nu11',
    '_null_',
    'me',
    'all',
    'c0nstruct0r',
  ])('reserves the technical name %s', (name) => {
    expect(reservedAs(name, BRAND)).toBe('technical');
  });
  test.each([
    'admin',
    'ADMIN',
    'adm1n',
    '4dm1n',
    'admin_',
    '_admin',
    'admin7',
    'a_d_m_i_n',
    'bob_admin',
    'Admin_Bob',
    'administrator',
    'support',
    'supp0rt',
    'support_',
    'support_24',
    'SupportTeam',
    'the_real_support',
    'moderator',
    'm0d',
    'mod_anna',
    'rnoderator',
    'staff',
    'official',
    'system',
    'root',
    'r00t',
    'croupier',
    'luckystar',
    'Lucky_Star',
    '1ucky5tar',
    'luckystar_help',
    'my_lucky_star_',
    'payout_team',
    'vip_manager',
    'VIP_Host',
    'kyc_department',
    'manager',
    'AdminAnna',
    'ADMINanna',
    'CEOanna',
    'annaAdmin',
    'Adm1nAnna',
    'ADMINAnna',
    'theCEO',
    'CEO_Anna',
    'founder_bob',
    'owner',
    'TheOwner',
    'ComplianceOfficer',
    'chief_officer',
    'AML_Team',
    'head_of_payments',
    'payments_dept',
    'CustomerService',
    'customer_team',
    'TechSupport',
    'tech_desk',
    'withdraw',
    'Withdraw_Team',
    'casino_online',
    'OnlineSupport',
  ])('reserves %s, because it looks like an official account', (name) => {
    expect(reservedAs(name, BRAND)).toBe('official');
  });
  test.each([
    'boss',
    'player_one',
    'badminton',
    'modern_art',
    'root_beer',
    'smooth_operator',
    'lucky',
    'star_lucky',
    'stafford',
    'all4you',
    'nobody_here',
    'user123',
    'test_0a1b2c',
    'systemic',
    'robot',
    'team',
    'mia_2001',
    'Heather',
    'Techno',
    'TechnoViking',
    'Cairo',
    'Owen',
    'Owens_Ridge',
    'BadMinton',
    'ModernArt',
    'dog_owner',
    'HeadShot',
    'Samuel',
    'Camly',
    'Oceano',
    'Oliver',
    'OnlineHero',
    'Customs77',
    'tech',
    'Founders_Keepers',
    'Officerone',
    'Directory',
    'Frauke',
    'Ofelia',
  ])('allows %s', (name) => {
    expect(reservedAs(name, BRAND)).toBeUndefined();
  });
  test('reserves a short brand name as a separate word but not inside a word', () => {
    expect(reservedAs('win', 'Win')).toBe('official');
    expect(reservedAs('win_team', 'Win')).toBe('official');
    expect(reservedAs('winner_7', 'Win')).toBeUndefined();
    expect(reservedAs('winner_7', '★')).toBeUndefined();
  });
});

describe('rejection of reserved names', () => {
  const outside = fixture(startOutside);
  const app = fixture(() => startApp({ env: { ...outside.env, BRAND_NAME: 'Lucky Star' } }));
  const codeOf = ({ status, body }: Answer) => (status < 400 ? String(status) : `${status} ${body?.code}`);
  const RESERVED = ['admin', 'Adm1n_', '__proto__', 'constructor', 'incognito', 'LuckyStar7'];
  const REFUSED = RESERVED.map((name) => `${name}: 409 USERNAME_RESERVED`);
  const tryAll = async (attempt: (username: string) => Promise<Answer>) => {
    const seen: string[] = [];
    for (const name of RESERVED) seen.push(`${name}: ${codeOf(await attempt(name))}`);
    return seen;
  };
  const staffAccount = (username: string) => ({ username, password: 'corridor battery 9' });
  const unique = () => randomBytes(4).toString('hex');

  test('rejects a reserved name on sign-up', async () => {
    const signUp = async (username: string) =>
      app.call('POST', '/auth/sign-up', {
        body: { ...newcomer(), username },
        headers: { 'x-captcha-token': await outside.solve() },
      });
    expect(await tryAll(signUp)).toEqual(REFUSED);
    expect(codeOf(await signUp(`boss_${unique()}`))).toBe('200');
  });

  test('rejects a reserved name on setup after a sign-in with an identity provider, and keeps the setup token valid', async () => {
    const { signIn, setUp } = stepsAt(app);
    const token = tokenOf(await signIn('google', WAYS.google()));
    const { email } = newcomer();
    const refused = await tryAll((username) => setUp(token, { username, email }));
    expect(refused.slice(0, 6)).toEqual(REFUSED);
    expect(codeOf(await setUp(token, { username: `b_${unique()}`, email }))).toBe('201');
  });

  test('rejects a reserved name in a profile change, except from the user who already has the name', async () => {
    const player = await app.newPlayer();
    const rename = (username: string) => player.call('PATCH', '/user/me', { body: { username } });
    expect(await tryAll(rename)).toEqual(REFUSED);
    await app.db.updateTable('users').set({ username: 'support' }).where('id', '=', player.id).execute();
    expect(codeOf(await rename('Support'))).toBe('200');
    expect(codeOf(await rename('support_'))).toBe('409 USERNAME_RESERVED');
    expect(codeOf(await rename(player.username))).toBe('200');
  });

  test('rejects a reserved name when staff edit or create an account, unless a superadmin gives an official name', async () => {
    const player = await app.newPlayer();
    const clerk = await app.as({ permissions: ['user.write', 'staff.write'] });
    const superadmin = await app.as('superadmin');
    const edit = (by: typeof clerk) => (username: string) =>
      by.call('PATCH', `/admin/user/${player.id}`, { body: { username } });
    const appoint = (by: typeof clerk) => (username: string) =>
      by.call('POST', '/admin/user/admin-user', { body: staffAccount(username) });
    expect(await tryAll(edit(clerk))).toEqual(REFUSED);
    expect(await tryAll(appoint(clerk))).toEqual(REFUSED);
    for (const way of [edit(superadmin), appoint(superadmin)])
      for (const name of ['__proto__', 'incognito', 'undefined'])
        expect(codeOf(await way(name))).toBe('409 USERNAME_RESERVED');
    expect(codeOf(await edit(superadmin)(`support_${unique()}`))).toBe('200');
    expect(codeOf(await appoint(superadmin)(`admin_${unique()}`))).toBe('201');
  });

  test('rejects a name that differs from a staff name only in separators and look-alike letters', async () => {
    const boss = `zed${unique()}`;
    const superadmin = await app.as('superadmin');
    const appointed = await superadmin.call('POST', '/admin/user/admin-user', { body: staffAccount(boss) });
    expect(codeOf(appointed)).toBe('201');
    const player = await app.newPlayer();
    const rename = (username: string) => player.call('PATCH', '/user/me', { body: { username } });
    const signUp = async (username: string) =>
      app.call('POST', '/auth/sign-up', {
        body: { ...newcomer(), username },
        headers: { 'x-captcha-token': await outside.solve() },
      });
    for (const twin of [`zed_${boss.slice(3)}`, `Z_E_D${boss.slice(3)}_`, boss.replace('z', '2_')]) {
      expect(codeOf(await rename(twin)), twin).toBe('409 USERNAME_RESERVED');
      expect(codeOf(await signUp(twin)), twin).toBe('409 USERNAME_RESERVED');
    }
    expect(codeOf(await rename(`${boss}_fan`))).toBe('200');
  });

  test('rejects a reserved name on debug routes', async () => {
    expect(await tryAll((name) => app.call('POST', `/debug/auth/login/${name}`))).toEqual(REFUSED);
    expect(
      await tryAll((username) => app.call('POST', '/debug/user/create', { body: { username } })),
    ).toEqual(REFUSED);
  });
});

test('finds no user, role or permission with the name of an inherited object property', async () => {
  const app = await startApp();
  const superadmin = await app.as('superadmin');
  for (const name of ['__proto__', 'constructor', 'toString', 'valueOf']) {
    expect((await app.call('GET', `/user/${name}/stats`)).status, name).toBe(404);
    const body = { username: name, role: 'SUPPORT' };
    expect((await superadmin.call('PUT', '/admin/user/add-single-role', { body })).status, name).toBe(404);
    const role = { username: superadmin.username, role: name };
    expect((await superadmin.call('PUT', '/admin/user/add-single-role', { body: role })).status, name).toBe(
      400,
    );
    const rights = { permissions: [name] };
    const path = `/admin/user/${superadmin.id}/permissions`;
    expect((await superadmin.call('PUT', path, { body: rights })).status, name).toBeLessThan(500);
    const off = { withPermissions: false, withRoles: false, withNotes: false, withBalance: false };
    const search = {
      ...off,
      withStatsUsd: false,
      page: 1,
      take: 10,
      sortBy: 'id',
      sortOrder: 'asc',
      search: name,
    };
    const { status, body: found } = await superadmin.call('POST', '/admin/user/all', { body: search });
    expect([status, found.total], name).toEqual([200, 0]);
  }
  await app.stop();
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { startApp } from '../../../../test/kit/app.ts';
import { aCode, type Person, startAffiliates } from '../../../../test/kit/engagement/affiliates.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const world = fixture(() => startAffiliates());
// This app must be stopped after forgetPlay has run, because the books are reconciled when the app stops.
const backoffice = fixture(() => startApp({ part: 'backoffice', database: world.app.database }));
afterAll(() => world.forgetPlay());
const reader = fixture(() => world.app.as({ permissions: ['affiliate.read', 'user.pii'] }));

const search = (path: string, body: object, by: Pick<Person, 'call'> = reader) =>
  by.call('POST', `/admin/affiliate${path}`, { body });
const idsOf = (answer: { body: any }) => answer.body.data.map((row: { userId: number }) => row.userId);

type Played = { wagered: number; ggr?: number; earned?: number; daysAgo?: number };
/** Writes the rows that the consumer of bets would write for bets of these amounts. */
const play = (person: Person, { wagered, ggr = 0, earned = 0, daysAgo = 0 }: Played) =>
  world.app
    .sql`with d as (select ${wagered}::numeric * 1e8 as wagered, ${ggr}::numeric * 1e8 as ggr, ${earned}::numeric * 1e8 as earned,
      now() - ${daysAgo}::int * interval '1 day' as at),
    r as (update referrals set wagered_usd = wagered_usd + d.wagered, ggr_usd = ggr_usd + d.ggr, earned_usd = earned_usd + d.earned,
      last_bet_at = greatest(last_bet_at, d.at) from d where user_id = ${person.id} returning affiliate_user_id as owner),
    days as (insert into referral_days (user_id, day, affiliate_user_id, wagered_usd, ggr_usd, earned_usd)
      select ${person.id}, (at at time zone 'UTC')::date, owner, wagered, ggr, earned from r, d),
    owned as (insert into affiliate_days as a (affiliate_user_id, day, earned_usd) select owner, (at at time zone 'UTC')::date, earned from r, d
      on conflict (affiliate_user_id, day) do update set earned_usd = a.earned_usd + excluded.earned_usd)
    update affiliates set wagered_usd = wagered_usd + d.wagered, ggr_usd = ggr_usd + d.ggr, earned_usd = earned_usd + d.earned
    from r, d where user_id = r.owner`.execute(world.app.db);

let owner: Person & { code: string };
let second: string;
let people: Person[];
beforeAll(async () => {
  owner = await world.affiliate();
  second = aCode();
  expect((await owner.call('POST', '/affiliate/code', { body: { id: second } })).status).toBe(201);
  people = [];
  for (const code of [owner.code, owner.code, second, owner.code, second])
    people.push(await world.join({ code }));
  await play(people[0]!, { wagered: 30, earned: 3, ggr: 5 });
  await play(people[1]!, { wagered: 20, earned: 9, daysAgo: 29, ggr: -2 });
  await play(people[2]!, { wagered: 50_000, earned: 1, daysAgo: 31 });
  await world.payIn(people[3]!, '40');
  await world.app.db.updateTable('users').set({ is_private: true }).where('id', '=', people[1]!.id).execute();
}, 240_000);

const at = (...indexes: number[]) => indexes.map((i) => people[i]!.id);

describe("a player's referrals", () => {
  const mine = (query = '') => owner.call('GET', `/affiliate/users${query}`);
  const names = (answer: { body: any }) => answer.body.data.map((row: any) => row.user.username);

  test("lists a player's referrals in every sort order and on every page, with hidden players as Incognito", async () => {
    const all = await mine();
    expect(all.status).toBe(200);
    expect(all.body).toMatchObject({ total: 5, page: 1, take: 20, totalPages: 1 });
    expect(names(all)).toEqual([4, 3, 2, 1, 0].map((i) => (i === 1 ? 'Incognito' : people[i]!.username)));
    expect(all.body.data[4]).toEqual({
      user: { id: people[0]!.id, username: people[0]!.username, avatar: null, vipLevel: 0, isPrivate: false },
      code: owner.code,
      wageredUsdAmount: '30',
      earnedUsdAmount: '3',
      isActive: true,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(all.body.data[3].user).toEqual({
      id: null,
      username: 'Incognito',
      avatar: null,
      vipLevel: null,
      isPrivate: true,
    });
    expect(all.body.data.map((row: any) => [row.code, row.isActive])).toEqual([
      [second, false],
      [owner.code, false],
      [second, false],
      [owner.code, true],
      [owner.code, true],
    ]);
    const byWager = await mine('?sortBy=wageredUsdAmount&sortOrder=desc&take=2&page=1');
    const next = await mine('?sortBy=wageredUsdAmount&sortOrder=desc&take=2&page=2');
    expect([...names(byWager), ...names(next)].slice(0, 3)).toEqual([
      people[2]!.username,
      people[0]!.username,
      'Incognito',
    ]);
    expect([next.body.total, next.body.totalPages]).toEqual([5, 3]);
    const byEarnings = await mine('?sortBy=earnedUsdAmount&sortOrder=asc&take=1&page=5');
    expect(names(byEarnings)).toEqual(['Incognito']);
    expect((await mine('?page=9')).body).toMatchObject({ data: [], total: 5 });
    expect(codeOf(await mine('?sortBy=email'))).toBe('400 VALIDATION_FAILED');
  });

  test("determines the affiliate's level by the amount that the referrals have wagered", async () => {
    const me = await owner.call('GET', '/affiliate/me');
    expect(me.body).toEqual({
      usersWageredUsdAmount: '50050',
      referralCount: 5,
      activeReferrals: 2,
      canClaim: true,
      currentLevel: {
        id: 2,
        name: 'Level 2',
        commission: '7.5',
        minWageredUsdAmount: '50000',
        minReferralCountForClaim: 3,
      },
      nextLevel: expect.objectContaining({ id: 3 }),
    });
    await world.set({ activeDays: 31 });
    expect((await owner.call('GET', '/affiliate/me')).body.activeReferrals).toBe(3);
    await world.set({ activeDays: 30 });
    const overview = await owner.call('GET', '/affiliate/overview');
    expect(overview.body).toEqual({
      totalClaimedUsdAmount: '0',
      claimableUsdAmount: '13',
      totalWageredUsdAmount: '50050',
      referrals: 5,
    });
  });

  test('returns no referrals for a player without a code', async () => {
    const person = await world.join();
    expect((await person.call('GET', '/affiliate/users')).body).toMatchObject({ data: [], total: 0 });
    expect((await person.call('GET', '/affiliate/claims')).body).toMatchObject({ data: [], total: 0 });
    expect((await person.call('GET', '/affiliate/me')).body).toMatchObject({
      referralCount: 0,
      canClaim: false,
      currentLevel: { id: 1 },
    });
    const levels = (await person.call('GET', '/affiliate/levels')).body;
    expect(levels.map((level: any) => [level.id, level.commission])).toEqual([
      [1, '5'],
      [2, '7.5'],
      [3, '10'],
      [4, '15'],
    ]);
  });
});

describe('staff', () => {
  const of = (where: object, more: object = {}) =>
    search('/users', { where: { affiliateUserId: owner.id, ...where }, ...more });

  test('lists referrals with every filter and sort order', async () => {
    const all = await of({});
    expect([all.status, all.body.total, idsOf(all)]).toEqual([200, 5, at(4, 3, 2, 1, 0)]);
    expect(all.body.data[1]).toEqual({
      userId: people[3]!.id,
      user: expect.objectContaining({
        id: people[3]!.id,
        username: people[3]!.username,
        email: expect.stringContaining('@'),
      }),
      affiliateUserId: owner.id,
      affiliateUser: {
        id: owner.id,
        username: owner.username,
        email: expect.stringMatching(/^[^*]+@/),
        avatar: null,
        vipLevel: 0,
      },
      code: owner.code,
      wageredUsdAmount: '0',
      depositedUsdAmount: '40',
      withdrawnUsdAmount: '0',
      earnedUsdAmount: '0',
      isActive: false,
      lastBetAt: null,
      createdAt: expect.any(String),
    });
    expect(idsOf(await of({ code: second.toUpperCase() }))).toEqual(at(4, 2));
    expect(idsOf(await search('/users', { where: { code: second } }))).toEqual(at(4, 2));
    expect(idsOf(await of({ isActive: true }))).toEqual(at(1, 0));
    expect(idsOf(await of({ isActive: false }))).toEqual(at(4, 3, 2));
    expect(idsOf(await of({ search: people[2]!.username.slice(2, 12) }))).toEqual(at(2));
    expect(idsOf(await of({ search: String(people[1]!.id) }))).toEqual(at(1));
    expect(idsOf(await of({ search: 'n_' }))).toEqual(at(4, 3, 2, 1, 0));
    expect(idsOf(await of({}, { sortBy: 'wageredUsdAmount', take: 3 }))).toEqual(at(2, 0, 1));
    expect(idsOf(await of({}, { sortBy: 'earnedUsdAmount', take: 3 }))).toEqual(at(1, 0, 2));
    const joined = all.body.data.map((row: any) => row.createdAt);
    expect(idsOf(await of({ startDate: joined[3], endDate: joined[1] }))).toEqual(at(3, 2, 1));
    expect(
      idsOf(await of({ startDate: joined[3], endDate: joined[1] }, { sortBy: 'earnedUsdAmount' })),
    ).toEqual(at(1, 2, 3));
    const everybody = await search('/users', { where: {} });
    expect(everybody.body.total).toBe(5);
    expect(idsOf(await search('/users', { where: { affiliateUserId: 2_000_000_000 } }))).toEqual([]);
  });

  test('lists affiliates with every filter', async () => {
    const list = (where: object, more: object = {}) => search('', { where, ...more });
    const found = await list({ userId: owner.id });
    expect(found.status).toBe(200);
    expect(found.body.data).toEqual([
      {
        userId: owner.id,
        user: expect.objectContaining({ username: owner.username }),
        level: expect.objectContaining({ id: 2 }),
        codes: [
          { id: owner.code, usersCount: 3 },
          { id: second, usersCount: 2 },
        ],
        referralCount: 5,
        activeReferrals: 2,
        usersWageredUsdAmount: '50050',
        earnedUsdAmount: '13',
        claimableUsdAmount: '13',
        totalClaimedUsdAmount: '0',
      },
    ]);
    const other = await world.affiliate();
    await world.app.db
      .updateTable('users')
      .set({ custom_min_affiliate_level: 4 })
      .where('id', '=', other.id)
      .execute();
    const third = await world.affiliate();
    for (const [where, due] of [
      [{ username: owner.username.toUpperCase() }, [owner]],
      [{ email: `${owner.username}@MAIL.example` }, [owner]],
      [{ code: second }, [owner]],
      [{ search: owner.username.slice(1, 9) }, [owner]],
      [{ levelId: 1 }, [third]],
      [{ levelId: 2 }, [owner]],
      [{ levelId: 3 }, []],
      [{ levelId: 4 }, [other]],
      [{ levelId: 5 }, []],
      [{ minReferralCount: 5 }, [owner]],
      [{ minReferralCount: 6 }, []],
      [{ minUsersWageredUsdAmount: '50050' }, [owner]],
      [{ minUsersWageredUsdAmount: '50050.00000001' }, []],
      [{ username: 'nobody' }, []],
    ] as const) {
      expect(idsOf(await list(where)), JSON.stringify(where)).toEqual(due.map(({ id }) => id));
      const byWager = await list(where, { sortBy: 'wageredUsdAmount' });
      expect(idsOf(byWager), JSON.stringify(where)).toEqual(due.map(({ id }) => id));
    }
    expect(idsOf(await list({}, { sortBy: 'wageredUsdAmount', take: 1 }))).toEqual([owner.id]);
    expect(idsOf(await list({}))).toEqual([third.id, other.id, owner.id]);
    expect(codeOf(await list({ minUsersWageredUsdAmount: '1.123456789' }))).toBe('400 AMOUNT_OUT_OF_RANGE');
  });

  test('accepts exactly one field to find an affiliate', async () => {
    const ways = [{ userId: owner.id }, { username: owner.username }, { code: second }];
    for (const where of ways) {
      const one = await search('/find-one', { where });
      expect([one.status, one.body.referralCount]).toEqual([201, 5]);
      expect((await search('/find-one-stats', { where })).body.claimableUsdAmount).toBe('13');
      expect((await search('/find-one-extended', { where })).body).toEqual({
        earnedCommissions: '13',
        unclaimedCommissions: '13',
        userId: owner.id,
        level: expect.objectContaining({ id: 2 }),
        referrals: { total: 5, active: 2, wageredUsdAmount: '50050', depositedUsdAmount: '40' },
        user: expect.objectContaining({ id: owner.id, email: expect.stringContaining('@') }),
      });
    }
    expect(codeOf(await search('/find-one', { where: { userId: 2_000_000_000 } }))).toBe(
      '404 USER_NOT_FOUND',
    );
    expect(codeOf(await search('/find-one', { where: { username: 'nobody' } }))).toBe('404 USER_NOT_FOUND');
    expect(codeOf(await search('/find-one', { where: { code: 'nobody-s' } }))).toBe(
      '404 AFFILIATE_CODE_NOT_FOUND',
    );
    for (const where of [{}, { userId: owner.id, code: second }, { id: owner.id }])
      expect(codeOf(await search('/find-one', { where }))).toBe('400 VALIDATION_FAILED');
  });

  test('lists streamers, and lists only referrals of streamers', async () => {
    const idle = await world.join();
    for (const { id } of [owner, idle])
      await world.app.db.updateTable('users').set({ is_streamer: true }).where('id', '=', id).execute();
    const streamers = await search('/streamer', { sortBy: 'wageredUsdAmount' });
    expect([streamers.status, streamers.body.total, idsOf(streamers)]).toEqual([200, 2, [owner.id, idle.id]]);
    expect(streamers.body.data[0]).toMatchObject({
      level: { id: 2 },
      codes: [{ id: owner.code }, { id: second }],
      referralCount: 5,
      activeReferrals: 2,
      ftdCount: 1,
      depositedUsdAmount: '40',
      usersWageredUsdAmount: '50050',
      ggrUsdAmount: '3',
      earnedUsdAmount: '13',
      claimableUsdAmount: '13',
    });
    const other = await world.affiliate();
    const stranger = await world.join({ code: other.code });
    const referrals = await search('/streamer/referrals', {});
    expect([referrals.status, referrals.body.total, idsOf(referrals)]).toEqual([200, 5, at(4, 3, 2, 1, 0)]);
    expect(referrals.body.data[4]).toMatchObject({
      streamerUserId: owner.id,
      streamerUser: { id: owner.id, username: owner.username },
      ggrUsdAmount: '5',
      depositedUsdAmount: '0',
    });
    expect(idsOf(await search('/streamer/referrals', { where: { search: String(stranger.id) } }))).toEqual(
      [],
    );
    expect(idsOf(await search('/streamer/referrals', { where: { affiliateUserId: other.id } }))).toEqual([]);
    const one = await reader.call('GET', `/admin/affiliate/streamer/${owner.id}`);
    expect(one.body).toMatchObject({
      user: { id: owner.id, username: owner.username },
      level: { id: 2 },
      codes: [{ id: owner.code }, { id: second }],
    });
    expect(codeOf(await reader.call('GET', `/admin/affiliate/streamer/${other.id}`))).toBe(
      '404 USER_NOT_FOUND',
    );
  });

  test('requires affiliate.read, and user.pii for full email addresses', async () => {
    const player = await world.app.newPlayer();
    const writer = await world.app.as({ permissions: ['affiliate.pay'] });
    const paths = [
      ['', {}],
      ['/users', { where: {} }],
      ['/find-one', { where: { userId: owner.id } }],
      ['/find-one-stats', { where: { userId: owner.id } }],
      ['/find-one-extended', { where: { userId: owner.id } }],
      ['/streamer', {}],
      ['/streamer/referrals', {}],
    ] as const;
    for (const [path, body] of paths) {
      expect(codeOf(await search(path, body, world.app)), path).toBe('401 UNAUTHORIZED');
      for (const by of [player, writer])
        expect(codeOf(await search(path, body, by)), path).toBe('403 FORBIDDEN');
    }
    const masked = await world.app.as({ permissions: ['affiliate.read'] });
    const { body } = await search('', { where: { userId: owner.id } }, masked);
    expect(body.data[0].user.email).toContain('***@');
    const ofOwner = { where: { affiliateUserId: owner.id } };
    const referrals = (await search('/users', ofOwner, masked)).body.data;
    expect(referrals[0].affiliateUser.email).toContain('***@');
    const ofStreamer = (await search('/streamer/referrals', ofOwner, masked)).body.data;
    expect(ofStreamer[0].streamerUser.email).toContain('***@');
    const streamer = await masked.call('GET', `/admin/affiliate/streamer/${owner.id}`);
    expect(streamer.body.user.email).toContain('***@');
  });

  test('lists referrals without a filter in the backoffice', async () => {
    const list = (body: object) => backoffice.call('POST', '/affiliate/users', { token: reader.token, body });
    const all = await list({});
    expect([all.status, all.body.total]).toEqual([201, 6]);
    expect(idsOf(await list({ where: { code: second } }))).toEqual(at(4, 2));
  });
});

/** Commission rules: permission, precedence, and immediate effect on bets. */
import { expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { callByTwo, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newGame, newProvider } from '../../../../test/kit/games/catalogue.ts';

const app = fixture(startApp);
const staff = fixture(() => app.as('superadmin'));

const PATH = '/admin/casino/games/commission';
const NONE = { category: null, gameId: null, payload: null };
const put = (body: object, method = 'PUT') => callByTwo(staff, method, PATH, { body: { ...NONE, ...body } });
const effective = async (slug: string) => (await staff.call('GET', `${PATH}/effective?slug=${slug}`)).body;

test('applies the next more general rule when a rule is removed, as in the documented example', async () => {
  const provider = await newProvider(app);
  const game = await newGame(app, { provider_id: provider.id, categories: ['SLOTS', 'CRASH'] });
  const other = await newGame(app, { provider_id: provider.id, categories: ['LIVE'] });
  const key = { providerId: provider.id };
  const rules = [
    [{ ...key }, '4.5', 'PROVIDER'],
    [{ ...key, category: 'SLOTS' }, '3.5', 'PROVIDER_CATEGORY'],
    [{ ...key, gameId: game.id }, '2', 'PROVIDER_GAME'],
    [{ ...key, gameId: game.id, category: 'CRASH' }, '1.5', 'PROVIDER_CATEGORY_GAME'],
  ] as const;
  const edges = () => [game, other].map(({ id }) => app.services.commission.edgePpmOf(id));
  expect(await effective(game.slug)).toEqual({
    slug: game.slug,
    ggrPercent: '4',
    match: 'TYPE_DEFAULT',
    rule: null,
    explanation: expect.any(String),
  });
  for (const [of, ggrPercent, match] of rules) {
    const { status, body } = await put({ ...of, ggrPercent });
    expect([status, body.ggrPercent, body.id]).toEqual([200, ggrPercent, expect.any(String)]);
    expect(await effective(game.slug)).toMatchObject({ match, ggrPercent, rule: body });
    expect(edges()).toEqual([Number(ggrPercent) * 10_000, 45_000]);
  }
  for (const [of] of rules.toReversed()) {
    const { match } = await effective(game.slug);
    expect(match).toBe(rules.find(([one]) => one === of)![2]);
    const { status, text } = await callByTwo(staff, 'DELETE', PATH, { body: of });
    expect([status, text]).toEqual([200, '']);
  }
  expect(edges()).toEqual([40_000, 40_000]);
  expect((await effective('dice')).ggrPercent).toBe('1');
});

test('updates, finds and lists a rule, and writes the previous values of the rule to the audit log', async () => {
  const provider = await newProvider(app);
  const game = await newGame(app, { provider_id: provider.id });
  const key = { providerId: provider.id };
  const first = (await put({ ...key, ggrPercent: '0.0001', payload: { contract: 7 } })).body;
  expect(first).toEqual({
    ...NONE,
    ...key,
    ggrPercent: '0.0001',
    payload: { contract: 7 },
    id: expect.any(String),
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: first.createdAt,
  });
  await put({ ...key, gameId: game.id, ggrPercent: '3' });
  await put({ ...key, category: 'LIVE', ggrPercent: '4' });
  const { status, body } = await put({ ...key, ggrPercent: '100' }, 'PATCH');
  expect([status, body.ggrPercent, body.payload, body.id]).toEqual([200, '100', null, first.id]);
  expect((await staff.call('GET', `${PATH}/${first.id}`)).body).toEqual(body);
  const found = async (query: string) => {
    const page = (await staff.call('GET', `${PATH}?providerId=${provider.id}${query}`)).body;
    return [page.total, page.data.map((rule: { ggrPercent: string }) => rule.ggrPercent)];
  };
  expect(await found('')).toEqual([3, ['100', '3', '4']]);
  expect(await found('&category=null&gameId=null')).toEqual([1, ['100']]);
  expect(await found('&category=LIVE')).toEqual([1, ['4']]);
  expect(await found(`&gameId=${game.id}`)).toEqual([1, ['3']]);
  expect(await found('&take=2&page=2')).toEqual([3, ['4']]);
  const audit = await app.db
    .selectFrom('admin_audit')
    .select(['before', 'after'])
    .where('status_code', '=', 200)
    .where('method', '=', 'PATCH')
    .execute();
  expect(audit).toMatchObject([{ before: { ggrPercent: '0.0001' }, after: { ggrPercent: '100' } }]);
});

test('rejects invalid rules', async () => {
  const [one, two] = [await newProvider(app), await newProvider(app)];
  const game = await newGame(app, { provider_id: two.id });
  const body = { providerId: one.id, ggrPercent: '1' };
  expect(codeOf(await put({ ...body, providerId: 999_999 }))).toBe('404 PROVIDER_NOT_FOUND');
  for (const gameId of [999_999, game.id])
    expect(codeOf(await put({ ...body, gameId }))).toBe('404 GAME_NOT_FOUND');
  expect(codeOf(await put(body, 'PATCH'))).toBe('404 COMMISSION_NOT_FOUND');
  expect((await put(body)).status).toBe(200);
  expect(codeOf(await put(body))).toBe('409 COMMISSION_EXISTS');
  for (const other of [{ category: 'LIVE' }, { gameId: game.id }, { providerId: two.id }])
    expect(codeOf(await put({ ...body, ...other }, 'PATCH'))).toBe('404 COMMISSION_NOT_FOUND');
  const removal = { body: { providerId: two.id } };
  expect(codeOf(await callByTwo(staff, 'DELETE', PATH, removal))).toBe('404 COMMISSION_NOT_FOUND');
  for (const id of ['999999', 'x'])
    expect(codeOf(await staff.call('GET', `${PATH}/${id}`))).toBe('404 COMMISSION_NOT_FOUND');
  expect(codeOf(await staff.call('GET', `${PATH}/effective?slug=none`))).toBe('404 GAME_NOT_FOUND');
  for (const wrong of ['-1', '101', '1.23456', 'x', ''])
    expect(codeOf(await put({ ...body, ggrPercent: wrong }))).toBe('400 VALIDATION_FAILED');
  expect(codeOf(await put({ ...body, category: 'NONE' }))).toBe('400 VALIDATION_FAILED');
  expect(() => app.services.commission.edgePpmOf(999_999)).toThrow('is not known');
});

test('allows only one current rule for each combination of provider, category and game', async () => {
  const { id } = await newProvider(app);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => put({ providerId: id, ggrPercent: '2' })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  // Another call may already have executed the proposal of this call.
  const others = ['COMMISSION_EXISTS', 'APPROVAL_NEEDED'];
  expect(answers.filter(({ body }) => others.includes(body?.code))).toHaveLength(7);
});

test('requires separate permissions to read and to change rules', async () => {
  const reader = await app.as({ permissions: ['casino.read'] });
  const body = { ...NONE, providerId: 0, ggrPercent: '1' };
  for (const method of ['PUT', 'PATCH'])
    expect(codeOf(await reader.call(method, PATH, { body }))).toBe('403 FORBIDDEN');
  expect(codeOf(await reader.call('DELETE', PATH, { body: { providerId: 0 } }))).toBe('403 FORBIDDEN');
  expect((await reader.call('GET', PATH)).status).toBe(200);
  const player = await app.newPlayer();
  for (const path of ['', '/effective?slug=dice', '/1'])
    expect(codeOf(await player.call('GET', PATH + path))).toBe('403 FORBIDDEN');
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../../../../test/kit/app.ts';
import { DIALECTS, gameProviders } from '../../../../../../test/kit/games/game-providers.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const rows = () =>
  app.db
    .selectFrom('game_providers')
    .select(['id', 'slug', 'name', 'origin_name', 'prefix', 'blocked_countries'])
    .where('slug', 'in', DIALECTS)
    .orderBy('id')
    .execute();

test('stores each provider once, keeps names set by staff and updates configured fields', async () => {
  const providers = gameProviders();
  await Promise.all([providers.sync(app.db), gameProviders().sync(app.db)]);
  const first = await rows();
  expect(new Set(first.map(({ slug }) => slug))).toEqual(new Set(DIALECTS));
  for (const { id, slug } of first) expect(providers.get(slug).id).toBe(id);
  await app.db.updateTable('game_providers').set({ name: 'Hub' }).where('slug', '=', 'hub88').execute();
  const change = { hub88: { name: 'Other', prefix: 'h', blockedCountries: ['US'] } };
  await gameProviders({ change }).sync(app.db);
  expect((await rows()).find(({ slug }) => slug === 'hub88')).toMatchObject({
    name: 'Hub',
    origin_name: 'Games of hub88',
    prefix: 'h',
    blocked_countries: ['US'],
  });
  expect((await rows()).map(({ id }) => id)).toEqual(first.map(({ id }) => id));
});

test('returns no provider that is not configured', () => {
  const providers = gameProviders();
  expect(providers.find('nobody')).toBeUndefined();
  for (const slug of ['nobody', 'constructor', ''])
    expect(() => providers.get(slug)).toThrow(
      expect.objectContaining({ status: 404, code: 'PROVIDER_NOT_FOUND' }),
    );
});

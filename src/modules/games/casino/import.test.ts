/** Imports of providers' game lists into the catalogue. */
import { beforeEach, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { changeGame, newProvider } from '../../../../test/kit/games/catalogue.ts';
import { silentLog } from '../../../platform/observability/log.ts';
import { listWaiting } from '../../../platform/queue/waiting.ts';
import type { SupplierGame } from '../seamless-wallet/providers/provider.ts';
import { createHydration, HYDRATE_JOB } from './import.ts';

const app = fixture(startApp);
let slug = '';
let providerId = 0;
beforeEach(async () => {
  const made = await newProvider(app, { prefix: 'fw' });
  [slug, providerId] = [made.slug, made.id];
});

const listed = (code: string, more: Partial<SupplierGame> = {}): SupplierGame => ({
  code,
  name: `${slug} ${code}`,
  type: 'SLOTS',
  categories: ['SLOTS'],
  images: [`https://img.example/${code}.webp`],
  currencies: null,
  blockedCountries: [],
  description: 'A game.',
  rtp: 96,
  volatility: 'LOW',
  maxWinMultiplier: 100,
  hasDemo: true,
  hasFreeSpins: false,
  ...more,
});
const list = (n: number, more: Partial<SupplierGame> = {}) =>
  Array.from({ length: n }, (_, i) => listed(`code-${i}`, more));
const hydrate = (games: readonly SupplierGame[]) => app.services.hydration.hydrate(slug, games);
const stored = () =>
  app.db.selectFrom('games').selectAll().where('provider_id', '=', providerId).orderBy('id').execute();
const game = async (code: string) => (await stored()).find((one) => one.external_code === code)!;
const DONE = { added: 0, refreshed: 0, hidden: 0, short: false };

test('inserts a new game with all fields and its own slug', async () => {
  const more = { categories: ['CRASH', 'SLOTS'], currencies: ['USDT'], blockedCountries: ['DE'] };
  expect(await hydrate([listed('a', more)])).toEqual({ ...DONE, added: 1 });
  expect(await game('a')).toMatchObject({
    slug: `fw-${slug}-a`,
    name: `${slug} a`,
    type: 'SLOTS',
    categories: ['CRASH', 'SLOTS'],
    tags: [],
    images: ['https://img.example/a.webp'],
    custom_images: [],
    currencies: ['USDT'],
    blocked_countries: ['DE'],
    enabled: true,
    provider_name: `Provider ${slug}`,
    removed_at: null,
    facts: {
      description: 'A game.',
      rtp: 96,
      volatility: 'LOW',
      maxWinMultiplier: 100,
      hasDemo: true,
      hasFreeSpins: false,
    },
  });
  const shown = app.services.catalogue.state.now().bySlug.get(`fw-${slug}-a`);
  expect(shown?.code).toBe('a');
});

test("updates only the supplier's fields of a known game and keeps staff changes", async () => {
  await hydrate([listed('a')]);
  const { id, changed_in } = await game('a');
  const ofStaff = {
    name: 'Ours',
    categories: ['CRASH'],
    tags: ['hot'],
    enabled: false,
    staff_rtp: '94.000',
    custom_images: ['/mine.webp'],
  };
  await changeGame(app, id, ofStaff);
  const news = {
    name: 'Theirs',
    categories: ['LIVE'],
    images: ['https://img.example/new.webp'],
    currencies: ['BTC'],
    blockedCountries: ['AT'],
    description: 'Another text.',
    rtp: 95,
    volatility: 'HIGH',
    maxWinMultiplier: 7,
    hasDemo: false,
    hasFreeSpins: true,
  } as const;
  expect(await hydrate([listed('a', news)])).toEqual({ ...DONE, refreshed: 1 });
  const after = await game('a');
  expect(after).toMatchObject({
    ...ofStaff,
    slug: `fw-${slug}-a`,
    images: news.images,
    currencies: news.currencies,
    blocked_countries: news.blockedCountries,
    facts: {
      description: 'A game.',
      rtp: 95,
      volatility: 'HIGH',
      maxWinMultiplier: 100,
      hasDemo: false,
      hasFreeSpins: true,
    },
  });
  expect(after.changed_in).not.toBe(changed_in);
  // Importing the same list again writes nothing.
  expect(await hydrate([listed('a', news)])).toEqual(DONE);
  expect((await game('a')).changed_in).toBe(after.changed_in);
});

test('hides a game that is missing from two consecutive lists, and shows it again when the next list contains it', async () => {
  const [all, others] = [list(10), list(9)];
  await hydrate(all);
  const hidden = async () => (await game('code-9')).removed_at !== null;
  expect([(await hydrate(others))?.hidden, await hidden()]).toEqual([0, false]);
  expect([await hydrate(all), await hidden()]).toEqual([{ ...DONE, refreshed: 1 }, false]);
  // The two lists without the game are not consecutive, so the count starts at zero again.
  expect([(await hydrate(others))?.hidden, await hidden()]).toEqual([0, false]);
  expect([(await hydrate(others))?.hidden, await hidden()]).toEqual([1, true]);
  const { removed_at } = await game('code-9');
  expect(await hydrate(others)).toEqual(DONE);
  expect((await game('code-9')).removed_at).toEqual(removed_at);
  expect([await hydrate(all), await hidden()]).toEqual([{ ...DONE, refreshed: 1 }, false]);
});

describe('a list with less than four fifths of the games of the last list', () => {
  test('changes nothing, and creates at most one finding per day for short lists', async () => {
    await hydrate(list(10));
    for (let i = 0; i < 2; i++)
      expect(await hydrate([...list(7, { rtp: 1 })])).toEqual({ ...DONE, short: true });
    expect(await hydrate([])).toEqual({ ...DONE, short: true });
    for (const { missed_lists, facts } of await stored())
      expect([missed_lists, facts]).toEqual([0, expect.objectContaining({ rtp: 96 })]);
    const found = await app.db
      .selectFrom('provider_findings')
      .select(['kind', 'status', 'facts'])
      .where('provider_id', '=', providerId)
      .execute();
    expect(found).toEqual([{ kind: 'SHORT_LIST', status: 'OPEN', facts: { codes: 7, before: 10 } }]);
  });

  test('accepts a list with exactly four fifths of the games, and compares the next list with this number', async () => {
    await hydrate(list(10));
    expect((await hydrate(list(8)))?.short).toBe(false);
    expect((await hydrate(list(7)))?.short).toBe(false);
    expect((await hydrate(list(5)))?.short).toBe(true);
  });
});

test('stores every game and slug once when lists arrive concurrently', async () => {
  const same = Array.from({ length: 50 }, (_, i) => listed(`c${i}`, { name: 'Same' }));
  const done = await Promise.all([hydrate(same), hydrate(same), hydrate(same)]);
  expect(done.map((one) => one?.added).toSorted((a, b) => a! - b!)).toEqual([0, 0, 50]);
  const slugs = (await stored()).map((one) => one.slug);
  expect(new Set(slugs).size).toBe(50);
  expect(slugs).toContain('fw-same');
  expect(slugs).toContain('fw-same-50');
});

test('skips duplicate or empty codes, empty names and unknown categories', async () => {
  const odd = [
    listed('a', { name: 'First\0' }),
    listed('a', { name: 'Second' }),
    listed('', { name: 'No code' }),
    listed('b', { name: ' \0 ' }),
    listed('c', { categories: ['NONE'], name: '\ud800 Live', type: 'EVO_GAME' }),
  ];
  expect(await hydrate(odd)).toEqual({ ...DONE, added: 2 });
  expect((await stored()).map(({ external_code, categories }) => [external_code, categories])).toEqual([
    ['a', ['SLOTS']],
    ['c', ['LIVE_CASINO']],
  ]);
});

test('changes nothing for an unknown provider', async () => {
  expect(await app.services.hydration.hydrate('nobody', list(1))).toBeUndefined();
});

test('stores 20,000 games from one list, and changes nothing when the list is imported again', async () => {
  const many = list(20_000);
  expect(await hydrate(many)).toEqual({ ...DONE, added: 20_000 });
  expect(await hydrate(many)).toEqual(DONE);
}, 240_000);

test('imports games from other suppliers when one supplier does not respond', async () => {
  const other = await newProvider(app);
  const suppliers = () => [
    { slug: other.slug, list: () => Promise.reject(new Error('not now')) },
    { slug, list: async () => list(2) },
  ];
  const { db, catalogue } = app.services;
  await createHydration({ db, suppliers, reload: catalogue.state.reload, log: silentLog }).run();
  expect(await stored()).toHaveLength(2);
});

test('fails the job, but reports no supplier error, when the database is unavailable', async () => {
  const told: string[] = [];
  const log = { ...silentLog, error: (_: object, text: string) => told.push(text) };
  const { catalogue } = app.services;
  const away = Object.assign(new Error('Connection terminated'), { code: '57P01' });
  const reload = () => Promise.reject(away);
  const suppliers = () => [{ slug, list: async () => list(1) }];
  const { db } = app.services;
  await expect(createHydration({ db, suppliers, reload, log }).run()).rejects.toBe(away);
  expect(told).toEqual([]);
  const broken = () => Promise.reject(new Error('not ours'));
  await createHydration({ db, suppliers, reload: broken, log }).run();
  expect(told).toEqual(['game import failed']);
  await catalogue.state.reload();
});

describe('POST /admin/casino/games/hydrate', () => {
  const path = '/admin/casino/games/hydrate';

  test('makes the import job due immediately and writes an audit log entry', async () => {
    const due = async () => (await listWaiting(app.db, HYDRATE_JOB, 2)).length;
    expect(await due()).toBe(0);
    const staff = await app.as({ permissions: ['casino.write'] });
    const answer = await staff.call('POST', path);
    expect([answer.status, answer.text]).toEqual([201, '']);
    expect(await due()).toBe(1);
    const rows = await app.db
      .selectFrom('admin_audit')
      .select('path')
      .where('user_id', '=', staff.id)
      .execute();
    expect(rows).toEqual([{ path }]);
  });

  test('requires the permission', async () => {
    const reader = await app.as({ permissions: ['casino.read'] });
    expect(codeOf(await reader.call('POST', path))).toBe('403 FORBIDDEN');
  });
});

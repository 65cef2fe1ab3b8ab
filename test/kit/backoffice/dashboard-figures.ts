/** Compares every dashboard response with the simple model (dashboard-model.ts). */
import { expect } from 'vitest';
import type { Player, TestApp } from '../app.ts';
import { type Facts, modelOf, type Span } from './dashboard-model.ts';
import { factsOf } from './dashboard-world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type Model = ReturnType<typeof modelOf>;
type Row = Record<string, any>;
type Compared = { current: Row; previous: Row };

const both = ({ current, previous }: Compared, shown: (row: Row) => unknown) => ({
  current: shown(current),
  previous: shown(previous),
});
const byKey = (rows: readonly Row[]) => rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
const keyOf = ({ direction, currencyId, networkId }: Row) => [direction, currencyId, networkId].join(' ');
const shownGames = (rows: readonly Row[]) =>
  rows.map(({ game, betCount, turnoverUsd, ggrUsd }) => ({ slug: game.slug, betCount, turnoverUsd, ggrUsd }));
const shownUsers = (rows: readonly Row[]) => rows.map(({ userId, usdAmount }) => ({ userId, usdAmount }));

/** Periods of whole days or with additional hours, in UTC and in other time zones, some in one currency. */
const COMPARED: readonly { days: readonly [from: number, until: number]; hours?: number; query: Row }[] = [
  { days: [30, 0], query: {} },
  { days: [12, 5], hours: 7, query: { timezone: 'America/New_York', currencyId: 'BTC' } },
  { days: [20, 3], hours: 18.5, query: { timezone: 'Asia/Kolkata', currencyId: 'USDT' } },
  { days: [2, 0], hours: 3, query: { timezone: 'Europe/Malta' } },
];

const CHARTS: readonly { timeRange: string; timeGroup: string; span: (today: number) => Span }[] = [
  { timeRange: 'TODAY', timeGroup: 'HOUR', span: (today) => ({ from: today, until: today + DAY }) },
  { timeRange: 'YESTERDAY', timeGroup: 'HOUR', span: (today) => ({ from: today - DAY, until: today }) },
  {
    timeRange: 'LAST_7_DAYS',
    timeGroup: 'DAY',
    span: (today) => ({ from: today - 6 * DAY, until: today + DAY }),
  },
  {
    timeRange: 'LAST_30_DAYS',
    timeGroup: 'WEEK',
    span: (today) => ({ from: today - 29 * DAY, until: today + DAY }),
  },
];

const FILTERS: readonly [query: string, games: (facts: Facts) => number[] | undefined][] = [
  ['', () => undefined],
  [
    '&gameCategory=LIVE_CASINO',
    ({ games }) => idsOf(games.filter(({ category }) => category === 'LIVE_CASINO')),
  ],
  [
    '&providerSlugs=acme&providerSlugs=bravo',
    ({ games }) => idsOf(games.filter(({ provider }) => provider === 'acme' || provider === 'bravo')),
  ],
  ['&gameSlug=acme-1', ({ games }) => idsOf(games.filter(({ slug }) => slug === 'acme-1'))],
  ['&gameName=BRAVO', ({ games }) => idsOf(games.filter(({ name }) => name.startsWith('bravo')))],
];
const idsOf = (games: readonly { id: number }[]) => games.map(({ id }) => id);

/** Requests all figures and compares them with the model. With `isBrief`, requests only some of them. */
export async function expectFigures(app: TestApp, staff: Player, { isBrief = false } = {}): Promise<void> {
  const facts = await factsOf(app);
  const model = modelOf(facts);
  const get = async (path: string) => {
    const { status, body, text } = await staff.call('GET', `/admin/${path}`);
    expect(status, `${path}: ${text}`).toBe(200);
    return body;
  };
  for (const asked of isBrief ? COMPARED.slice(0, 2) : COMPARED) await expectCompared(get, model, asked);
  for (const [i, chart] of CHARTS.entries()) {
    const filters = isBrief ? [] : [FILTERS[0]!, FILTERS[i + 1]!];
    await expectCharts(get, { facts, model, filters }, chart);
  }
}

type Get = (path: string) => Promise<any>;

async function expectCompared(
  get: Get,
  model: Model,
  { days: [from, until], hours = 0, query }: (typeof COMPARED)[number],
) {
  const today = Math.floor(Date.now() / DAY) * DAY;
  const at = (before: number) => today - before * DAY + hours * HOUR;
  const span = { from: Math.floor(at(from) / HOUR) * HOUR, until: Math.floor(at(until) / HOUR) * HOUR };
  const { timezone: zone = 'UTC', currencyId } = query;
  const name = (params: Row = {}) =>
    new URLSearchParams({
      startDate: new Date(at(from)).toISOString(),
      endDate: new Date(at(until)).toISOString(),
      ...query,
      ...params,
    });
  const ask = (route: string, params: Row = {}) => get(`dashboard/${route}?${name(params)}`);
  const now = Date.now();

  expect(await ask('overview'), `overview ${name()}`).toEqual(model.overview(span, currencyId));
  for (const group of ['HOUR', 'DAY', 'WEEK', 'MONTH'])
    expect(await ask('revenue', { timeGroup: group }), `revenue by ${group} ${name()}`).toEqual(
      model.revenue(span, { group, zone, currencyId }),
    );
  const payments = await ask('payments');
  expect(
    both(payments, (rows) => byKey(rows as Row[])),
    `payments ${name()}`,
  ).toEqual(both(model.payments(span, currencyId) as unknown as Compared, (rows) => byKey(rows as Row[])));
  expect(await ask('users'), `users ${name()}`).toEqual(model.users(span, { zone, currencyId, now }));
  const games = await ask('games', { take: '3' });
  expect(
    both(games, ({ top, worst }) => ({ top: shownGames(top), worst: shownGames(worst) })),
    `games ${name()}`,
  ).toEqual(model.games(span, 3));
  const users = await ask('top-users', { take: '4' });
  const ranked = (rankings: Row) =>
    Object.fromEntries(Object.entries(rankings).map(([of, rows]) => [of, shownUsers(rows)]));
  expect(both(users, ranked), `top-users ${name()}`).toEqual(model.topUsers(span, 4, currencyId));
}

async function expectCharts(
  get: Get,
  { facts, model, filters }: { facts: Facts; model: Model; filters: typeof FILTERS },
  { timeRange, timeGroup, span: spanOn }: (typeof CHARTS)[number],
) {
  const span = spanOn(Math.floor(Date.now() / DAY) * DAY);
  const preset = `timeRange=${timeRange}&timeGroup=${timeGroup}`;
  const dates = `&startDate=${new Date(span.from).toISOString()}&endDate=${new Date(span.until).toISOString()}`;
  expect(await get(`dashboard-v2/main/stats?${preset}`), preset).toEqual(model.main(span, timeGroup));
  const ask = (route: string, asked: string) => get(`dashboard-v2/${route}?${asked}`);
  for (const [filter, gamesOf] of filters) {
    const games = gamesOf(facts);
    const asked = preset + dates + filter;
    const series = model.gameSeries(span, timeGroup, games);
    const { ngr, ...types } = shownTypes(model.gameTypes(span, games)) as Row;
    const rows = model.gameRows(span, games);
    expect(await ask('query/bets-by-type', asked), asked).toEqual(series);
    expect(shownTypes(await ask('query/games-by-type', asked)), asked).toEqual({ ...types, ngr });
    expect(await ask('query/games-by-slug', asked), asked).toEqual(rows);
    expect(shownTypes(await ask('game/stats', asked)), asked).toEqual({ ...series, ...types, ...rows });
  }
  // A custom range returns the same figures as the equivalent preset.
  const own = `timeRange=CUSTOM&timeGroup=${timeGroup}${dates}`;
  for (const asked of [preset + dates, own]) {
    expect(await ask('query/payments', asked), asked).toEqual(model.paymentStats(span, timeGroup));
    expect(await ask('query/registrations', asked), asked).toEqual(model.registrationStats(span, timeGroup));
  }
}

/** Sorts the slices of a pie, because they have no defined order. */
const shownTypes = (answer: Row) => {
  const sorted = (slices: readonly Row[]) => slices.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return {
    ...answer,
    gameTypeMarginPie: sorted(answer.gameTypeMarginPie),
    gameTypeTurnoverPie: sorted(answer.gameTypeTurnoverPie),
  };
};

/** Compares our transactions with those of the sandbox, which supports all four dialects. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Player, startApp, type TestApp } from '../../../../../../test/kit/app.ts';
import { type Outside, startOutside } from '../../../../../../test/kit/http/outside.ts';
import { sandboxProviders } from '../../../../../platform/config/settings/sandbox-game-providers.ts';
import { transaction } from '../../../../../platform/database/db.ts';
import { formatUnits } from '../../../../../platform/money.ts';
import { differencesIn, findingOf } from './compare.ts';
import { addFindings } from './queries.ts';

let sandbox: Outside;
let app: TestApp;
beforeAll(async () => {
  sandbox = await startOutside();
  // The test deletes rows of the platform, so reconcile would find differences.
  app = await startApp({
    reconcileOnStop: false,
    env: { GAME_PROVIDERS: JSON.stringify(sandboxProviders(sandbox.url)) },
  });
  sandbox.setApi(app.url);
  for (const { id, slug } of app.services.gameProviders.all)
    await app.db
      .insertInto('games')
      .values({
        slug: `${slug}-slot`,
        name: slug,
        type: 'SLOTS',
        external_code: 'seven-orchards',
        provider_id: id,
      })
      .execute();
  await app.services.catalogue.state.reload();
});
afterAll(async () => {
  await app.stop();
  await sandbox.close();
});

const ask = async (path: string, body?: object) => {
  const answer = await fetch(`${sandbox.url}${path}`, {
    method: body ? 'POST' : 'GET',
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const said = await answer.json();
  expect(answer.status, JSON.stringify(said)).toBe(200);
  return said as any;
};

type Entry = { id: string; type: string; round: string; state: string; player: string };
const bookOf = async (book: string, player: Player): Promise<Entry[]> =>
  (await ask('/games/books')).books[book].transactions.filter(
    (one: Entry) => one.player === String(player.id),
  );

/** Returns a player who has played a script in which every step succeeded. */
async function play(slug: string, script: string): Promise<Player> {
  const player = await app.newPlayer({ usdt: 1000 });
  const body = { currencyId: 'USDT' };
  const launched = await player.call('POST', `/casino/games/${slug}-slot/launch`, { body });
  expect(launched.status, launched.text).toBe(201);
  const { id } = (await ask('/games/sessions')).find(({ player: of }: Entry) => of === String(player.id));
  const said = await ask('/games/script', { session: id, script });
  expect(said.filter(({ kind }: { kind: string }) => kind !== 'done')).toEqual([]);
  return player;
}

const MINUTE = 60_000;
const differences = async (slug: string) => {
  const provider = app.services.gameProviders.get(slug);
  const now = Date.now();
  const window = { from: new Date(now - 10 * MINUTE), to: new Date(now + 10 * MINUTE) };
  return differencesIn(app.services, provider, window, new Date(now));
};
const find = async (slug: string) =>
  new Set((await differences(slug)).map(({ kind, subject }) => `${kind} ${subject}`));

const closing = (slug: string, n: number) => (slug === 'sandbox-pragmatic' ? `, end @${n}` : ' !');

describe.each([
  ['generic', 'sandbox', 'f9 3, j9 4'],
  ['hub88', 'sandbox-hub88', 'b9 10 free @9, w9>b9 3 free @9 !'],
  ['softswiss', 'sandbox-softswiss', 'f9 3'],
  ['pragmatic', 'sandbox-pragmatic', 'f9 3, j9 4, p9 2, a9 -1, b9 10 free @9, w9>b9 3 free @9, end @9'],
])('%s', (book, slug, special) => {
  const round = (n: number) => `b${n} 10 @${n}, w${n}>b${n} 5 @${n}${closing(slug, n)}`;

  test('reports each difference that the test planted, and nothing else', async () => {
    const rounds = [1, 2, 3, 4, 5, 6].map(round);
    const player = await play(slug, [...rounds, 'b8 10 @8', 'b7 10 @7, x>b7 @7', special].join(', '));
    expect(await find(slug)).toEqual(new Set());

    const entries = await bookOf(book, player);
    const bets = entries.filter(({ type }) => type === 'BET');
    const winOf = ({ round: of }: Entry) => entries.find((one) => one.type === 'WIN' && one.round === of)!;
    const [, lost, changed, undone, missing, open] = bets as [Entry, Entry, Entry, Entry, Entry, Entry];
    const plant = (one: Entry, more: object) =>
      ask('/games/books', { book, id: one.id, type: one.type, ...more });
    await plant(lost, { remove: true });
    await plant(winOf(changed), { amount: '6' });
    await plant(winOf(undone), { state: 'UNDONE' });
    await sql`delete from provider_transactions where transaction_id = ${winOf(missing).id}`.execute(app.db);
    await sql`update provider_rounds set status = 'OPEN' where round_ref = ${open.round}`.execute(app.db);
    expect(await find(slug)).toEqual(
      new Set([
        `MISSING_THERE ${lost.id}`,
        `AMOUNT ${winOf(changed).id}`,
        `STATE ${winOf(undone).id}`,
        `MISSING_HERE ${winOf(missing).id}`,
        `OPEN_HERE ${player.id}:${open.round}`,
      ]),
    );
  });
});

test('never lets staff book a bet if the report does not show whether the bet was free', async () => {
  const slug = 'sandbox-pragmatic';
  const player = await play(slug, 'b1 10 free, w1>b1 4, end, b2 10 free @2, w2>b2 0 @2');
  const [bet] = await bookOf('pragmatic', player);
  await sql`delete from provider_transactions where transaction_id = ${bet!.id}`.execute(app.db);
  const { id: providerId } = app.services.gameProviders.get(slug);
  const found = (await differences(slug)).filter(({ subject }) => subject === bet!.id);
  await transaction(app.db, (tx) => addFindings(tx, found.map(findingOf(providerId))));
  const staff = await app.as({ permissions: ['casino.read', 'casino.write', 'casino.pay'] });
  const { body } = await staff.call('GET', `/admin/casino/findings?userId=${player.id}`);
  expect(body.data).toMatchObject([
    { kind: 'MISSING_HERE', facts: { theirs: { isFree: null, amount: '10' } } },
  ]);
  const refused = await staff.call('POST', `/admin/casino/findings/${body.data[0].id}/apply`);
  expect([refused.status, refused.body.code]).toEqual([409, 'FINDING_MAY_BE_FREE']);
  const { cash } = await app.db
    .selectFrom('wallets')
    .select('cash')
    .where('user_id', '=', player.id)
    .where('currency_id', '=', 'USDT')
    .executeTakeFirstOrThrow();
  expect(formatUnits(cash)).toBe('1004');
});

import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { keepSeeds } from '../../../../../test/kit/games/speed-roulette.ts';
import { startOutside } from '../../../../../test/kit/http/outside.ts';

const outside = fixture(startOutside);
const app = fixture(() => startApp({ env: { ...outside.env, SPEED_ROULETTE_CHAIN_LENGTH: '3' } }));

const chains = async () => (await app.call('GET', '/fairness/chains')).body;
const keep = () => app.services.speedRoulette.keepChains();
const complaints = () => app.lines.filter((line) => line.includes('speed-roulette has no new seeds'));

test('publishes no seed chain and warns once while the public chain is unavailable or its response is malformed', async () => {
  await outside.behave('chain', 'garbage');
  for (let i = 0; i < 3; i++) await keep();
  expect(complaints()).toHaveLength(1);
  expect(complaints()[0]).toContain('invalid height');
  await outside.behave('chain', 'down');
  await keep();
  expect(await chains()).toEqual([]);
  await outside.behave('chain', 'ok');
});

test('publishes the commitment before the announced block exists, whose hash becomes the public seed', async () => {
  const height = async () =>
    Number(await (await fetch(`${outside.env.PUBLIC_CHAIN_URL}/blocks/tip/height`)).text());
  const before = await height();
  await keep();
  const [chain] = await chains();
  expect(chain).toMatchObject({
    length: 3,
    publicSeed: null,
    publicSeedAt: null,
    played: 0,
    isRetired: false,
  });
  expect(chain.commitment).toMatch(/^[0-9a-f]{64}$/);
  expect(chain.blockHeight).toBeGreaterThan(before);
  await keepSeeds(app, outside);
  const known = (await chains()).at(-1);
  const hash = await (
    await fetch(`${outside.env.PUBLIC_CHAIN_URL}/block-height/${chain.blockHeight}`)
  ).text();
  expect(known).toMatchObject({ commitment: chain.commitment, publicSeed: hash });
  expect(Date.parse(known.publicSeedAt)).toBeGreaterThan(Date.parse(known.publishedAt));
});

test('encrypts stored seeds, and makes the database enforce that the commitment precedes the public seed', async () => {
  const { rows } = await sql<{
    id: number;
    links: Buffer;
  }>`select id, links from speed_chains order by id`.execute(app.db);
  expect(rows[0]!.links.length).toBe(12 + 16 + 32);
  const earlier = sql`update speed_chains set public_seed_at = created_at where id = ${rows[0]!.id}`.execute(
    app.db,
  );
  await expect(earlier).rejects.toThrow(/check constraint/);
  await expect(sql`delete from speed_chains`.execute(app.db)).rejects.toThrow(/append-only/);
  await expect(sql`delete from speed_rounds`.execute(app.db)).rejects.toThrow(/append-only/);
});

test('creates no seeds and warns once if no public chain is configured', async () => {
  // No public chain is configured, as in production, where the setting has no default.
  const other = await startApp({ env: { ...outside.env } });
  const { createChains } = await import('./commit.ts');
  const lines: string[] = [];
  const log = {
    ...other.services.log.named('bets'),
    warn: (facts: object) => lines.push(JSON.stringify(facts)),
  };
  const lone = createChains({
    db: other.services.db,
    secret: 's',
    length: 3,
    publicChain: undefined,
    log: log as never,
  });
  await lone.keep();
  await lone.keep();
  expect(lines).toEqual([expect.stringContaining('PUBLIC_CHAIN_URL is not set')]);
  expect((await other.call('GET', '/fairness/chains')).body).toEqual([]);
  await other.stop();
});

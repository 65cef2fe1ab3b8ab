/** Tests commission on bets, from sign-up to payout, using only the HTTP API. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { betOnDice, callByTwo } from '../../../../test/kit/app.ts';
import { type Person, startAffiliates } from '../../../../test/kit/engagement/affiliates.ts';
import { countRewards, liftLimits } from '../../../../test/kit/engagement/rewards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { addSupplierGames, SUPPLIERS, startSuppliers } from '../../../../test/kit/games/suppliers.ts';

const suppliers = fixture(startSuppliers);
const world = fixture(() => startAffiliates(suppliers.env));
beforeAll(async () => {
  await addSupplierGames(world.app);
  await liftLimits(world.app);
});

const GENERIC = SUPPLIERS.find(({ name }) => name === 'generic')!;
const GAME = `${GENERIC.slug}-one`;

/** Loses a bet on a provider game, through the provider's callbacks. */
async function loseAtProvider(person: Person, amount: string) {
  const launched = await person.call('POST', `/casino/games/${GAME}/launch`, {
    body: { currencyId: 'USDT' },
  });
  expect(launched.status, launched.text).toBe(201);
  const seat = {
    playerId: String(person.id),
    token: launched.body.sessionToken as string,
    currency: 'USDT',
    gameCode: `${GENERIC.slug}:one`,
  };
  const moves = [{ type: 'bet' as const, id: randomUUID(), amount }];
  const message = { seat, round: randomUUID(), moves, closes: true };
  for (const { path, body, headers } of GENERIC.calls(message, { secret: GENERIC.secret })) {
    const url = `${world.app.url}${GENERIC.base(GENERIC.slug)}${path}`;
    const answer = await fetch(url, { method: 'POST', body, headers });
    const read = GENERIC.read({ status: answer.status, body: await answer.text() });
    expect(read.code).toBe(GENERIC.codes.OK);
  }
}

test('pays commission on house and provider games, computed from the stake, house edge, commission rate and divisor', async () => {
  const owner = await world.affiliate();
  const referral = await world.join({ code: owner.code });
  await world.payIn(referral, '2000');
  const setLevel = async (customMinAffiliateLevel: number) => {
    const changed = await callByTwo(world.boss, 'PATCH', `/admin/user/${owner.id}`, {
      body: { customMinAffiliateLevel },
    });
    expect(changed.status, changed.text).toBe(200);
  };
  const earned = async () => {
    await countRewards(world.app);
    const { body } = await owner.call('GET', '/affiliate/users');
    return [body.data[0].wageredUsdAmount, body.data[0].earnedUsdAmount];
  };
  await setLevel(3);
  await world.set({ divisor: 2 });
  expect((await betOnDice(referral, { betAmount: '1000' })).status).toBe(201);
  expect(await earned()).toEqual(['1000', '0.5']);

  const { id: providerId } = await world.app.db
    .selectFrom('game_providers')
    .select('id')
    .where('slug', '=', GENERIC.slug)
    .executeTakeFirstOrThrow();
  const rule = { ggrPercent: '6.67', providerId, category: null, gameId: null, payload: null };
  const made = await callByTwo(world.boss, 'PUT', '/admin/casino/games/commission', { body: rule });
  expect(made.status, made.text).toBe(200);
  await setLevel(2);
  await world.set({ divisor: 1 });
  await loseAtProvider(referral, '333.33');
  expect(await earned()).toEqual(['1333.33', '2.16748332']);
});

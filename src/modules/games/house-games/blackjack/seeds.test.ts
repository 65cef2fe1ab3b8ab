import { expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { cashOf, type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { act, active, deal, playLaid } from '../../../../../test/kit/games/blackjack.ts';
import { units } from '../../../../platform/money.ts';
import { stream } from '../../fairness/hash.ts';
import { shuffledDeck } from './table/rules.ts';

const app = fixture(startApp);

const minus = (a: string, b: string) => Number(units(a) - units(b)) / 1e8;
const seedsOf = async (player: Player) => (await player.call('GET', '/fairness/seeds')).body;

test('uses one nonce in each of 100 rounds, reveals no seed early, and replays each round from its seed', async () => {
  const player = await app.newPlayer({ usdt: 10_000 });
  const played: { states: any[]; balance: [string, string] }[] = [];
  for (let round = 0; round < 100; round++) {
    const before = await cashOf(player);
    const states = [(await deal(player, { betAmount: '1', sideBetAmount: '0.5' })).body.data];
    while (states.at(-1).status === 'PLAYER_TURN') {
      const { availableActions } = states.at(-1);
      expect(await active(player)).toEqual(states.at(-1));
      const answer = await act(player, availableActions[(round + states.length) % availableActions.length]);
      expect(answer.status).toBe(201);
      states.push(answer.body.data);
    }
    played.push({ states, balance: [before, await cashOf(player)] });
  }
  expect((await seedsOf(player)).nonce).toBe(100);
  const { clientSeed } = await seedsOf(player);
  const rotated = await player.call('POST', '/fairness/seeds/rotate', { body: { clientSeed: 'next' } });
  expect(rotated.status).toBe(201);
  for (const [nonce, { states, balance }] of played.entries()) {
    const last = states.at(-1);
    const { body } = await player.call('GET', `/fairness/bets/${last.betId}`);
    expect(body).toMatchObject({ verified: true, nonce, clientSeed, inputs: { betAmount: '1' } });
    const deck = shuffledDeck(stream(body.serverSeed, clientSeed, nonce));
    for (const state of states.slice(0, -1)) {
      const mine = state.hands.flatMap((hand: { cards: number[] }) => hand.cards);
      expect(state.dealer).toMatchObject({ cards: [deck[2]], hiddenCards: 1, isBlackjack: false });
      expect(new Set(mine)).toEqual(new Set([deck[0], deck[1], ...deck.slice(4, mine.length + 2)]));
      expect(new Set(Object.keys(state))).toEqual(new Set(Object.keys(last)));
    }
    const staked = last.hands.reduce((sum: number, { betAmount }: any) => sum + Number(betAmount), 0.5);
    const change = Number(last.payout) - staked - Number(last.insuranceAmount ?? 0);
    expect(minus(balance[1], balance[0])).toBeCloseTo(change, 6);
  }
  const actions = new Set(played.flatMap(({ states }) => states.length));
  expect(actions.size).toBeGreaterThan(2);
});

test('stores no hidden card of an open round, and creates no nonce or proof for a prearranged deck', async () => {
  const player = await app.newPlayer({ usdt: 1000 });
  let open = (await deal(player)).body.data;
  for (let i = 0; open.status !== 'PLAYER_TURN'; i++) {
    expect(i).toBeLessThan(30);
    open = (await deal(player)).body.data;
  }
  const row = await app.db
    .selectFrom('rounds')
    .select('state')
    .where('user_id', '=', player.id)
    .executeTakeFirstOrThrow();
  expect(row.state).toEqual({
    betAmount: '10',
    sideBetAmount: null,
    actions: [],
    table: {
      hands: [{ cards: open.hands[0].cards, isDoubled: false }],
      dealer: open.dealer.cards,
      active: 0,
      insurance: open.dealer.total === 11 ? 'OFFERED' : 'NONE',
    },
  });
  const bet = await app.db
    .selectFrom('bets')
    .selectAll()
    .where('id', '=', open.betId)
    .executeTakeFirstOrThrow();
  expect([bet.status, bet.inputs, bet.outcome]).toEqual(['CREATED', null, null]);
  const { nonce } = await seedsOf(player);
  while (await active(player)) await act(player, 'STAND');
  const laid = await playLaid(player, 'Th 9d 7c Ts', {}, ['STAND']);
  expect((await seedsOf(player)).nonce).toBe(nonce);
  expect(codeOf(await player.call('GET', `/fairness/bets/${laid.betId}`))).toBe('404 BET_NOT_FOUND');
});

import { expect } from 'vitest';
import type { Answer, Player } from '../app.ts';

const RANKS = 'A23456789TJQK';
const SUITS = 'hdcs';
const PATH = '/casino/games/house/blackjack';

/** Parses cards in test notation ("Ah Td 2c Ks": rank, suit) into the API's numbers. */
export function cards(text: string): number[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((name) => {
      const [rank, suit] = [RANKS.indexOf(name[0]!), SUITS.indexOf(name[1]!)];
      if (name.length !== 2 || rank < 0 || suit < 0) throw new Error(`no card: ${name}`);
      return suit * 13 + rank + 1;
    });
}

/** Returns the card with a rank (0 ace … 12 king) and suit (0 hearts, 1 diamonds, 2 clubs, 3 spades). */
export const cardOf = (rank: number, suit: number): number => suit * 13 + rank + 1;

type Headers = Record<string, string>;
type Caller = Pick<Player, 'call'>;

/** Starts a round of 10 USDT from the player's seeds. */
export const deal = (player: Caller, fields: object = {}, headers: Headers = {}): Promise<Answer> =>
  player.call('POST', `${PATH}/init`, { body: { currencyId: 'USDT', betAmount: '10', ...fields }, headers });

/** Starts a round of 10 USDT from a deck with these cards on top. */
export const lay = (player: Caller, top: string, fields: object = {}, headers: Headers = {}) =>
  player.call('POST', `${PATH}/initDebug`, {
    body: { currencyId: 'USDT', betAmount: '10', deck: cards(top), ...fields },
    headers,
  });

export const act = (player: Caller, action: string, headers: Headers = {}): Promise<Answer> =>
  player.call('POST', `${PATH}/handleAction`, { body: { action }, headers });

export const active = async (player: Caller) =>
  (await player.call('GET', `${PATH}/getActiveState`)).body.data;

/** Plays a round with these top cards and actions, each of which must be accepted. Returns the last state. */
export async function playLaid(
  player: Caller,
  top: string,
  fields: object = {},
  actions: readonly string[] = [],
) {
  let answer = await lay(player, top, fields);
  expect(answer.status, answer.text).toBe(201);
  for (const action of actions) {
    answer = await act(player, action);
    expect(answer.status, answer.text).toBe(201);
  }
  return answer.body.data;
}

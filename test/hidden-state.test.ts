/** Tests that no response reveals the hidden state of an open round through its content or its structure. */
import { describe, expect, test } from 'vitest';
import { type Answer, type Player, startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';

const app = fixture(startApp);

const HOUSE = '/casino/games/house';
const BET = { currencyId: 'USDT', betAmount: '1' };
const PLAYERS = 12;

/** Returns a response without ids and times, which differ between players. */
const shapeOf = ({ status, text }: Answer) =>
  `${status} ${text
    .replaceAll(/"(betId|id|requestId)":"[^"]*"/g, '"$1":"…"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/"(id|userId)":\d+/g, '"$1":0')
    .replaceAll(/"username":"[^"]*"/g, '"username":"…"')}`;

/** Sends all other requests that a player can make about an open bet. Returns the responses. */
async function lookAround(player: Player, betId: string): Promise<string[]> {
  const paths = ['/bets?status=CREATED', `/bets/house-games/info/${betId}`, `/fairness/bets/${betId}`];
  paths.push('/live-bets/my?count=5&status=CREATED', '/fairness/seeds/history');
  const answers = await Promise.all(paths.map((path) => player.call('GET', path)));
  return answers.map(shapeOf);
}

describe('hidden game state', () => {
  test('returns identical responses for mines boards with different bombs until a bomb is opened', async () => {
    const seen = new Map<number, Set<string>>();
    let survived = 0;
    for (let i = 0; i < PLAYERS; i++) {
      const player = await app.newPlayer({ usdt: 10 });
      const answers = [
        await player.call('POST', `${HOUSE}/mines/play`, {
          body: { ...BET, gridCellsCount: 25, bombsCount: 3 },
        }),
      ];
      const { betId } = answers[0]!.body.betInfo;
      for (const cellIndex of [4, 17]) {
        const opened = await player.call('POST', `${HOUSE}/mines/open`, { body: { cellIndex } });
        if (opened.body.finished) break;
        answers.push(opened, await player.call('GET', `${HOUSE}/mines/board`));
        const around = await lookAround(player, betId);
        answers.push(...around.map((text) => ({ status: 0, text }) as Answer));
        survived++;
      }
      answers.forEach((answer, step) => {
        expect(answer.text).not.toContain('BOMB');
        seen.set(step, (seen.get(step) ?? new Set()).add(shapeOf(answer)));
      });
    }
    expect(survived).toBeGreaterThan(PLAYERS / 2);
    expect([...seen.values()].map((shapes) => shapes.size)).toEqual([...seen.values()].map(() => 1));
  });

  test('returns identical responses for monkey-run runs with different traps until a trap is hit', async () => {
    const seen = new Map<number, Set<string>>();
    let survived = 0;
    for (let i = 0; i < PLAYERS; i++) {
      const player = await app.newPlayer({ usdt: 10 });
      const answers = [
        await player.call('POST', `${HOUSE}/monkey-run/bet`, { body: { ...BET, difficulty: 'EASY' } }),
      ];
      for (const makeStep of [1, 3, 4]) {
        const stepped = await player.call('POST', `${HOUSE}/monkey-run/play`, { body: { makeStep } });
        if (stepped.body.isFinished) break;
        answers.push(stepped, await player.call('GET', `${HOUSE}/monkey-run/game`));
        survived++;
      }
      answers.forEach((answer, step) => {
        expect(answer.body).not.toHaveProperty('deadPoint');
        seen.set(step, (seen.get(step) ?? new Set()).add(shapeOf(answer)));
      });
    }
    expect(survived).toBeGreaterThan(PLAYERS);
    expect([...seen.values()].map((shapes) => shapes.size)).toEqual([...seen.values()].map(() => 1));
  });

  test('returns identical responses for blackjack hands that differ only in the hole card and the deck', async () => {
    const seen = new Map<number, Set<string>>();
    // The player has the cards 4 and 7, and the dealer shows 9. The two rounds differ only in the hidden card and in the cards after the
    // next one.
    for (const hidden of [10, 2, 13, 22, 52]) {
      const player = await app.newPlayer({ usdt: 10 });
      const deck = [4, 20, 9, hidden, 15, ...[30, 31, 32].map((card) => card + (hidden % 5))];
      const answers = [
        await player.call('POST', `${HOUSE}/blackjack/initDebug`, { body: { ...BET, deck } }),
        await player.call('GET', `${HOUSE}/blackjack/getActiveState`),
        await player.call('POST', `${HOUSE}/blackjack/handleAction`, { body: { action: 'HIT' } }),
        await player.call('GET', `${HOUSE}/blackjack/getActiveState`),
      ];
      const around = await lookAround(player, answers[0]!.body.data.betId);
      answers.push(...around.map((text) => ({ status: 0, text }) as Answer));
      for (const { body } of answers.slice(0, 4))
        expect(body.data.dealer).toMatchObject({ cards: [9], hiddenCards: 1 });
      answers.forEach((answer, step) => {
        seen.set(step, (seen.get(step) ?? new Set()).add(shapeOf(answer)));
      });
    }
    expect([...seen.values()].map((shapes) => shapes.size)).toEqual([...seen.values()].map(() => 1));
  });
});

import { createHash, randomUUID } from 'node:crypto';
import { type Endpoint, json, type SandboxAnswer } from '../../endpoint.ts';
import { fromUnits, toUnits } from '../amounts.ts';
import { gamesOf } from '../catalogue.ts';
import { behaving, type Desk } from '../dialect.ts';
import { type Award, type Order, problemOf } from './awards.ts';

const DIALECT = 'hub88';

type Input = Record<string, unknown>;
type Parts = {
  base: string;
  currencies: Readonly<Record<string, number>>;
  decimals: number;
  signed: (handle: (input: Input) => SandboxAnswer) => Endpoint['handle'];
};

/** Hub88's Freebets API: rewards based on prepaids. The operator chooses each reward's bet and number of rounds. */
export function hub88FreeRounds(desk: Desk, parts: Parts): Endpoint[] {
  const { base, signed } = parts;
  return [
    {
      method: 'POST',
      path: `${base}/freebet/prepaids/list`,
      about: 'Hub88: lists reward templates by game_code. Header X-Hub88-Signature.',
      example: '{ "operator_id": 1, "game_code": "seven-orchards" }',
      handle: behaving(
        desk,
        'other',
        signed((input) => json(200, prepaidsOf(desk, parts, String(input.game_code)))),
      ),
    },
    {
      method: 'POST',
      path: `${base}/freebet/rewards/create`,
      about: 'Hub88: grants a player free rounds from a prepaid template. Header X-Hub88-Signature.',
      example:
        '{ "operator_id": 1, "user": "42", "prepaid_uuid": "…", "game_code": "seven-orchards", "currency": "EUR", "bet_value": 10000, "bet_count": 10, "end_time": "2027-01-01T00:00:00Z" }',
      handle: behaving(
        desk,
        'award',
        signed((input) => create(desk, parts, input)),
      ),
    },
    {
      method: 'POST',
      path: `${base}/freebet/rewards/list`,
      about: "Hub88: lists a user's rewards. Header X-Hub88-Signature.",
      example: '{ "operator_id": 1, "user": "42" }',
      handle: behaving(
        desk,
        'other',
        signed(({ user }) =>
          json(200, { rewards: desk.awards.of(DIALECT, String(user)).map(shown(parts)), pagination: {} }),
        ),
      ),
    },
    {
      method: 'POST',
      path: `${base}/freebet/rewards/cancel`,
      about: 'Hub88: cancels a reward. Header X-Hub88-Signature.',
      example: '{ "operator_id": 1, "reward_uuid": "…" }',
      handle: behaving(
        desk,
        'other',
        signed(({ reward_uuid: id }) =>
          desk.awards.cancel(DIALECT, String(id)) ? json(200, {}) : json(404, { error: 'no such reward' }),
        ),
      ),
    },
  ];
}

/** Returns the id of a prepaid, which is always the same for a game and currency. */
function prepaidId(gameCode: string, currency: string): string {
  const hex = createHash('sha256').update(`${gameCode} ${currency}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

const prepaidsOf = (desk: Desk, { currencies }: Parts, gameCode: string) =>
  gamesOf(DIALECT, desk.behaviour.get().games)
    .filter(({ code, hasFreeSpins }) => hasFreeSpins && code === gameCode)
    .flatMap((game) =>
      (game.currencies ?? Object.keys(currencies)).map((currency) => ({
        prepaid_uuid: prepaidId(gameCode, currency),
        game_code: gameCode,
        currency,
        bet_value: null,
        bet_count: null,
        bonus_buy: false,
      })),
    );

function create(desk: Desk, { currencies, decimals }: Parts, input: Input): SandboxAnswer {
  const gameCode = String(input.game_code);
  const currency = String(input.currency);
  const order: Order = {
    book: DIALECT,
    id: randomUUID(),
    reference: input.operator_reference === undefined ? null : String(input.operator_reference),
    playerId: String(input.user),
    currency,
    gameCode,
    bet: Number.isSafeInteger(input.bet_value) ? fromUnits(BigInt(input.bet_value as number), decimals) : 0n,
    rounds: Number(input.bet_count),
    until: new Date(String(input.end_time)),
  };
  const problem =
    input.prepaid_uuid === prepaidId(gameCode, currency)
      ? problemOf(order, { games: desk.behaviour.get().games, decimals: currencies[currency] })
      : 'no such prepaid';
  return problem === undefined
    ? json(200, { reward_uuid: desk.awards.give(order).id })
    : json(400, { error: problem });
}

const shown =
  ({ decimals }: Parts) =>
  ({ id, reference, playerId, currency, gameCode, bet, rounds, until, state }: Award) => ({
    reward_uuid: id,
    operator_reference: reference,
    user: playerId,
    currency,
    game_code: gameCode,
    bet_value: Number(toUnits(bet, decimals)),
    bet_count: rounds,
    end_time: until,
    status: state,
  });

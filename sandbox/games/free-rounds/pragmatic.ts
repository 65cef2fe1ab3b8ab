import { type Endpoint, json, parseObject, type SandboxAnswer } from '../../endpoint.ts';
import { readAmount } from '../amounts.ts';
import { behaving, type Desk } from '../dialect.ts';
import { type Order, problemOf } from './awards.ts';

const DIALECT = 'pragmatic';

type Fields = Record<string, string>;
type Parts = {
  base: string;
  currencies: Readonly<Record<string, number>>;
  /** Checks the hash of the form in the body or in the query. */
  hashed: (handle: (fields: Fields) => SandboxAnswer) => Endpoint['handle'];
  hashedQuery: (handle: (fields: Fields, body: string) => SandboxAnswer) => Endpoint['handle'];
};

const ALREADY_THERE = { error: '8', description: 'Bonus code exists already' };

/** Pragmatic Play's Free Rounds Bonus API. */
export function pragmaticFreeRounds(desk: Desk, parts: Parts): Endpoint[] {
  const { base, hashed, hashedQuery } = parts;
  const api = `${base}/FreeRoundsBonusAPI`;
  return [
    {
      method: 'POST',
      path: `${api}/v2/bonus/player/create/`,
      about:
        'Pragmatic Play: grants a player free rounds. The query contains the order and its hash, the body contains games and stakes. ' +
        'A bonusCode is accepted only once.',
      example:
        '{ "gameList": [{ "gameId": "seven-orchards", "betValues": [{ "totalBet": 0.10, "currency": "EUR" }] }] }',
      handle: behaving(
        desk,
        'award',
        hashedQuery((fields, body) => create(desk, parts, { fields, body })),
      ),
    },
    {
      method: 'POST',
      path: `${api}/getPlayersFRB/`,
      about: "Pragmatic Play: lists a player's free rounds. A form with its hash.",
      example: 'secureLogin=sandbox&playerId=42&hash=…',
      handle: behaving(
        desk,
        'other',
        hashed(({ playerId }) => {
          const bonuses = desk.awards.of(DIALECT, playerId ?? '').map(({ id, rounds, played, state }) => ({
            bonusCode: id,
            rounds,
            roundsPlayed: played,
            status: state,
          }));
          return json(200, { error: '0', description: 'OK', bonuses });
        }),
      ),
    },
    {
      method: 'POST',
      path: `${api}/v2/bonus/cancel/`,
      about: 'Pragmatic Play: cancels free rounds and reports the winnings so far. A form with its hash.',
      example: 'secureLogin=sandbox&bonusCode=…&hash=…',
      handle: behaving(
        desk,
        'other',
        hashed(({ bonusCode }) =>
          desk.awards.cancel(DIALECT, bonusCode ?? '')
            ? json(200, { error: '0', description: 'OK' })
            : json(200, { error: '7', description: 'No such bonus code' }),
        ),
      ),
    },
  ];
}

function create(
  desk: Desk,
  { currencies }: Parts,
  { fields, body }: { fields: Fields; body: string },
): SandboxAnswer {
  type Games = { gameId: string; betValues: { totalBet: number; currency: string }[] }[];
  const [game] = ((parseObject(body)?.gameList as Games | undefined) ?? []) as Games;
  const { bonusCode = '', playerId = '', currency = '', rounds, expirationDate } = fields;
  const order: Order = {
    book: DIALECT,
    id: bonusCode,
    reference: null,
    playerId,
    currency,
    gameCode: game?.gameId ?? '',
    bet: readAmount(game?.betValues.find((one) => one.currency === currency)?.totalBet) ?? 0n,
    rounds: Number(rounds),
    until: new Date(Number(expirationDate) * 1000),
  };
  const problem = problemOf(order, { games: desk.behaviour.get().games, decimals: currencies[currency] });
  if (problem !== undefined) return json(200, { error: '7', description: problem });
  if (desk.awards.of(DIALECT, playerId).some(({ id }) => id === bonusCode)) return json(200, ALREADY_THERE);
  desk.awards.give(order);
  return json(200, { error: '0', description: 'OK', bonusCode });
}

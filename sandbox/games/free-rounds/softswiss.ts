import { type Endpoint, json, parseObject, type SandboxAnswer, type SandboxRequest } from '../../endpoint.ts';
import { fromUnits } from '../amounts.ts';
import { behaving, type Desk } from '../dialect.ts';
import { type Order, problemOf } from './awards.ts';

const DIALECT = 'softswiss';

type Parts = {
  base: string;
  currencies: Readonly<Record<string, number>>;
  signed: (handle: (request: SandboxRequest) => SandboxAnswer) => Endpoint['handle'];
};

/** SOFTSWISS's free spins, which the casino orders ("issues") under its own id. */
export function softswissFreeRounds(desk: Desk, parts: Parts): Endpoint[] {
  const { base, signed } = parts;
  return [
    {
      method: 'POST',
      path: `${base}/freespins/issue`,
      about:
        'SOFTSWISS: grants a player free spins. A repeated issue_id grants nothing more. Header X-REQUEST-SIGN.',
      example:
        '{ "casino_id": "sandbox", "issue_id": "…", "currency": "EUR", "games": ["seven-orchards"], "freespins_quantity": 10, "bet_amount": 10, "valid_until": "2027-01-01T00:00:00Z", "user": { "id": "42" } }',
      handle: behaving(
        desk,
        'award',
        signed(({ body }) => issue(desk, parts, parseObject(body) ?? {})),
      ),
    },
    {
      method: 'POST',
      path: `${base}/freespins/cancel`,
      about: 'SOFTSWISS: cancels free spins and reports the winnings so far. Header X-REQUEST-SIGN.',
      example: '{ "casino_id": "sandbox", "issue_id": "…" }',
      handle: behaving(
        desk,
        'other',
        signed(({ body }) =>
          desk.awards.cancel(DIALECT, String(parseObject(body)?.issue_id))
            ? json(200, {})
            : json(404, { code: 404, message: 'Issue is not found' }),
        ),
      ),
    },
  ];
}

function issue(desk: Desk, { currencies }: Parts, input: Record<string, unknown>): SandboxAnswer {
  const {
    games,
    user,
    bet_amount: bet,
  } = input as { games?: string[]; user?: { id?: string }; bet_amount?: number };
  const currency = String(input.currency);
  const decimals = currencies[currency];
  const order: Order = {
    book: DIALECT,
    id: String(input.issue_id),
    reference: null,
    playerId: String(user?.id),
    currency,
    gameCode: String(games?.[0]),
    bet: Number.isSafeInteger(bet) ? fromUnits(BigInt(bet!), decimals ?? 0) : 0n,
    rounds: Number(input.freespins_quantity),
    until: new Date(String(input.valid_until)),
  };
  const problem = problemOf(order, { games: desk.behaviour.get().games, decimals });
  if (problem !== undefined) return json(400, { code: 400, message: problem });
  desk.awards.give(order);
  return json(200, {});
}

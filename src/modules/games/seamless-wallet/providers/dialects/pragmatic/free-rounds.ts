import type { Clock } from '../../../../../../platform/clock.ts';
import { numeral } from '../../../../../../platform/exact-json.ts';
import type { Outbound, OutboundRequest } from '../../../../../../platform/net/outbound.ts';
import type { FreeRounds, FreeRoundsOrder } from '../../provider.ts';
import { decimalText, providerUnitsOf } from '../amounts/rules.ts';
import { ask, askToWithdraw, type Currencies, codeOf } from '../client.ts';
import { signedForm } from './form.ts';
import { Answered, FreeRoundsOfPlayer } from './schemas.ts';

const API = '/FreeRoundsBonusAPI';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

type Parts = { api: Outbound; secureLogin: string; secret: string; currencies: Currencies; clock: Clock };
type Fields = Record<string, string>;

/** Free rounds through Pragmatic Play's Free Rounds Bonus API: a bonus with our own bonusCode, which its calls name. */
export function createFreeRounds({ api, secureLogin, secret, currencies, clock }: Parts): FreeRounds {
  const signed = (fields: Fields) => signedForm({ secureLogin, ...fields }, secret);
  const form = (path: string, fields: Fields): OutboundRequest => ({
    method: 'POST',
    path: `${API}${path}`,
    headers: FORM,
    body: signed(fields),
  });

  /** Checks for an earlier order, because Pragmatic Play rejects a repeated code. */
  async function isThere({ id, userId }: FreeRoundsOrder): Promise<boolean> {
    const wanted = form('/getPlayersFRB/', { playerId: String(userId) });
    const { bonuses } = await ask(api, wanted, FreeRoundsOfPlayer);
    return bonuses.some(({ bonusCode }) => bonusCode === id);
  }

  async function create({ id, userId, currencyId, gameCode, ...order }: FreeRoundsOrder): Promise<void> {
    const currency = codeOf(currencies, currencyId);
    const scale = currencies.byOurs(currencyId)!;
    const query = signed({
      bonusCode: id,
      playerId: String(userId),
      currency,
      rounds: String(order.rounds),
      startDate: seconds(new Date(clock.now())),
      expirationDate: seconds(order.validUntil),
    });
    const totalBet = numeral(decimalText(providerUnitsOf(order.bet, scale), scale.decimals));
    const gameList = [{ gameId: gameCode, betValues: [{ totalBet, currency }] }];
    const request = {
      method: 'POST',
      path: `${API}/v2/bonus/player/create/?${query}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ gameList }),
    } as const;
    await ask(api, request, Answered);
  }

  return {
    endBy: 'SUM',
    async give(order) {
      if (!(await isThere(order))) await create(order);
      return order.id;
    },
    withdraw: ({ id }) => askToWithdraw(api, form('/v2/bonus/cancel/', { bonusCode: id })),
  };
}

const seconds = (at: Date): string => String(Math.floor(at.getTime() / 1000));

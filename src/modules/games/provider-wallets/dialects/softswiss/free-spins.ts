import { z } from 'zod';
import type { Outbound, OutboundRequest } from '../../../../../platform/outbound.ts';
import type { FreeRounds } from '../../provider.ts';
import { providerUnitsOf } from '../amounts/rules.ts';
import { wireInteger } from '../body.ts';
import { ask, askToWithdraw, codeOf } from '../client.ts';
import type { Currencies } from '../currencies.ts';

type Parts = {
  api: Outbound;
  signed: (request: OutboundRequest) => OutboundRequest;
  casinoId: string;
  currencies: Currencies;
};

/** Free spins of SOFTSWISS: an issue under our own name, which its callback `freespins` names once they are over. */
export function createFreeSpins({ api, signed, casinoId, currencies }: Parts): FreeRounds {
  const post = (path: string, fields: object): OutboundRequest =>
    signed({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ casino_id: casinoId, ...fields }),
    });
  return {
    endBy: 'SUM',
    async give({ id, userId, currencyId, gameCode, rounds, bet, validUntil }) {
      const currency = codeOf(currencies, currencyId);
      const issue = {
        issue_id: id,
        currency,
        games: [gameCode],
        freespins_quantity: rounds,
        bet_amount: wireInteger(providerUnitsOf(bet, currencies.byOurs(currencyId)!)),
        valid_until: validUntil.toISOString(),
        user: { id: String(userId) },
      };
      await ask(api, post('/freespins/issue', issue), z.looseObject({}));
      return id;
    },
    withdraw: ({ id }) => askToWithdraw(api, post('/freespins/cancel', { issue_id: id })),
  };
}

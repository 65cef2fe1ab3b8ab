import type { z } from 'zod';
import { type Operation, operation } from '../../../../http/operation.ts';
import type { Context, Notice, Route } from '../../../../http/route.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { webhookErrors, webhookRoute } from '../../../base/webhooks/schemas.ts';
import { GameWalletRequest, GameWalletResponse } from './dialects/generic/schemas.ts';
import * as hub88 from './dialects/hub88/schemas.ts';
import * as pragmatic from './dialects/pragmatic/schemas.ts';
import * as softswiss from './dialects/softswiss/schemas.ts';
import type { WireResponse } from './provider.ts';

export type CallbackDeps = {
  providerWallets: { receive(slug: string, action: string, notice: Notice): Promise<WireResponse> };
};

/** Each vendor signs differently, so the signature header of our own format is not documented for vendor callbacks. */
const { headers: _headers, response: _response, ...vendorRoute } = webhookRoute;

const HUB88 = [
  ['user/info', 'Get a player', hub88.UserCall],
  ['user/balance', "Get a player's balance", hub88.UserCall],
  ['transaction/bet', 'Place a bet', hub88.BetCall],
  ['transaction/win', 'Credit a win', hub88.WinCall],
  ['transaction/rollback', 'Roll back a bet or a win', hub88.RollbackCall],
] as const;
const SOFTSWISS = [
  ['play', 'Book bets and wins of a round, or get the balance', softswiss.PlayCall],
  ['rollback', 'Roll back bets and wins', softswiss.RollbackCall],
  ['freespins', 'Credit the win of free spins', softswiss.FreeSpinsCall],
] as const;
const PRAGMATIC = [
  ['authenticate.html', 'Get the player for a token', pragmatic.AuthenticateCall],
  ['balance.html', "Get a player's balance", pragmatic.BalanceCall],
  ['bet.html', 'Place a bet', pragmatic.BetCall],
  ['result.html', 'Credit the win of a round', pragmatic.ResultCall],
  ['bonusWin.html', 'Credit the win of free rounds', pragmatic.CreditCall],
  ['jackpotWin.html', 'Credit a jackpot', pragmatic.CreditCall],
  ['promoWin.html', 'Credit the win of a promotion', pragmatic.PromoWinCall],
  ['endRound.html', 'End a round', pragmatic.EndRoundCall],
  ['refund.html', 'Refund a bet', pragmatic.RefundCall],
  ['adjustment.html', 'Adjust a balance', pragmatic.AdjustmentCall],
] as const;

const SIGNED_BY = {
  Hub88:
    '`X-Hub88-Signature`: base64 RSA PKCS#1 v1.5 with SHA-256 of the body. Amounts are integers in units of 10^-5 of the currency.',
  SOFTSWISS: '`X-REQUEST-SIGN`: hex HMAC-SHA256 of the body. Amounts are in subunits.',
  'Pragmatic Play': 'Field `hash`: hex MD5 of the other fields, sorted by name, and the secret.',
} as const;

const rejections = { otherStatuses: [400, 403, 412, 500], otherwise: 'Rejected; see `code`.' };

/** The callbacks of all dialects. */
export const callbacks: Operation<CallbackDeps>[] = [
  operation({
    ...webhookRoute,
    path: '/webhooks/games/{provider}',
    summary: 'Call the wallet as a game provider',
    description:
      'The format shown here is our own. Other vendors use their own paths and formats below this path. A rejected call returns ' +
      'status code 200 with the reason in `status`. Repeating a transactionId with the same content returns the first response.',
    body: GameWalletRequest,
    response: GameWalletResponse,
    errors: [
      commonErrors.VALIDATION_FAILED,
      webhookErrors.SIGNATURE_INVALID,
      webhookErrors.PROVIDER_NOT_FOUND,
    ],
    handler: receive(''),
  }),
  ...HUB88.map((one) => vendorCallback('Hub88', one, { response: hub88.Hub88Answer })),
  ...SOFTSWISS.map((one) =>
    vendorCallback('SOFTSWISS', one, { response: softswiss.SoftswissAnswer, ...rejections }),
  ),
  ...PRAGMATIC.map((one) =>
    vendorCallback('Pragmatic Play', one, { response: pragmatic.PragmaticAnswer, form: true }),
  ),
];

function vendorCallback(
  vendor: keyof typeof SIGNED_BY,
  [action, summary, body]: readonly [string, string, z.ZodType],
  more: Pick<Route, 'otherStatuses' | 'otherwise' | 'form'> & { response: z.ZodType },
): Operation<CallbackDeps> {
  return operation({
    ...vendorRoute,
    path: `/webhooks/games/{provider}/${action}`,
    summary: `${vendor}: ${summary}`,
    description: SIGNED_BY[vendor],
    body,
    errors: [webhookErrors.PROVIDER_NOT_FOUND],
    handler: receive(action),
    ...more,
  });
}

type Signed = Pick<
  Context<unknown, unknown, { provider: string }, unknown, unknown>,
  'params' | 'notice' | 'setStatus' | 'countRefusal'
>;

function receive(action: string) {
  return async ({ providerWallets }: CallbackDeps, { params, notice, setStatus, countRefusal }: Signed) => {
    const { status, body, isUnsigned } = await providerWallets.receive(params.provider, action, notice!);
    if (isUnsigned) countRefusal();
    setStatus(status);
    // biome-ignore lint/suspicious/noExplicitAny: the response is checked against the dialect's schema when it is sent
    return body as any;
  };
}

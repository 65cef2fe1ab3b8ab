import type { z } from 'zod';
import { type Context, type Notice, type Route, route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { webhookErrors } from '../../base/webhooks/errors.ts';
import { webhookRoute } from '../../base/webhooks/schemas.ts';
import { GameWalletRequest, GameWalletResponse } from './dialects/generic/schemas.ts';
import * as hub88 from './dialects/hub88/schemas.ts';
import * as pragmatic from './dialects/pragmatic/schemas.ts';
import * as softswiss from './dialects/softswiss/schemas.ts';
import type { WireAnswer } from './provider.ts';

/** The wallet that providers call (service.ts): it answers in the words and with the status of the caller's dialect. */
type ProviderWallet = {
  receive(slug: string, action: string, notice: Notice): Promise<WireAnswer>;
};

/** Of vendors' own forms each has its own signature. */
const { headers: _ours, response: _own, ...vendorRoute } = webhookRoute;

const HUB88 = [
  ['user/info', 'Who a player is', hub88.UserCall],
  ['user/balance', 'Balance of a player', hub88.UserCall],
  ['transaction/bet', 'Bet', hub88.BetCall],
  ['transaction/win', 'Win', hub88.WinCall],
  ['transaction/rollback', 'Rollback of a bet or a win', hub88.RollbackCall],
] as const;
const SOFTSWISS = [
  ['play', 'Bets and wins of a round, its end, or the balance', softswiss.PlayCall],
  ['rollback', 'Rollbacks of bets and wins', softswiss.RollbackCall],
  ['freespins', 'Win of free spins', softswiss.FreeSpinsCall],
] as const;
const PRAGMATIC = [
  ['authenticate.html', 'Who plays with a token', pragmatic.AuthenticateCall],
  ['balance.html', 'Balance of a player', pragmatic.BalanceCall],
  ['bet.html', 'Bet', pragmatic.BetCall],
  ['result.html', 'Win of a round', pragmatic.ResultCall],
  ['bonusWin.html', 'Win of free rounds', pragmatic.CreditCall],
  ['jackpotWin.html', 'Jackpot', pragmatic.CreditCall],
  ['promoWin.html', 'Win of a promotion', pragmatic.PromoWinCall],
  ['endRound.html', 'End of a round', pragmatic.EndRoundCall],
  ['refund.html', 'Refund of a bet', pragmatic.RefundCall],
  ['adjustment.html', 'Adjustment of a balance', pragmatic.AdjustmentCall],
] as const;

const SIGNED_BY = {
  Hub88: '`X-Hub88-Signature`: base64 RSA PKCS#1 v1.5 with SHA-256 of the body. Amounts are in 10^-5.',
  SOFTSWISS: '`X-REQUEST-SIGN`: hex HMAC-SHA256 of the body. Amounts are in subunits.',
  'Pragmatic Play': 'Field `hash`: hex MD5 of the other fields, sorted by name, and the secret.',
} as const;

export const providerWalletRoutes = (wallet: ProviderWallet): Route[] => {
  const vendor = (
    name: keyof typeof SIGNED_BY,
    [action, summary, body]: readonly [string, string, z.ZodType],
    more: Pick<Route, 'otherStatuses' | 'otherwise' | 'form'> & { response: z.ZodType },
  ): Route =>
    route({
      ...vendorRoute,
      path: `/webhooks/games/{provider}/${action}`,
      summary: `${name}: ${summary}`,
      description: SIGNED_BY[name],
      body,
      errors: [webhookErrors.PROVIDER_NOT_FOUND],
      handler: answering(wallet, action),
      ...more,
    });
  const refusals = { otherStatuses: [400, 403, 412, 500], otherwise: 'Refused; see `code`.' };
  return [
    route({
      ...webhookRoute,
      path: '/webhooks/games/{provider}',
      summary: 'Wallet call of a provider of games',
      description:
        'Our own form; vendors have theirs below this path. What the wallet refuses is answered 200 with its status. The same transactionId with the same content is answered as before.',
      body: GameWalletRequest,
      response: GameWalletResponse,
      errors: [
        commonErrors.VALIDATION_FAILED,
        webhookErrors.SIGNATURE_INVALID,
        webhookErrors.PROVIDER_NOT_FOUND,
      ],
      handler: answering(wallet, ''),
    }),
    ...HUB88.map((one) => vendor('Hub88', one, { response: hub88.Hub88Answer })),
    ...SOFTSWISS.map((one) => vendor('SOFTSWISS', one, { response: softswiss.SoftswissAnswer, ...refusals })),
    ...PRAGMATIC.map((one) =>
      vendor('Pragmatic Play', one, { response: pragmatic.PragmaticAnswer, form: true }),
    ),
  ];
};

type Signed = Pick<
  Context<unknown, unknown, { provider: string }, unknown, unknown>,
  'params' | 'notice' | 'setStatus'
>;

const answering =
  (wallet: ProviderWallet, action: string) =>
  async ({ params, notice, setStatus }: Signed) => {
    const { status, body } = await wallet.receive(params.provider, action, notice!);
    setStatus(status);
    // biome-ignore lint/suspicious/noExplicitAny: each dialect's answer is checked against its schema as it leaves
    return body as any;
  };

import { z } from 'zod';
import {
  count,
  hidden,
  optionalChoice,
  optionalText,
  optionalUrl,
  secrets,
  textOr,
  urlOr,
} from './setting.ts';

export const payments = {
  PAYMENT_PROVIDER: optionalChoice(['sandbox', 'nowpayments', 'btcpay']).describe(
    'The provider of deposit addresses and payouts. Default in `local` and `test`: the sandbox. Absent elsewhere: deposits and withdrawals are off.',
  ),
  WEBHOOK_TOLERANCE_SECONDS: count(300).describe(
    'Maximum difference, in both directions, between the timestamp of a signed webhook and the current time.',
  ),
  PAYMENT_API_URL: optionalUrl.describe(
    'Provider `sandbox`: its address. Default in `local` and `test`: the sandbox.',
  ),
  PAYMENT_API_KEY: hidden(textOr('sandbox-payment-key')).describe('Provider `sandbox`: its API key.'),
  PAYMENT_WEBHOOK_SECRETS: hidden(secrets('sandbox-payment-webhook-secret')).describe(
    'Provider `sandbox`: secrets that sign its webhooks, comma-separated. Set two during rotation.',
  ),
  NOWPAYMENTS_API_URL: urlOr('https://api.nowpayments.io').describe('Provider `nowpayments`: its address.'),
  NOWPAYMENTS_API_KEY: hidden(optionalText()).describe(
    'Provider `nowpayments`: API key. Its webhooks are processed when the key is set. Default in `local`: the sandbox with its own key.',
  ),
  NOWPAYMENTS_IPN_SECRETS: hidden(secrets('sandbox-nowpayments-ipn-secret')).describe(
    'Provider `nowpayments`: IPN secrets, comma-separated.',
  ),
  NOWPAYMENTS_EMAIL: optionalText().describe(
    'Provider `nowpayments`: email of the account that makes payouts.',
  ),
  NOWPAYMENTS_PASSWORD: hidden(optionalText()).describe('Provider `nowpayments`: password of that account.'),
  NOWPAYMENTS_TOTP_SECRET: hidden(
    z
      .string()
      .regex(/^[A-Z2-7]{16,}$/, 'needs at least 16 letters of base32')
      .optional(),
  ).describe(
    'Provider `nowpayments`: TOTP secret (base32) of its second factor, which confirms payouts. Leave it out if the provider knows your addresses and pays out without this confirmation.',
  ),
  BTCPAY_URL: optionalUrl.describe('Provider `btcpay`: address of the BTCPay Server.'),
  BTCPAY_API_KEY: hidden(optionalText()).describe(
    'Provider `btcpay`: Greenfield API key. Its webhooks are processed when the key is set.',
  ),
  BTCPAY_STORE_ID: textOr('store').describe('Provider `btcpay`: store id.'),
  BTCPAY_WEBHOOK_SECRETS: hidden(secrets('sandbox-btcpay-webhook-secret')).describe(
    'Provider `btcpay`: webhook secrets, comma-separated.',
  ),
  SKINS_API_URL: optionalUrl.describe(
    'Address of the skin marketplace. Default in `local` and `test`: the sandbox. Absent elsewhere: skin deposits are off.',
  ),
  SKINS_API_KEY: hidden(textOr('sandbox-skins-key')).describe('API key of the skin marketplace.'),
  SKINS_WEBHOOK_SECRETS: hidden(secrets('sandbox-skins-webhook-secret')).describe(
    'Secrets with which the skin marketplace signs its webhooks, comma-separated.',
  ),
};

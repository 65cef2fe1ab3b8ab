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
    'Who gives addresses and pays out. Default in `local` and `test`: the sandbox. Absent elsewhere: no deposits and no withdrawals.',
  ),
  WEBHOOK_TOLERANCE_SECONDS: count(300).describe(
    'How old a signed notice may be, and how far ahead its clock.',
  ),
  PAYMENT_API_URL: optionalUrl.describe(
    'Provider `sandbox`: its address. Default in `local` and `test`: the sandbox.',
  ),
  PAYMENT_API_KEY: hidden(textOr('sandbox-payment-key')).describe('Provider `sandbox`: key of its API.'),
  PAYMENT_WEBHOOK_SECRETS: hidden(secrets('sandbox-payment-webhook-secret')).describe(
    'Provider `sandbox`: secrets that sign its notices, comma-separated: two while one replaces the other.',
  ),
  NOWPAYMENTS_API_URL: urlOr('https://api.nowpayments.io').describe('Provider `nowpayments`: its address.'),
  NOWPAYMENTS_API_KEY: hidden(optionalText()).describe(
    'Provider `nowpayments`: API key. Its webhooks are processed when the key is set. Default in `local`: the sandbox with its own key.',
  ),
  NOWPAYMENTS_IPN_SECRETS: hidden(secrets('sandbox-nowpayments-ipn-secret')).describe(
    'Provider `nowpayments`: IPN secrets, comma-separated.',
  ),
  NOWPAYMENTS_EMAIL: optionalText().describe('Provider `nowpayments`: account that pays out.'),
  NOWPAYMENTS_PASSWORD: hidden(optionalText()).describe('Provider `nowpayments`: password of that account.'),
  NOWPAYMENTS_TOTP_SECRET: hidden(
    z
      .string()
      .regex(/^[A-Z2-7]{16,}$/, 'needs at least 16 letters of base32')
      .optional(),
  ).describe(
    'Provider `nowpayments`: secret of its second factor (base32), which confirms payouts. Absent where the provider knows our addresses.',
  ),
  BTCPAY_URL: optionalUrl.describe('Provider `btcpay`: address of the BTCPay Server.'),
  BTCPAY_API_KEY: hidden(optionalText()).describe(
    'Provider `btcpay`: Greenfield API key. Its notices are taken when it is set.',
  ),
  BTCPAY_STORE_ID: textOr('store').describe('Provider `btcpay`: store.'),
  BTCPAY_WEBHOOK_SECRETS: hidden(secrets('sandbox-btcpay-webhook-secret')).describe(
    'Provider `btcpay`: webhook secrets, comma-separated.',
  ),
  SKINS_API_URL: optionalUrl.describe(
    'Skin marketplace. Default in `local` and `test`: the sandbox. Absent elsewhere: off.',
  ),
  SKINS_API_KEY: hidden(textOr('sandbox-skins-key')).describe('Key of the skin marketplace.'),
  SKINS_WEBHOOK_SECRETS: hidden(secrets('sandbox-skins-webhook-secret')).describe(
    'Secrets that sign its notices, comma-separated.',
  ),
};

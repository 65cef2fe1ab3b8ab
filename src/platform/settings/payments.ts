import { z } from 'zod';
import { count, secrets, setting } from './setting.ts';

export const payments = {
  PAYMENT_PROVIDER: setting(
    z.enum(['sandbox', 'nowpayments', 'btcpay']).optional(),
    'Who gives addresses and pays out. Default in `local` and `test`: the sandbox. Absent elsewhere: no deposits and no withdrawals.',
  ),
  WEBHOOK_TOLERANCE_SECONDS: setting(
    count(300),
    'How old a signed notice may be, and how far ahead its clock.',
  ),
  PAYMENT_API_URL: setting(
    z.url().optional(),
    'Provider `sandbox`: its address. Default in `local` and `test`: the sandbox.',
  ),
  PAYMENT_API_KEY: setting(
    z.string().min(1).default('sandbox-payment-key'),
    'Provider `sandbox`: key of its API.',
    true,
  ),
  PAYMENT_WEBHOOK_SECRETS: setting(
    secrets('sandbox-payment-webhook-secret'),
    'Provider `sandbox`: secrets that sign its notices, comma-separated: two while one replaces the other.',
    true,
  ),
  NOWPAYMENTS_API_URL: setting(
    z.url().default('https://api.nowpayments.io'),
    'Provider `nowpayments`: its address.',
  ),
  NOWPAYMENTS_API_KEY: setting(
    z.string().min(1).optional(),
    'Provider `nowpayments`: API key. Its notices are taken when it is set.',
    true,
  ),
  NOWPAYMENTS_IPN_SECRETS: setting(
    secrets('sandbox-nowpayments-ipn-secret'),
    'Provider `nowpayments`: IPN secrets, comma-separated.',
    true,
  ),
  NOWPAYMENTS_EMAIL: setting(z.string().min(1).optional(), 'Provider `nowpayments`: account that pays out.'),
  NOWPAYMENTS_PASSWORD: setting(
    z.string().min(1).optional(),
    'Provider `nowpayments`: password of that account.',
    true,
  ),
  NOWPAYMENTS_TOTP_SECRET: setting(
    z
      .string()
      .regex(/^[A-Z2-7]{16,}$/, 'needs at least 16 letters of base32')
      .optional(),
    'Provider `nowpayments`: secret of its second factor (base32), which confirms payouts. Absent where the provider knows our addresses.',
    true,
  ),
  BTCPAY_URL: setting(z.url().optional(), 'Provider `btcpay`: address of the BTCPay Server.'),
  BTCPAY_API_KEY: setting(
    z.string().min(1).optional(),
    'Provider `btcpay`: Greenfield API key. Its notices are taken when it is set.',
    true,
  ),
  BTCPAY_STORE_ID: setting(z.string().min(1).default('store'), 'Provider `btcpay`: store.'),
  BTCPAY_WEBHOOK_SECRETS: setting(
    secrets('sandbox-btcpay-webhook-secret'),
    'Provider `btcpay`: webhook secrets, comma-separated.',
    true,
  ),
  SKINS_API_URL: setting(
    z.url().optional(),
    'Skin marketplace. Default in `local` and `test`: the sandbox. Absent elsewhere: off.',
  ),
  SKINS_API_KEY: setting(
    z.string().min(1).default('sandbox-skins-key'),
    'Key of the skin marketplace.',
    true,
  ),
  SKINS_WEBHOOK_SECRETS: setting(
    secrets('sandbox-skins-webhook-secret'),
    'Secrets that sign its notices, comma-separated.',
    true,
  ),
};

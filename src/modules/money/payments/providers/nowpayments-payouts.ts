import { z } from 'zod';
import { numeral } from '../../../../platform/exact-json.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { NotSent, type Outbound, Unanswered } from '../../../../platform/net/outbound.ts';
import type { PaymentProvider, PayoutQuery, PayoutState } from '../provider.ts';
import {
  assertSettled,
  bodyOf,
  type Client,
  createClient,
  createMethodIds,
  meaningIn,
  type ProviderDeps,
  refused,
  resultOf,
  stateOf,
} from './client.ts';
import { Exact, ExternalId, Reason, Token } from './schemas.ts';

/** The codes with which NOWPayments identifies currencies on networks. */
export const CODES = createMethodIds({
  'BTC:bitcoin': 'btc',
  'ETH:ethereum': 'eth',
  'ETH:bsc': 'ethbsc',
  'USDT:ethereum': 'usdterc20',
  'USDT:tron': 'usdttrc20',
  'USDT:bsc': 'usdtbsc',
  'USDT:solana': 'usdtsol',
  'USDC:ethereum': 'usdc',
  'USDC:bsc': 'usdcbsc',
  'USDC:solana': 'usdcsol',
  'LTC:litecoin': 'ltc',
  'TRX:tron': 'trx',
  'SOL:solana': 'sol',
  'DOGE:dogecoin': 'doge',
  'BNB:bsc': 'bnbbsc',
  'XRP:ripple': 'xrp',
  'BCH:bitcoincash': 'bch',
});

/** A value that may be absent: missing, null or empty. */
const Optional = Token.or(z.literal('').transform(() => null)).nullish();

export const PayoutRecord = z.object({
  id: ExternalId,
  batch_withdrawal_id: ExternalId.nullish(),
  status: z.string(),
  hash: Optional,
  error: Reason.nullish(),
  unique_external_id: Optional,
  address: z.string().nullish(),
  updated_at: Exact.nullish(),
});
type PayoutRecord = z.output<typeof PayoutRecord>;
const NewBatch = z.object({ id: ExternalId, withdrawals: z.array(PayoutRecord).min(1) });
const Page = z.object({ payouts: z.array(PayoutRecord) });
const Refusal = z.object({ message: Reason });
const Session = z.object({ token: z.string().min(1).max(4096) });

/** The provider's secrets may be as short as 80 bits. */
const SHORT_SECRETS = { MIN_SECRET_BYTES: 10 };
/** Tokens are valid for five minutes. */
const SESSION_MS = 4 * 60_000;
const PAGE_SIZE = 100;
const MOST_PAGES = 50;
const DAY_MS = 24 * 3600_000;

/** Payouts through NOWPayments, which may pay the same reference twice. */
export function createNowpaymentsPayouts(
  outbound: Outbound,
  deps: ProviderDeps,
): Pick<PaymentProvider, 'pay' | 'lookUp'> {
  const session = createSession(outbound, deps);
  const client = createClient(outbound, session);
  return {
    async pay({ reference, address, memo, amount, ...method }) {
      const currency = CODES.find(method);
      if (!currency) return refused('not paid out by this provider');
      const ipn_callback_url = callbackOf(deps.config, 'withdrawal');
      const withdrawal = {
        address,
        currency,
        amount: numeral(formatUnits(amount)),
        unique_external_id: reference,
        ipn_callback_url,
        ...(memo !== null && { extra_id: memo }),
      };
      // Without a session token, no payout was requested.
      await session.headers().catch(throwNotSent);
      const answer = await client.post('/v1/payout', { ipn_callback_url, withdrawals: [withdrawal] });
      if (answer.status === 400 || answer.status === 422) return refused(bodyOf(answer, Refusal).message);
      const batch = resultOf(answer, NewBatch, { statuses: [200, 201] });
      await confirm(client, deps, batch.id);
      return stateOfRecord(batch.withdrawals[0]!);
    },

    async lookUp(payout) {
      const found = (await findById(client, payout)) ?? (await search(client, payout));
      if (!found) return assertSettled(payout.sentAt, deps.clock);
      if (found.status.toUpperCase() === 'CREATING' && found.batch_withdrawal_id)
        await confirm(client, deps, found.batch_withdrawal_id);
      return stateOfRecord(found);
    },
  };
}

/** Confirms a payout with a second-factor code. The provider rejects payouts that are not confirmed within an hour. */
async function confirm({ post }: Client, { config, clock }: ProviderDeps, batchId: string): Promise<void> {
  const { NOWPAYMENTS_TOTP_SECRET: secret } = config;
  if (!secret) return;
  const { createGuardrails, generate } = await import('otplib');
  const guardrails = createGuardrails(SHORT_SECRETS);
  const code = await generate({ secret, guardrails, epoch: Math.floor(clock.now() / 1000) });
  const path = `/v1/payout/${encodeURIComponent(batchId)}/verify`;
  // The payout exists whatever the response is, and the next query retries the confirmation.
  await post(path, { verification_code: code }).catch(() => undefined);
}

async function findById({ get }: Client, { externalId: id, reference }: PayoutQuery) {
  if (id === null) return undefined;
  const answer = await get(`/v1/payout/${encodeURIComponent(id)}`);
  if (answer.status !== 200) return undefined;
  const records = bodyOf(answer, z.union([z.array(PayoutRecord), PayoutRecord.transform((one) => [one])]));
  // Older accounts do not store our reference, so the payout is found by its id.
  return records.find(
    (record) => (record.unique_external_id ?? (record.id === id && reference)) === reference,
  );
}

async function search({ get }: Client, { reference, sentAt, address }: PayoutQuery) {
  let isDoubtful = false;
  const [from, to] = [-DAY_MS, DAY_MS].map((ms) => new Date(sentAt.getTime() + ms).toISOString());
  for (let page = 0; page < MOST_PAGES; page++) {
    const range = { date_from: from!, date_to: to!, order_by: 'dateCreated', order: 'asc' };
    const query = new URLSearchParams({ ...range, limit: String(PAGE_SIZE), page: String(page) });
    const { payouts } = resultOf(await get(`/v1/payout?${query}`), Page);
    const found = payouts.find(({ unique_external_id }) => unique_external_id === reference);
    isDoubtful ||= payouts.some((one) => !one.unique_external_id && mayBeTo(one, address));
    if (!found && payouts.length === 0 && isDoubtful)
      throw new Unanswered('an unnamed payout to this address exists and may be this one');
    if (found || payouts.length === 0) return found;
  }
  throw new Unanswered('too many payouts to search');
}

/** Returns true if this may be the recipient of a payout. It also returns true for payouts without an address. */
const mayBeTo = ({ address }: PayoutRecord, recipient: string | undefined) =>
  !address || recipient === undefined || address.toLowerCase() === recipient.toLowerCase();

function throwNotSent(error: unknown): never {
  throw error instanceof NotSent ? error : new NotSent('no session', { cause: error });
}

/** Returns the headers of payout requests, with a token that is renewed before it expires. */
function createSession(outbound: Outbound, { config }: ProviderDeps) {
  const { NOWPAYMENTS_API_KEY: key = '', NOWPAYMENTS_EMAIL: email, NOWPAYMENTS_PASSWORD: password } = config;
  const client = createClient(outbound, { headers: () => ({}) });
  let session: { token: string; until: number } | undefined;
  return {
    async headers(): Promise<Record<string, string>> {
      if (!session || session.until < Date.now()) {
        const answer = await client.post('/v1/auth', { email, password });
        if (answer.status !== 200 && answer.status !== 201)
          throw new NotSent(`no session: answered ${answer.status}`);
        session = { token: bodyOf(answer, Session).token, until: Date.now() + SESSION_MS };
      }
      return { 'x-api-key': key, authorization: `Bearer ${session.token}` };
    },
    forget: () => {
      session = undefined;
    },
  };
}

const STATUSES: Readonly<Record<string, PayoutState['status']>> = {
  CREATING: 'PROCESSING',
  WAITING: 'PROCESSING',
  PROCESSING: 'PROCESSING',
  SENDING: 'PROCESSING',
  FINISHED: 'COMPLETED',
  FAILED: 'FAILED',
  REJECTED: 'FAILED',
};

export const isKnownStatus = (status: string): boolean => Object.hasOwn(STATUSES, status.toUpperCase());

/** Converts a payout record to our payout state. An unknown status is treated as PROCESSING, so that polling continues. */
export const stateOfRecord = ({ id, status, hash, error }: PayoutRecord): PayoutState =>
  stateOf({
    externalId: id,
    txHash: hash ?? null,
    status: meaningIn(STATUSES, status.toUpperCase()) ?? 'PROCESSING',
    failedReason: error ?? status.toLowerCase(),
  });

/** Returns the URL for webhooks about deposits or payouts. */
export const callbackOf = ({ PUBLIC_API_URL }: ProviderDeps['config'], of: 'deposit' | 'withdrawal') =>
  `${PUBLIC_API_URL}/webhooks/payments/nowpayments/${of}`;

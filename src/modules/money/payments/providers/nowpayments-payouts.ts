import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { NotSent, type Outbound, Unanswered } from '../../../../platform/outbound.ts';
import type { PaymentProvider, PayoutState, PayoutStatus } from '../provider.ts';
import { assertHeard, assertSettled, bodyOf, refused } from './answer.ts';
import { numeral } from './rules.ts';
import { Exact, Reason, Token } from './schemas.ts';

type Settings = {
  key: string;
  email: string | undefined;
  password: string | undefined;
  totpSecret: string | undefined;
  clock: Clock;
  callbackUrl: string;
  codes: Readonly<Record<string, string>>;
};

/** What there is not may be missing, null or empty. */
const Optional = Token.or(z.literal('').transform(() => null)).nullish();

export const PayoutRecord = z.object({
  id: Exact.pipe(Token),
  batch_withdrawal_id: Exact.pipe(Token).nullish(),
  status: z.string(),
  hash: Optional,
  error: Reason.nullish(),
  unique_external_id: Optional,
  address: z.string().nullish(),
  updated_at: Exact.nullish(),
});
type PayoutRecord = z.output<typeof PayoutRecord>;
const NewBatch = z.object({ id: Exact.pipe(Token), withdrawals: z.array(PayoutRecord).min(1) });
const Page = z.object({ payouts: z.array(PayoutRecord) });
const Refusal = z.object({ message: Reason });
const Session = z.object({ token: z.string().min(1).max(4096) });

/** The provider's secrets may have 80 bits. */
const SHORT_SECRETS = { MIN_SECRET_BYTES: 10 };
/** Tokens live for five minutes. */
const SESSION_MS = 4 * 60_000;
const PAGE_SIZE = 100;
const MOST_PAGES = 50;
const DAY_MS = 24 * 3600_000;

/** Payouts by NOWPayments. Nothing there keeps a reference from being paid twice. */
export function createNowpaymentsPayouts(
  outbound: Outbound,
  settings: Settings,
): Pick<PaymentProvider, 'pay' | 'lookUp'> {
  const { totpSecret, callbackUrl, codes } = settings;
  const session = createSession(outbound, settings);
  const ask = async (method: 'GET' | 'POST', path: string, body?: string) => {
    const headers = await session.headers();
    const answer = await outbound.ask({ method, path, headers, ...(body !== undefined && { body }) });
    if (answer.status === 401 || answer.status === 403) session.forget();
    return answer;
  };

  /** A payout waits for the second factor; one that does not get it is rejected by the provider after an hour. */
  const confirm = async (batchId: string): Promise<void> => {
    if (!totpSecret) return;
    const { createGuardrails, generate } = await import('otplib');
    const code = await generate({
      secret: totpSecret,
      guardrails: createGuardrails(SHORT_SECRETS),
      epoch: Math.floor(settings.clock.now() / 1000),
    });
    const body = JSON.stringify({ verification_code: code });
    // The payout is there whatever comes of this; the next look-up tries again.
    await ask('POST', `/v1/payout/${encodeURIComponent(batchId)}/verify`, body).catch(() => undefined);
  };
  const lookUpById = async (id: string, reference: string): Promise<PayoutRecord | undefined> => {
    const answer = await ask('GET', `/v1/payout/${encodeURIComponent(id)}`);
    assertHeard(answer);
    if (answer.status !== 200) return undefined;
    const records = bodyOf(answer, z.union([z.array(PayoutRecord), PayoutRecord.transform((one) => [one])]));
    // Older accounts do not keep our name; the id is that of the payout itself.
    return records.find(
      (record) => (record.unique_external_id ?? (record.id === id && reference)) === reference,
    );
  };
  const search = async (reference: string, sentAt: Date, recipient: string | undefined) => {
    let isDoubtful = false;
    const [from, to] = [-DAY_MS, DAY_MS].map((ms) => new Date(sentAt.getTime() + ms).toISOString());
    for (let page = 0; page < MOST_PAGES; page++) {
      const range = { date_from: from!, date_to: to!, order_by: 'dateCreated', order: 'asc' };
      const query = new URLSearchParams({ ...range, limit: String(PAGE_SIZE), page: String(page) });
      const answer = await ask('GET', `/v1/payout?${query}`);
      assertHeard(answer);
      if (answer.status !== 200) throw new Unanswered(`answered ${answer.status}`);
      const { payouts } = bodyOf(answer, Page);
      const found = payouts.find(({ unique_external_id }) => unique_external_id === reference);
      isDoubtful ||= payouts.some((one) => !one.unique_external_id && isTo(one, recipient));
      if (!found && payouts.length === 0 && isDoubtful)
        throw new Unanswered('has paid this address without a name: it may be this one');
      if (found || payouts.length === 0) return found;
    }
    throw new Unanswered('has more payouts than can be searched');
  };

  return {
    async pay({ reference, currencyId, networkId, address, memo, amount }) {
      const code = codes[`${currencyId}:${networkId}`];
      if (!code) return refused('not paid out by this provider');
      const callback = { unique_external_id: reference, ipn_callback_url: `${callbackUrl}/withdrawal` };
      const withdrawal = { address, currency: code, amount: numeral(formatUnits(amount)), ...callback };
      const withdrawals = [{ ...withdrawal, ...(memo !== null && { extra_id: memo }) }];
      const body = JSON.stringify({ ipn_callback_url: callback.ipn_callback_url, withdrawals });
      // A session that is refused or not answered has paid nothing out.
      await session.headers().catch(notSent);
      const answer = await ask('POST', '/v1/payout', body);
      assertHeard(answer);
      if (answer.status === 400 || answer.status === 422) return refused(bodyOf(answer, Refusal).message);
      if (answer.status !== 200 && answer.status !== 201) throw new Unanswered(`answered ${answer.status}`);
      const batch = bodyOf(answer, NewBatch);
      await confirm(batch.id);
      return stateOf(batch.withdrawals[0]!);
    },

    async lookUp({ reference, externalId, sentAt, address }) {
      const known = externalId === null ? undefined : await lookUpById(externalId, reference);
      const found = known ?? (await search(reference, sentAt, address));
      if (!found) return assertSettled(sentAt, settings.clock);
      if (found.status.toUpperCase() === 'CREATING' && found.batch_withdrawal_id)
        await confirm(found.batch_withdrawal_id);
      return stateOf(found);
    },
  };

  function notSent(error: unknown): never {
    throw error instanceof NotSent ? error : new NotSent('no session', { cause: error });
  }
}

/** What is not said could be anybody. */
const isTo = ({ address }: PayoutRecord, recipient: string | undefined) =>
  !address || recipient === undefined || address.toLowerCase() === recipient.toLowerCase();

/** The headers of requests about payouts, with a token that is fetched anew when it is about to end. */
function createSession(outbound: Outbound, { key, email, password }: Settings) {
  let session: { token: string; until: number } | undefined;
  const headers = async (): Promise<Record<string, string>> => {
    if (!session || session.until < Date.now()) {
      const answer = await outbound.ask({
        method: 'POST',
        path: '/v1/auth',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      if (answer.status !== 200 && answer.status !== 201)
        throw new NotSent(`no session: answered ${answer.status}`);
      session = { token: bodyOf(answer, Session).token, until: Date.now() + SESSION_MS };
    }
    const json = { 'content-type': 'application/json' };
    return { ...json, 'x-api-key': key, authorization: `Bearer ${session.token}` };
  };
  const forget = () => {
    session = undefined;
  };
  return { headers, forget };
}

const STATUSES: Readonly<Record<string, PayoutStatus>> = {
  CREATING: 'PROCESSING',
  WAITING: 'PROCESSING',
  PROCESSING: 'PROCESSING',
  SENDING: 'PROCESSING',
  FINISHED: 'COMPLETED',
  FAILED: 'FAILED',
  REJECTED: 'FAILED',
};

/** What a record of the provider says. A status that we do not know is not an end. */
export function stateOf({ id, status, hash, error }: PayoutRecord): PayoutState {
  const known = STATUSES[status.toUpperCase()] ?? 'PROCESSING';
  const isSent = known === 'PROCESSING' && Boolean(hash);
  return {
    externalId: id,
    txHash: hash ?? null,
    confirmations: 0,
    status: isSent ? 'SENT' : known,
    failedReason: known === 'FAILED' ? (error ?? status.toLowerCase()) : null,
  };
}

import { randomBytes } from 'node:crypto';
import {
  type Endpoint,
  html,
  json,
  parseObject,
  type SandboxAnswer,
  type SandboxRequest,
  type SandboxService,
  seeOther,
  setting,
} from './endpoint.ts';
import { makeTxHash } from './payments-addresses.ts';
import { formatAmount, parseAmount } from './payments-amounts.ts';
import { createBehaviour } from './payments-behaviour.ts';
import { type Books, createBooks, DEPOSIT_STATUSES, PAYOUT_STATUSES } from './payments-books.ts';
import { btcpay } from './payments-btcpay.ts';
import { createDeliveries, type Webhook } from './payments-deliveries.ts';
import { createDialect } from './payments-dialect.ts';
import { MODES } from './payments-faults.ts';
import { nowpayments } from './payments-nowpayments.ts';
import { DEFAULT_KEY, ownEndpoints, ownWebhooks } from './payments-own.ts';
import { paymentsPage } from './payments-page.ts';

/**
 * A payment provider that moves fictitious coins. Its books are the only record of deposits and payouts. `apiUrl` is the URL at which the
 * platform receives webhooks.
 */
export function payments({ url, apiUrl }: { url: string; apiUrl: () => string }): SandboxService {
  const behaviour = createBehaviour();
  const { chance, random } = behaviour;
  const deliveries = createDeliveries({ apiUrl, chance, random, faults: () => behaviour.get().webhooks });
  const books: Books = createBooks({
    settlesItself: () => behaviour.get().autoSettle,
    onDeposit: (deposit) => tell(deposit.externalId, dialects[deposit.dialect].deposit(deposit)),
    onPayout: (payout) => tell(payout.externalId, dialects[payout.dialect].payout(payout)),
  });
  const tell = (queue: string, webhook: Webhook | undefined) => webhook && deliveries.send(queue, webhook);
  const dialect = createDialect(books, behaviour);
  const dialects = {
    sandbox: { endpoints: ownEndpoints(dialect), ...ownWebhooks() },
    nowpayments: nowpayments(dialect),
    btcpay: btcpay(dialect),
  };
  return {
    name: 'Payments',
    about:
      'A payment provider with addresses, incoming coins and payouts. It sends webhooks about both to the main API and repeats each ' +
      'until the response is 2xx. It uses its own protocol and, below /payments/nowpayments and /payments/btcpay, those of two real ' +
      'providers. To use these, set PAYMENT_PROVIDER, and set NOWPAYMENTS_API_URL or BTCPAY_URL to that address, with the key ' +
      'sandbox-nowpayments-key or sandbox-btcpay-key.',
    settings: {
      PAYMENT_API_URL: `${url}/payments`,
      PAYMENT_API_KEY: setting('PAYMENT_API_KEY', DEFAULT_KEY),
    },
    endpoints: [
      {
        method: 'GET',
        path: '/payments',
        about: 'Sends coins to an address, shows the books and completes payouts.',
        handle: () => html(200, paymentsPage(books)),
      },
      {
        method: 'POST',
        path: '/payments',
        about: 'Receives the forms of that page.',
        example: 'do=settle&reference=w-1&status=FAILED',
        handle: (request) => press(books, request),
      },
      ...controls(books, behaviour),
      ...Object.values(dialects).flatMap(({ endpoints }) => endpoints),
      {
        method: 'GET',
        path: '/payments/deliveries',
        about:
          "Lists the last 1000 webhooks, oldest first, with the number of attempts and the platform's last response.",
        handle: () => json(200, deliveries.list()),
      },
    ],
    close: deliveries.close,
  };
}

/** Endpoints with which developers make coins arrive or disappear, and payouts succeed or fail. */
function controls(books: Books, behaviour: ReturnType<typeof createBehaviour>): Endpoint[] {
  return [
    {
      method: 'POST',
      path: '/payments/coins',
      about: `Sends coins to an address. The deposit becomes DETECTED, CONFIRMING and COMPLETED, or stops at the given status (${DEPOSIT_STATUSES.join(', ')}). Returns { externalId, txHash, outputIndex }. A repeated output continues from its current status. Optional fields: memo, txHash, outputIndex, confirmations, status.`,
      example: '{ "address": "T…", "currencyId": "USDT", "networkId": "tron", "amount": "25" }',
      handle: ({ body }) => coins(books, parseObject(body) ?? {}),
    },
    {
      method: 'POST',
      path: '/payments/reorg',
      about: 'Reverses a deposit (REVERSED). Without outputIndex it reverses all outputs of the transaction.',
      example: '{ "txHash": "…", "outputIndex": 0 }',
      handle: ({ body }) => reorg(books, parseObject(body) ?? {}),
    },
    {
      method: 'POST',
      path: '/payments/settle',
      about: `Moves a payout to another status: ${PAYOUT_STATUSES.join(', ')}. FAILED accepts a failedReason.`,
      example: '{ "reference": "w-1", "status": "COMPLETED" }',
      handle: ({ body }) => settle(books, parseObject(body) ?? {}),
    },
    {
      method: 'GET',
      path: '/payments/books',
      about:
        'Lists all deposits and payouts, and the totals of each currency: `in` is the sum of completed deposits that were not ' +
        'reversed, `out` the sum of sent payouts.',
      handle: () => json(200, books.read()),
    },
    {
      method: 'POST',
      path: '/payments/behaviour',
      about: `Sets the behaviour. Omitted settings are normal. payouts, lookups and addresses are one of, or probabilities of, ${MODES.join(', ')}. The settings in webhooks are probabilities, except delayMs and reorderMs. Other fields: autoSettle, slowMs, redirectTo, seed.`,
      example:
        '{ "payouts": { "timeout-after": 0.2, "reset": 0.1 }, "webhooks": { "duplicates": 0.1, "lost": 0.1, "reorder": 0.2 }, "seed": 7 }',
      handle: ({ body }) => {
        try {
          behaviour.set(body);
        } catch (error) {
          return json(400, { error: (error as Error).message });
        }
        return json(200, behaviour.get());
      },
    },
  ];
}

/** Handles a button on the page. Each button submits a form. */
function press(books: Books, { body }: SandboxRequest): SandboxAnswer {
  const { do: action, to = '{}', outputIndex, ...fields } = Object.fromEntries(new URLSearchParams(body));
  const answer =
    action === 'coins'
      ? coins(books, { ...parseObject(to), ...fields })
      : action === 'settle'
        ? settle(books, fields)
        : reorg(books, { ...fields, outputIndex: Number(outputIndex) });
  const isDone = typeof answer === 'object' && answer.status === 200;
  return isDone
    ? seeOther('/payments')
    : html(400, paymentsPage(books, 'This action is not possible for this payout or deposit.'));
}

function coins(books: Books, input: Record<string, unknown>): SandboxAnswer {
  const {
    address,
    memo = null,
    currencyId,
    networkId,
    status = 'COMPLETED',
  } = input as Record<string, string>;
  const amount = parseAmount(input.amount);
  if (!address || !currencyId || !networkId || amount === undefined)
    return json(400, { error: 'address, currencyId, networkId and amount (decimal text) are needed' });
  if (!DEPOSIT_STATUSES.includes(status))
    return json(400, { error: `status is one of ${DEPOSIT_STATUSES.join(', ')}` });
  const txHash = input.txHash ? String(input.txHash) : makeTxHash(networkId, randomBytes(16).toString('hex'));
  const [outputIndex, confirmations] = [Number(input.outputIndex ?? 0), Number(input.confirmations ?? 0)];
  const output = { networkId, txHash, outputIndex, confirmations };
  try {
    const deposit = books.receive({ ...output, address, memo: memo || null, currencyId, amount, status });
    return json(200, { externalId: deposit.externalId, txHash, outputIndex });
  } catch (error) {
    return json(409, { error: (error as Error).message });
  }
}

function reorg(books: Books, { txHash, outputIndex }: Record<string, unknown>): SandboxAnswer {
  const reversed = books.reverse(String(txHash), outputIndex as number | undefined);
  return reversed > 0 ? json(200, { reversed }) : json(404, { error: 'no such coins' });
}

function settle(books: Books, input: Record<string, unknown>): SandboxAnswer {
  const { reference, status, failedReason } = input as Record<string, string>;
  if (!PAYOUT_STATUSES.includes(status!))
    return json(400, { error: `status is one of ${PAYOUT_STATUSES.join(', ')}` });
  const payout = books.payoutsOf(String(reference)).at(-1);
  if (!payout) return json(404, { error: 'no such payout' });
  const reason = status === 'FAILED' ? (failedReason ?? 'failed at the provider') : null;
  books.settle(payout, {
    status: status!,
    confirmations: status === 'COMPLETED' ? 30 : 0,
    failedReason: reason,
  });
  return json(200, { reference, status, amount: formatAmount(payout.amount) });
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  behaviour,
  html,
  json,
  parseObject,
  type SandboxAnswer,
  type SandboxRequest,
  type SandboxService,
  secretOf,
  seeOther,
  setting,
  signatureOf,
  text,
} from './endpoint.ts';
import { createDeliveries, type Deliveries } from './payments-deliveries.ts';
import { CATALOGUE, priceOf, type Trade, tradePage } from './skins-page.ts';

const MODES = ['ok', 'down', 'slow', 'garbage', 'duplicates'] as const;
type Mode = (typeof MODES)[number];

const STATUSES = ['PENDING', 'IN_HOLD', 'SUCCESS', 'FAIL', 'HOLD_APPROVED', 'HOLD_RETURNED'] as const;

type State = { url: string; mode: Mode; trades: Map<string, Trade>; deliveries: Deliveries };

/** A delay that is longer than the platform's timeout. */
const SLOW_MS = 6000;
const SESSION_LIFE_MS = 30 * 60_000;
const HOLD_MS = 8 * 86_400_000;
const PATH = '/webhooks/skins/sandbox';

/** A marketplace that buys skins. It has player sessions, an eight-day hold on items, and signed webhooks about each trade. */
export function skins({ url, apiUrl }: { url: string; apiUrl: () => string }): SandboxService {
  const deliveries = createDeliveries({
    apiUrl,
    faults: () => ({ ...NO_FAULTS, duplicates: state.mode === 'duplicates' ? 1 : 0 }),
    chance: (probability) => probability > 0,
    random: Math.random,
  });
  const state: State = { url, mode: 'ok', trades: new Map(), deliveries };
  const advance = (trade: Trade, change: object) => tell(state, trade, change);
  return {
    name: 'Skin marketplace',
    about:
      'Buys skins from players and pays the platform. Trades do not advance with time: use /skins/advance or the page of a trade.',
    settings: { SKINS_API_URL: `${url}/skins` },
    endpoints: [...tradeEndpoints(state, advance), ...developerEndpoints(state, advance)],
    close: deliveries.close,
  };
}

type Advance = (trade: Trade, change: object) => void;

/** Endpoints for the platform and the player's browser. */
const tradeEndpoints = (state: State, advance: Advance): SandboxService['endpoints'] => [
  {
    method: 'POST',
    path: '/skins/v1/sessions',
    about: 'Opens a session, once for each reference. Requires the key as a bearer token.',
    example:
      '{ "reference": "…", "game": "cs2", "platformId": "…", "tradeLink": "…", "successUrl": "…", "failUrl": "…" }',
    handle: (request) => session(state, request),
  },
  {
    method: 'GET',
    path: '/skins/trade/{transactionId}',
    about: 'The page on which the player chooses the skins to sell, and a developer the outcome.',
    handle: ({ params }) =>
      withTrade(state, params.transactionId, (trade) => html(200, tradePage(trade, STATUSES))),
  },
  {
    method: 'POST',
    path: '/skins/trade/{transactionId}',
    about: 'Receives the forms of that page.',
    handle: ({ params, body }) =>
      withTrade(state, params.transactionId, (trade) => choose(trade, new URLSearchParams(body), advance)),
  },
];

/** Endpoints with which developers decide the next step of a trade. */
const developerEndpoints = (state: State, advance: Advance): SandboxService['endpoints'] => [
  {
    method: 'POST',
    path: '/skins/advance',
    about: 'Moves a trade to any status, in any order, and reports it to the platform.',
    example:
      '{ "transactionId": "…", "status": "HOLD_APPROVED", "usdAmount": "12.50", "items": [], "userRisk": { "score": 10 } }',
    handle: ({ body }) => {
      const { transactionId, ...change } = parseObject(body) ?? {};
      if (!isOneOf(STATUSES, change.status))
        return json(400, { error: `status is one of ${STATUSES.join(', ')}` });
      return withTrade(state, transactionId, (trade) => {
        advance(trade, change);
        return json(200, trade);
      });
    },
  },
  {
    method: 'GET',
    path: '/skins/trades.json',
    about: 'Lists all trades, oldest first.',
    handle: () => json(200, [...state.trades.values()]),
  },
  {
    method: 'POST',
    path: '/skins/behaviour',
    about:
      'Sets the behaviour of sessions: ok, down (no response), slow (opened, but the response is too late) or garbage (opened, but ' +
      'the response is not JSON). duplicates sends every webhook twice.',
    example: '{ "mode": "down" }',
    handle: behaviour(MODES, (mode) => {
      state.mode = mode;
    }),
  },
];

const NO_FAULTS = { duplicates: 0, reorder: 0, lost: 0, slow: 0, delayMs: 0, reorderMs: 100 };

const isOneOf = <T>(values: readonly T[], value: unknown): value is T => values.includes(value as T);

async function session(state: State, { headers, body }: SandboxRequest): Promise<SandboxAnswer> {
  if (state.mode === 'down') return 'drop';
  if (headers.authorization !== `Bearer ${setting('SKINS_API_KEY', 'sandbox-skins-key')}`)
    return json(401, { error: 'the key is wrong' });
  const request = parseObject(body);
  const missing = ['reference', 'game', 'platformId', 'tradeLink', 'successUrl', 'failUrl'].find(
    (name) => typeof request?.[name] !== 'string',
  );
  if (!request || missing) return json(400, { error: `${missing} is missing` });
  const trade = open(state, request);
  if (state.mode === 'slow') await sleep(SLOW_MS, undefined, { ref: false });
  if (state.mode === 'garbage') return html(200, '<html>Just a moment…');
  const { transactionId, expiresAt } = trade;
  return json(200, { transactionId, url: `${state.url}/skins/trade/${transactionId}`, expiresAt });
}

function open({ trades }: State, request: Record<string, unknown>): Trade {
  const reference = String(request.reference);
  const known = [...trades.values()].find((trade) => trade.reference === reference);
  if (known) return known;
  const expiresAt = new Date(Date.now() + SESSION_LIFE_MS).toISOString();
  const transactionId = `st-${randomUUID()}`;
  const trade = {
    reference,
    transactionId,
    status: 'PENDING',
    items: [],
    usdAmount: null,
    request,
    expiresAt,
  };
  trades.set(transactionId, trade);
  return trade;
}

const withTrade = ({ trades }: State, id: unknown, work: (trade: Trade) => SandboxAnswer): SandboxAnswer => {
  const trade = trades.get(String(id));
  return trade ? work(trade) : text(404, 'no such trade');
};

/** Handles the page's form, which submits items to sell, a cancellation, or the next step. */
function choose(trade: Trade, form: URLSearchParams, advance: Advance): SandboxAnswer {
  const back = `/skins/trade/${trade.transactionId}`;
  if (form.has('cancel')) {
    advance(trade, { status: 'FAIL', failReason: 'cancelled' });
    return seeOther(String(trade.request.failUrl));
  }
  const status = form.get('status');
  if (status !== null) {
    const score = Number(form.get('score'));
    if (isOneOf(STATUSES, status)) advance(trade, { status, userRisk: { score } });
    return seeOther(back);
  }
  const items = CATALOGUE.filter(({ name }) => form.getAll('item').includes(name));
  if (items.length === 0) return seeOther(back);
  advance(trade, { status: 'IN_HOLD', items });
  return seeOther(String(trade.request.successUrl));
}

/** Changes a trade and sends a webhook to the platform until the platform accepts it. */
function tell({ deliveries }: State, trade: Trade, change: Partial<Trade>): void {
  const { items = trade.items } = change;
  Object.assign(trade, { usdAmount: items.length > 0 ? priceOf(items) : null }, change, { items });
  const { transactionId, status, usdAmount } = trade;
  const hold = status === 'IN_HOLD' ? { holdUntil: new Date(Date.now() + HOLD_MS).toISOString() } : {};
  const occurredAt = new Date().toISOString();
  const webhook = { transactionId, status, items, usdAmount, ...hold, ...change, occurredAt };
  deliveries.send(transactionId, {
    path: PATH,
    body: JSON.stringify(webhook),
    sign: (text) => ({
      'x-signature': signatureOf(text, secretOf('SKINS_WEBHOOK_SECRETS', 'sandbox-skins-webhook-secret')),
    }),
  });
}

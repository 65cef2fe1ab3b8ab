import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFresh } from './clock.ts';
import { type Call, crmPage, type Rule, type Told } from './crm-page.ts';
import {
  behaviour,
  html,
  json,
  parseObject,
  type SandboxAnswer,
  type SandboxRequest,
  type SandboxService,
  seeOther,
  setting,
  text,
} from './endpoint.ts';

/** How the CRM responds to events. In modes other than `ok`, `garbage` and `slow`, it does not accept the event. */
const MODES = ['ok', 'down', 'slow', 'garbage', 'error', 'busy', 'refuse'] as const;
type Mode = (typeof MODES)[number];

/** A delay that is longer than the platform's timeout. */
const SLOW_MS = 6000;
/** Maximum age of an event's signature. */
const TOLERANCE_SECONDS = 300;

type State = {
  apiUrl: () => string;
  mode: Mode;
  /** Messages by id, in the order of their first arrival. */
  told: Map<string, Told>;
  /** Ids in order of arrival, with duplicates. */
  arrivals: string[];
  refused: number;
  calls: Call[];
  rule: Rule | undefined;
  /** Ids of completed deposits by player. */
  deposits: Map<string, Set<string>>;
};

/** A CRM that accepts the platform's events, identifies the player of a session, and automatically credits players according to a rule. */
export function crm({ url, apiUrl }: { url: string; apiUrl: () => string }): SandboxService {
  const state: State = {
    apiUrl,
    mode: 'ok',
    told: new Map(),
    arrivals: [],
    refused: 0,
    calls: [],
    rule: undefined,
    deposits: new Map(),
  };
  const setMode = behaviour(MODES, (mode) => {
    state.mode = mode;
  });
  return {
    name: 'CRM',
    about:
      'Receives player events and shows them at /crm. With POST /crm/rule it credits a player after a number of deposits.',
    settings: { CRM_URL: `${url}/crm/events` },
    endpoints: [...eventEndpoints(state), ...developerEndpoints(state, setMode)],
  };
}

/** Endpoints that receive the platform's events, and the CRM's reactions to these events. */
const eventEndpoints = (state: State): SandboxService['endpoints'] => [
  {
    method: 'POST',
    path: '/crm/events',
    about: 'Receives an event from the platform, signed with CRM_SECRET.',
    example: '{ "type": "deposit", "user_id": "1", "timestamp": "…", "status": "COMPLETED" }',
    handle: (request) => take(state, request),
  },
  {
    method: 'GET',
    path: '/crm/events.json',
    about: 'Lists all events in the order of their first arrival. Filters: ?type=deposit, ?user_id=1.',
    handle: ({ query }) =>
      json(
        200,
        [...state.told.values()].filter(
          ({ type, userId }) => isAsked(query.get('type'), type) && isAsked(query.get('user_id'), userId),
        ),
      ),
  },
  {
    method: 'GET',
    path: '/crm/arrivals.json',
    about: 'Lists the ids of received events in order of arrival, including repeats.',
    handle: () => json(200, state.arrivals),
  },
];

const isAsked = (asked: string | null, value: string): boolean => asked === null || asked === value;

/** Endpoints for developers. */
const developerEndpoints = (
  state: State,
  setMode: ReturnType<typeof behaviour>,
): SandboxService['endpoints'] => [
  {
    method: 'GET',
    path: '/crm',
    about: 'Shows events and credits.',
    handle: () => html(200, crmPage({ ...state, told: [...state.told.values()], modes: MODES })),
  },
  {
    method: 'POST',
    path: '/crm',
    about: 'Receives the forms of that page.',
    handle: (request) => {
      setMode({ ...request, body: JSON.stringify({ mode: new URLSearchParams(request.body).get('mode') }) });
      return seeOther('/crm');
    },
  },
  {
    method: 'POST',
    path: '/crm/behaviour',
    about:
      'Sets how events are answered: ok, down (no response), slow (accepted after six seconds), garbage (accepted, with an HTML ' +
      'page), error (500), busy (429) or refuse (422).',
    example: '{ "mode": "down" }',
    handle: setMode,
  },
  {
    method: 'POST',
    path: '/crm/rule',
    about:
      'Sets a rule: after this number of completed deposits, a player is credited cash or, with bonusCode, a promotion. An empty ' +
      'object removes the rule.',
    example: '{ "afterDeposits": 3, "amount": "5", "currency": "USDT" }',
    handle: ({ body }) => setRule(state, parseObject(body) ?? {}),
  },
  {
    method: 'POST',
    path: '/crm/authenticate',
    about: 'Asks the platform which user a session belongs to, as a page of the CRM would.',
    example: '{ "sid": "…" }',
    handle: async ({ body }) => {
      const { status, answer } = await ask(state, '/external-auth/authenticate', parseObject(body) ?? {});
      return json(status, answer);
    },
  },
];

async function take(state: State, request: SandboxRequest): Promise<SandboxAnswer> {
  const { mode } = state;
  if (mode === 'down') return 'drop';
  if (mode === 'error') return json(500, { error: 'something went wrong' });
  if (mode === 'busy') return json(429, { error: 'later' });
  if (mode === 'refuse') return json(422, { error: 'not like this' });
  const body = parseObject(request.body);
  const id = request.headers['x-event-id'];
  if (!isSigned(request) || typeof id !== 'string' || typeof body?.type !== 'string') {
    state.refused++;
    return json(401, { error: 'the signature is wrong' });
  }
  keep(state, id, body);
  if (mode === 'slow') await sleep(SLOW_MS, undefined, { ref: false });
  return mode === 'garbage' ? html(200, '<html>Just a moment…') : json(200, {});
}

function isSigned({ headers, body }: SandboxRequest): boolean {
  const { 'x-timestamp': timestamp, 'x-signature': signature } = headers;
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return false;
  if (!isFresh(Number(timestamp), TOLERANCE_SECONDS)) return false;
  const secret = setting('CRM_SECRET', 'sandbox-crm-secret');
  const expected = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return (
    signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
  );
}

function keep(state: State, id: string, body: Record<string, unknown>): void {
  state.arrivals.push(id);
  const known = state.told.get(id);
  if (known) return void known.times++;
  const told = {
    type: String(body.type),
    userId: String(body.user_id),
    receivedAt: new Date().toISOString(),
  };
  state.told.set(id, { id, ...told, body, times: 1 });
  if (told.type === 'deposit') countDeposit(state, told.userId, body);
}

/** Counts a completed deposit. For a completed sale of items, the status is SUCCESS. */
function countDeposit(state: State, userId: string, { status, payment_id }: Record<string, unknown>): void {
  if (status !== 'COMPLETED' && status !== 'SUCCESS') return;
  const deposits = state.deposits.get(userId) ?? new Set();
  state.deposits.set(userId, deposits.add(String(payment_id)));
  if (deposits.size === state.rule?.afterDeposits) void credit(state, state.rule, userId);
}

function setRule(state: State, given: Record<string, unknown>): SandboxAnswer {
  const { afterDeposits, amount = '5', currency = 'USDT', bonusCode = null } = given;
  if (afterDeposits !== undefined && !(Number.isInteger(afterDeposits) && Number(afterDeposits) > 0))
    return text(400, 'afterDeposits is a whole number');
  state.rule =
    afterDeposits === undefined
      ? undefined
      : {
          afterDeposits: Number(afterDeposits),
          amount: String(amount),
          currency: String(currency),
          bonusCode: bonusCode === null ? null : String(bonusCode),
        };
  return json(200, { rule: state.rule ?? null });
}

/** Credits the player. The platform does this only once, because the trigger hash is always the same. */
async function credit(state: State, rule: Rule, userId: string): Promise<void> {
  const { amount, currency, bonusCode, afterDeposits } = rule;
  const path = bonusCode === null ? '/marketing/bonus/credit/funds' : '/marketing/bonus/credit';
  const body =
    bonusCode === null
      ? { user_id: userId, amount, currency, reason: `deposit ${afterDeposits}` }
      : { user_id: userId, bonus_code: bonusCode };
  const { status, answer } = await ask(state, path, body, {
    'x-fasttrack-activityid': 'deposits',
    'x-fasttrack-actionid': '1',
    'x-fasttrack-triggerhash': `deposits-${afterDeposits}-${userId}`,
  });
  state.calls.push({ path, userId, status, answer: JSON.stringify(answer) });
}

async function ask(
  { apiUrl }: State,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; answer: unknown }> {
  try {
    const answer = await fetch(apiUrl() + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': setting('CRM_API_KEY', 'sandbox-crm-key'),
        ...headers,
      },
      body: JSON.stringify(body),
    });
    return { status: answer.status, answer: await answer.json() };
  } catch (error) {
    return { status: 502, answer: { error: String(error) } };
  }
}

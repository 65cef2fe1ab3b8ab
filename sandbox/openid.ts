import { createHmac, randomBytes } from 'node:crypto';
import { createModes, html, type SandboxAnswer, type SandboxService, seeOther, text } from './endpoint.ts';
import { escapeHtml, hiddenFields, page } from './page.ts';

const NS = 'http://specs.openid.net/auth/2.0';
/** Fields that OpenID 2.0 (10.1) requires to be signed in an assertion about an identity. The list of signed fields must be signed too. */
const SIGNED = 'signed,op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle'.split(',');
const NONCE_LIFE_MS = 5 * 60_000;
const ACCOUNT = '76561190000000001';

type State = { url: string; key: Buffer; handle: string; given: Map<string, number> };

/** An OpenID 2.0 provider like those of game platforms. It is stateless, so the platform must ask it to verify each assertion. */
export function openid({ url }: { url: string }): SandboxService {
  const handle = randomBytes(12).toString('base64url');
  const state: State = { url, key: randomBytes(32), handle, given: new Map() };
  const modes = createModes(
    '/openid/behaviour',
    ['ok', 'down', 'slow'],
    'Sets the behaviour of check_authentication: ok, down (no response) or slow (five seconds).',
  );
  return {
    name: 'Game platform (OpenID 2.0)',
    about:
      'Signs in any account id of 17 digits without a password. An assertion is valid once and for five minutes. Redirects only to ' +
      'the loopback address.',
    settings: { OPENID_ENDPOINT: endpointOf(state), OPENID_CLAIMED_ID: `${url}/openid/id/` },
    endpoints: [
      {
        method: 'GET',
        path: '/openid',
        about: 'Returns the discovery document (XRDS) of the provider.',
        handle: () => discovery(state, 'server'),
      },
      {
        method: 'GET',
        path: '/openid/id/{account}',
        about: 'Returns the discovery document of an account.',
        handle: () => discovery(state, 'signon'),
      },
      {
        method: 'GET',
        path: '/openid/login',
        about: 'Shows the sign-in form to the player (checkid_setup).',
        handle: ({ query }) => askWho(query),
      },
      {
        method: 'POST',
        path: '/openid/answer',
        about: 'Receives the sign-in form and redirects the player with an assertion or a cancellation.',
        handle: ({ body }) => sendBack(state, new URLSearchParams(body)),
      },
      {
        method: 'POST',
        path: '/openid/login',
        about: 'Verifies an assertion (check_authentication). The platform calls this itself.',
        example: 'openid.mode=check_authentication&openid.sig=…',
        handle: modes.behaving(({ body }) => check(state, new URLSearchParams(body))),
      },
      modes.endpoint,
    ],
  };
}

const endpointOf = ({ url }: State) => `${url}/openid/login`;

function discovery(state: State, kind: 'server' | 'signon'): SandboxAnswer {
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<xrds:XRDS xmlns:xrds="xri://$xrds" xmlns="xri://$xrd*($v*2.0)">
  <XRD>
    <Service priority="0">
      <Type>${NS}/${kind}</Type>
      <URI>${endpointOf(state)}</URI>
    </Service>
  </XRD>
</xrds:XRDS>
`;
  return { status: 200, type: 'application/xrds+xml; charset=utf-8', body };
}

/** Returns the problem with a sign-in request, or undefined if there is none. */
function problemOf(query: URLSearchParams): string | undefined {
  if (query.get('openid.ns') !== NS) return `openid.ns is not ${NS}`;
  if (query.get('openid.mode') !== 'checkid_setup') return 'openid.mode is not checkid_setup';
  for (const name of ['openid.claimed_id', 'openid.identity'])
    if (query.get(name) !== `${NS}/identifier_select`) return `${name} is not ${NS}/identifier_select`;
  const [returnTo, realm] = [query.get('openid.return_to') ?? '', query.get('openid.realm')];
  if (!isLoopback(returnTo)) return 'openid.return_to is not on the loopback address';
  if (realm !== null && !isWithin(returnTo, realm)) return 'openid.return_to is not within openid.realm';
  return undefined;
}

function isLoopback(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'http:' && /^(127(\.\d+){3}|localhost|\[::1\])$/.test(url.hostname);
}

function isWithin(address: string, realm: string): boolean {
  const [url, root] = [URL.parse(address), URL.parse(realm)];
  return (
    url !== null && url.origin === root?.origin && `${url.pathname}/`.startsWith(withSlash(root.pathname))
  );
}

const withSlash = (path: string) => (path.endsWith('/') ? path : `${path}/`);

function askWho(query: URLSearchParams): SandboxAnswer {
  const problem = problemOf(query);
  if (problem) return text(400, problem);
  const realm = query.get('openid.realm') ?? query.get('openid.return_to')!;
  return html(
    200,
    page(
      'Sign in to the game platform',
      `<p><b>${escapeHtml(realm)}</b> requests your identity. The sandbox accepts any input.</p>
<form method="post" action="/openid/answer" id="sign-in-form">
${hiddenFields(query)}
<label>Account id (17 digits)
<input id="account-id" name="account" required pattern="[0-9]{17}" value="${ACCOUNT}"></label>
<button id="sign-in" name="sign_in" value="1">Sign in</button>
<button id="cancel" name="cancel" value="1" formnovalidate>Cancel</button>
</form>`,
    ),
  );
}

function sendBack(state: State, form: URLSearchParams): SandboxAnswer {
  const problem = problemOf(form);
  if (problem) return text(400, problem);
  const returnTo = form.get('openid.return_to')!;
  if (form.has('cancel')) return seeOther(withQuery(returnTo, { ns: NS, mode: 'cancel' }));
  const account = form.get('account') ?? '';
  if (!/^\d{17}$/.test(account)) return text(400, 'the account id has 17 digits');
  return seeOther(withQuery(returnTo, assertion(state, { account, returnTo })));
}

function assertion(state: State, { account, returnTo }: { account: string; returnTo: string }) {
  const at = Date.now();
  const nonce = `${new Date(at).toISOString().slice(0, 19)}Z${randomBytes(9).toString('base64url')}`;
  for (const [old, since] of state.given) if (at - since > NONCE_LIFE_MS) state.given.delete(old);
  state.given.set(nonce, at);
  const fields: Record<string, string> = {
    ns: NS,
    mode: 'id_res',
    op_endpoint: endpointOf(state),
    claimed_id: `${state.url}/openid/id/${account}`,
    identity: `${state.url}/openid/id/${account}`,
    return_to: returnTo,
    response_nonce: nonce,
    assoc_handle: state.handle,
    signed: SIGNED.join(','),
  };
  return { ...fields, sig: signature(state, (name) => fields[name]) };
}

/** Signs the fields in key-value form (4.1.1), in the order of the list, with this process's key. */
function signature({ key }: State, field: (name: string) => string | null | undefined): string {
  const lines = SIGNED.map((name) => `${name}:${field(name) ?? ''}\n`);
  return createHmac('sha256', key).update(lines.join('')).digest('base64');
}

function withQuery(address: string, fields: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(`openid.${name}`, value);
  return url.href;
}

/**
 * Responds to direct verification (11.4.2). An assertion is valid only once, and only if this provider issued it and it has not been
 * changed.
 */
function check(state: State, form: URLSearchParams): SandboxAnswer {
  if (form.get('openid.mode') !== 'check_authentication')
    return text(
      400,
      `ns:${NS}\nerror:stateless, openid.mode is check_authentication\nerror_code:unsupported-type\n`,
    );
  const field = (name: string) => form.get(`openid.${name}`);
  const nonce = field('response_nonce') ?? '';
  const since = state.given.get(nonce) ?? Number.NEGATIVE_INFINITY;
  const isOurs = field('sig') === signature(state, field);
  const isValid = isOurs && Date.now() - since <= NONCE_LIFE_MS && !hasTwice(form);
  if (isValid) state.given.delete(nonce);
  return text(200, `ns:${NS}\nis_valid:${isValid}\n`);
}

const hasTwice = (form: URLSearchParams) => new Set(form.keys()).size !== [...form.keys()].length;

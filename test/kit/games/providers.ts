import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { expect } from 'vitest';
import type { Answer, TestApp } from '../app.ts';
import { signInAtOidc, signInAtOpenid } from '../http/outside.ts';

/** A browser that is being redirected to a provider: the URL of the redirect, and the browser's cookie. */
export type Trip = { url: URL; cookie: string; answer: Answer };

/** Starts a sign-in at a provider. `nonce` is sent if the sign-in starts from a page on another site. */
export async function setOut(app: Pick<TestApp, 'call'>, segment: string, nonce?: string): Promise<Trip> {
  const answer = await app.call('GET', `/auth/${segment}${nonce === undefined ? '' : `?nonce=${nonce}`}`);
  const [cookie] = answer.headers.getSetCookie();
  return {
    url: new URL(answer.headers.get('location') ?? 'about:none'),
    cookie: cookie?.split(';')[0] ?? '',
    answer,
  };
}

/** Sends the request with which the browser returns from the provider to the tested service. */
export function comeBack(app: Pick<TestApp, 'call'>, address: string | URL, headers: Record<string, string>) {
  const { pathname, search } = new URL(address);
  return app.call('GET', pathname + search, { headers });
}

/** Returns the values in the URL fragment that the front end receives. */
export const factsOf = ({ body }: Answer): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(new URL(body.url).hash.slice(1)));

export const aName = () => `n_${randomBytes(7).toString('hex')}`;
export const anEmail = () => `${aName()}@idp.example`;
export const anAccount = () => `7656119${String(Math.floor(Math.random() * 1e10)).padStart(10, '0')}`;

/** For each provider in the sandbox, creates an identity that can sign in there. */
export const WAYS = {
  google: () => {
    const email = anEmail();
    return { email, visit: (url: URL) => signInAtOidc(url.href, { email }) };
  },
  steam: () => {
    const accountId = anAccount();
    return { email: null, accountId, visit: (url: URL) => signInAtOpenid(url.href, { accountId }) };
  },
} as const;
type Segment = keyof typeof WAYS;
type Somebody = { visit: (url: URL) => Promise<string> };
type Headers = Record<string, string>;

/** Returns the token with which a new user chooses a username. */
export const tokenOf = (answer: Answer): string => factsOf(answer).setupUsernameToken!;

/** Helpers for signing in at the sandbox's providers. */
export function stepsAt(app: Pick<TestApp, 'call' | 'db'>) {
  /** The cookie of the browser that received each setup token. */
  const browsers = new Map<string, string>();
  const signIn = async (segment: Segment, { visit }: Somebody, headers: Headers = {}): Promise<Answer> => {
    const { url, cookie } = await setOut(app, segment);
    const answer = await comeBack(app, await visit(url), { cookie, ...headers });
    if (answer.body?.url) browsers.set(tokenOf(answer), cookie);
    return answer;
  };
  /** Uses the browser that received the token, unless `headers` contain another cookie. */
  const setUp = (token: string, body: object, headers: Headers = {}): Promise<Answer> =>
    app.call('POST', `/auth/setup-username?${new URLSearchParams({ setupUsernameToken: token })}`, {
      body,
      headers: { cookie: browsers.get(token) ?? '', ...headers },
    });
  /** Creates a user whose account was opened through a provider. */
  const member = async (segment: Segment = 'google') => {
    const who = WAYS[segment]();
    const form = { username: aName(), email: who.email ?? anEmail() };
    const answer = await setUp(tokenOf(await signIn(segment, who)), form);
    expect(answer.status).toBe(201);
    const { db } = app;
    const found = db.selectFrom('users').selectAll().where('username', '=', form.username);
    return { ...who, ...form, user: await found.executeTakeFirstOrThrow() };
  };
  return { signIn, setUp, member };
}

type Form = URLSearchParams;
type Said = { status?: number; headers?: Record<string, string>; body: string | object };

async function listen(handle: (path: string, form: Form, request: IncomingMessage) => Promise<Said>) {
  const listener: RequestListener = async (request, response) => {
    const form = new URLSearchParams(await text(request));
    const { status = 200, headers, body } = await handle(request.url ?? '', form, request);
    const isText = typeof body === 'string';
    response.writeHead(status, {
      'content-type': isText ? 'text/plain' : 'application/json',
      ...headers,
    });
    response.end(isText ? body : JSON.stringify(body));
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

export type RogueOidc = Awaited<ReturnType<typeof startRogueOidc>>;

/** Starts an OpenID Connect provider that returns whatever the test sets. */
export async function startRogueOidc() {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(publicKey)), kid: 'rogue', alg: 'RS256', use: 'sig' };
  const rogue = {
    /** Overrides for the discovery document. */
    metadata: {} as object,
    token: async (_form: Form): Promise<Said> => ({ status: 500, body: {} }),
    forms: [] as Form[],
    authorizations: [] as (string | undefined)[],
  };
  const server = await listen(async (path, form, request) => {
    if (path === '/.well-known/openid-configuration') return { body: { ...document(), ...rogue.metadata } };
    if (path === '/jwks') return { body: { keys: [key] } };
    rogue.forms.push(form);
    rogue.authorizations.push(request.headers.authorization);
    return rogue.token(form);
  });
  const { url } = server;
  const document = () => ({
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    authorization_response_iss_parameter_supported: true,
  });
  return Object.assign(rogue, server, {
    publicKey,
    /** Returns the claims of a valid ID token for a sign-in. */
    claimsFor: (trip: Trip, sub: string): JWTPayload => {
      const now = Math.floor(Date.now() / 1000);
      const nonce = trip.url.searchParams.get('nonce');
      return { iss: url, aud: 'croupier', sub, nonce, iat: now, exp: now + 300 };
    },
    sign: (claims: JWTPayload, signer: CryptoKey = privateKey): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'rogue' }).sign(signer),
    /** Returns the token response of an honest provider. */
    give: (idToken: string | undefined): Said => ({
      body: {
        access_token: 'opaque',
        token_type: 'Bearer',
        expires_in: 60,
        ...(idToken && { id_token: idToken }),
      },
    }),
  });
}

/** Starts an OpenID 2.0 endpoint that confirms every assertion, or returns what the test sets. */
export async function startRogueOpenid() {
  const rogue = {
    said: { body: 'ns:http://specs.openid.net/auth/2.0\nis_valid:true\n' } as Said,
    asked: [] as Form[],
  };
  const server = await listen(async (_path, form) => {
    rogue.asked.push(form);
    return rogue.said;
  });
  return Object.assign(rogue, server, {
    env: { OPENID_ENDPOINT: `${server.url}/login`, OPENID_CLAIMED_ID: `${server.url}/id/` },
    /** Returns the URL to which the endpoint redirects the browser with its assertion. `changes` overrides its fields. */
    assertion: (trip: Trip, account: string, changes: Record<string, string | undefined> = {}): URL => {
      const back = new URL(trip.url.searchParams.get('openid.return_to')!);
      const fields: Record<string, string | undefined> = {
        ns: 'http://specs.openid.net/auth/2.0',
        mode: 'id_res',
        op_endpoint: `${server.url}/login`,
        claimed_id: `${server.url}/id/${account}`,
        identity: `${server.url}/id/${account}`,
        return_to: back.href,
        response_nonce: `${new Date().toISOString().slice(0, 19)}Z${Math.random()}`,
        assoc_handle: 'handle',
        signed: 'signed,op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle',
        sig: 'c2ln',
        ...changes,
      };
      for (const [name, value] of Object.entries(fields))
        if (value !== undefined) back.searchParams.set(`openid.${name}`, value);
      return back;
    },
  });
}

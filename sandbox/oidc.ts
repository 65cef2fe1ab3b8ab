import { createHash, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { AccountClaims, Configuration, Provider } from 'oidc-provider';
import { behaviour, type SandboxService, setting } from './endpoint.ts';
import { KEPT, memoryAdapter } from './oidc-memory.ts';
import { loginPage } from './oidc-page.ts';
import { OIDC_MODES, type OidcMode, spoilIdToken } from './oidc-spoil.ts';

const CLIENT_ID = 'croupier';
const HOUR = 3600;

/** `accounts` maps subjects to the claims of their last sign-in. */
type State = { mode: OidcMode; secret: string; issuer: string; accounts: LRUCache<string, AccountClaims> };
type Exchange = { request: IncomingMessage; response: ServerResponse };

/** An OpenID Connect provider based on a certified library, with a simple form instead of passwords. */
export function oidc({ url }: { url: string }): SandboxService {
  const issuer = `${url}/oidc`;
  const secret = setting('OIDC_CLIENT_SECRET', 'sandbox-oidc-secret');
  const state: State = { mode: 'ok', secret, issuer, accounts: new LRUCache({ max: KEPT }) };
  let opening: Promise<Provider> | undefined;
  return {
    name: 'OpenID Connect provider',
    about:
      'Signs in everyone without a password. Authorization code flow with PKCE. Claims: sub, email, email_verified, name, locale. ' +
      'Redirects to /auth/{provider}/callback on any port of the loopback address.',
    settings: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: secret },
    endpoints: [
      {
        method: 'POST',
        path: '/oidc/behaviour',
        about:
          'Sets the behaviour of the provider: ok, down, or ID tokens with one invalid claim: issuer, audience, nonce, expired, ' +
          'signature.',
        example: '{ "mode": "nonce" }',
        handle: behaviour(OIDC_MODES, (mode) => {
          state.mode = mode;
        }),
      },
    ],
    mount: {
      path: '/oidc',
      // The library is loaded and a key is generated only on first use, because both are slow.
      handle: async (request, response) => {
        if (state.mode === 'down') return void response.destroy();
        opening ??= openProvider(state);
        await serve(await opening, state, { request, response });
      },
    },
  };
}

async function serve(provider: Provider, state: State, { request, response }: Exchange): Promise<void> {
  if (request.url?.startsWith('/oidc/interaction/')) return interact(provider, state, { request, response });
  // The library derives its mount path from the two URLs.
  Object.assign(request, { originalUrl: request.url, url: request.url?.slice('/oidc'.length) });
  provider.callback()(request, response);
}

async function openProvider(state: State): Promise<Provider> {
  const { Provider, interactionPolicy } = await import('oidc-provider');
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const policy = interactionPolicy.base();
  policy.get('login')?.checks.add(
    // Disables single sign-on. A returning visitor must sign in again, because it may be another person.
    new interactionPolicy.Check('always', 'Everybody is asked', ({ oidc }) => !oidc.result?.login),
  );
  const provider = new Provider(state.issuer, {
    ...configuration(state, privateKey),
    interactions: { policy, url: (_, { uid }) => `/oidc/interaction/${uid}` },
  });
  // The library compares registered redirect URIs exactly. The sandbox cannot know them in advance, because the platform chooses the port
  // and the provider's path segment.
  Object.assign(provider.Client.prototype, { redirectUriAllowed: isLoopbackCallback });
  provider.use(async (ctx, next) => {
    await next();
    const { oidc, body } = ctx as unknown as { oidc?: { route?: string }; body?: { id_token?: string } };
    if (oidc?.route === 'token' && body?.id_token)
      body.id_token = spoilIdToken(state.mode, body.id_token, privateKey);
  });
  return provider;
}

const configuration = ({ secret, accounts }: State, privateKey: KeyObject): Configuration => ({
  adapter: memoryAdapter(),
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: secret,
      redirect_uris: ['http://127.0.0.1:3000/auth/google/callback'],
      grant_types: ['authorization_code'],
      response_types: ['code'],
    },
  ],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'sandbox' }] },
  cookies: { keys: [randomBytes(32).toString('hex')] },
  pkce: { required: () => true },
  scopes: ['openid', 'email', 'profile'],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'locale'] },
  // The ID token contains the claims of the scopes, as with large providers. By default only the userinfo endpoint returns them.
  conformIdTokenClaims: false,
  features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
  clientBasedCORS: () => false,
  ttl: {
    AccessToken: HOUR,
    AuthorizationCode: 60,
    Grant: HOUR,
    IdToken: HOUR,
    Interaction: HOUR,
    Session: HOUR,
  },
  findAccount: (_, sub) => {
    const claims = accounts.get(sub);
    return claims && { accountId: sub, claims: () => claims };
  },
  // Signing in implies consent.
  loadExistingGrant: async ({ oidc: { client, session, provider } }) => {
    const grant = new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
    grant.addOIDCScope('openid email profile');
    await grant.save();
    return grant;
  },
  renderError: (ctx, { error, error_description: why }) => {
    ctx.type = 'text/plain';
    ctx.body = `${error}: ${why ?? ''}`;
  },
});

function isLoopbackCallback(uri: string): boolean {
  const url = URL.parse(uri);
  if (url?.protocol !== 'http:' || url.search || url.hash) return false;
  const isLoopback = /^(127(\.\d+){3}|localhost|\[::1\])$/.test(url.hostname);
  return isLoopback && /\/auth\/[^/]+\/callback$/.test(url.pathname);
}

async function interact(provider: Provider, state: State, { request, response }: Exchange): Promise<void> {
  const interaction = await provider.interactionDetails(request, response).catch(() => undefined);
  const refuse = (why: string) => response.writeHead(400, { 'content-type': 'text/plain' }).end(why);
  if (!interaction)
    return void refuse('This sign-in has expired or began in another browser. Start again on the site.');
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    response.end(loginPage(interaction.params));
    return;
  }
  const form = new URLSearchParams(await readText(request));
  const isCancelled = form.has('cancel');
  if (!isCancelled && !form.get('email')) return void refuse('Say an e-mail.');
  const result = isCancelled
    ? { error: 'access_denied', error_description: 'The user cancelled' }
    : { login: { accountId: remember(state, form), remember: false } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

/** Stores the claims from the form. Returns the subject, which depends on the email address. */
function remember({ accounts }: State, form: URLSearchParams): string {
  const email = form.get('email')!;
  const sub = createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 21);
  const name = form.get('name');
  accounts.set(sub, {
    sub,
    email,
    email_verified: form.get('email_verified') === 'on',
    ...(name && { name }),
    locale: form.get('locale') || 'en',
  });
  return sub;
}

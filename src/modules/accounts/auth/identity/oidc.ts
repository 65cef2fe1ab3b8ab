import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
} from 'openid-client';
import type { z } from 'zod';
import type { Config } from '../../../../platform/config.ts';
import type { AppError } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/log.ts';
import { Email } from '../../../base/users/schemas.ts';
import { ask } from './ask.ts';
import { identityErrors } from './errors.ts';
import { isLoopback, languageOf, type Person } from './rules.ts';
import type { OidcReturn } from './schemas.ts';

/** What we keep of an authorization request until its answer. */
export type OidcSecrets = { verifier: string; nonce: string };
type Answer = { query: z.output<typeof OidcReturn>; state: string; secrets: OidcSecrets };

const TIMEOUT_SECONDS = 4;
const LIMIT_BYTES = 1024 * 1024;
const DISCOVERY_LIFE_MS = 3_600_000;

/** The OpenID Connect provider: code flow with PKCE (S256), nonce and state; ID tokens only with a good signature. */
export function createOidc({ config, log }: { config: Config; log: Log }) {
  const metadata = createDiscovery(config);
  const redirectUri = `${config.PUBLIC_API_URL}/auth/${config.IDP_A_SEGMENT}/callback`;
  const client = async (): Promise<Configuration> => {
    if (!config.OIDC_ISSUER) throw identityErrors.IDP_DISABLED();
    return metadata(config.OIDC_ISSUER).catch((error: unknown) => {
      log.warn({ provider: config.IDP_A_SEGMENT, reason: reasonOf(error) }, 'identity provider unavailable');
      throw identityErrors.IDP_UNAVAILABLE();
    });
  };
  return {
    /** Throws IDP_DISABLED without a provider, IDP_UNAVAILABLE when it cannot be asked for its addresses. */
    client,

    newSecrets: (): OidcSecrets => ({ verifier: randomPKCECodeVerifier(), nonce: randomNonce() }),

    /** Where the browser is sent. */
    addressFor: async (provider: Configuration, state: string, { verifier, nonce }: OidcSecrets) =>
      buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      }).href,

    /** Exchanges the code. Throws IDP_CANCELLED, IDP_REFUSED or IDP_UNAVAILABLE. */
    async person({ query, state, secrets }: Answer): Promise<Person> {
      const provider = await client();
      const here = new URL(redirectUri);
      here.search = new URLSearchParams(query as Record<string, string>).toString();
      try {
        const tokens = await authorizationCodeGrant(provider, here, {
          expectedState: state,
          expectedNonce: secrets.nonce,
          pkceCodeVerifier: secrets.verifier,
          idTokenExpected: true,
        });
        return personOf(tokens.claims()!);
      } catch (error) {
        log.info({ provider: config.IDP_A_SEGMENT, reason: reasonOf(error) }, 'sign-in at a provider failed');
        throw failureOf(error);
      }
    },
  };
}

function personOf({ iss, sub, email, email_verified, locale }: IDToken): Person {
  if (sub.length === 0 || sub.length > 255) throw identityErrors.IDP_REFUSED();
  const address = Email.safeParse(email);
  return {
    issuer: iss,
    subject: sub,
    email: address.success ? address.data : null,
    isEmailVerified: address.success && email_verified === true,
    language: languageOf(locale) ?? null,
    platformId: null,
  };
}

/** The provider's addresses, read at the first sign-in and then once an hour; while it is silent the known ones go on. */
function createDiscovery({ OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, isDevelopment }: Config) {
  let known: { provider: Configuration; since: number } | undefined;
  let asking: Promise<Configuration> | undefined;
  const discover = async (issuer: string): Promise<Configuration> => {
    const provider = await discovery(
      new URL(issuer),
      OIDC_CLIENT_ID,
      undefined,
      secretAs(OIDC_CLIENT_SECRET),
      {
        timeout: TIMEOUT_SECONDS,
        [customFetch]: (url, options) => ask(url, options as RequestInit, LIMIT_BYTES),
        execute: [
          enableNonRepudiationChecks,
          ...(isDevelopment && isLoopback(issuer) ? [allowInsecureRequests] : []),
        ],
      },
    );
    // Throws without an address to send browsers to: better now than after a sign-in has begun.
    const { protocol } = buildAuthorizationUrl(provider, {});
    if (!/^https?:$/.test(protocol)) throw new Error('no address of the web to sign in at');
    return provider;
  };
  const refresh = (issuer: string) => {
    asking ??= discover(issuer)
      .catch(() => discover(issuer))
      .then((provider) => {
        known = { provider, since: Date.now() };
        return provider;
      })
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };
  return async (issuer: string): Promise<Configuration> => {
    if (!known) return refresh(issuer);
    if (Date.now() - known.since > DISCOVERY_LIFE_MS) refresh(issuer).catch(() => {});
    return known.provider;
  };
}

/** The way that the provider takes the client's secret; `client_secret_basic` when it does not say. */
function secretAs(secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (as, ...rest) => {
    const taken = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (taken.includes('client_secret_basic') ? basic : post)(as, ...rest);
  };
}

type Failure = { code?: unknown; error?: unknown; status?: unknown };
/** The provider has said nothing that could be believed or not. */
const SILENT = new Set([
  undefined,
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
]);

function failureOf(failure: unknown): AppError {
  const { code, error, status } = failure as Failure;
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR' && error === 'access_denied')
    return identityErrors.IDP_CANCELLED();
  const isSilent = SILENT.has(code as string | undefined) || (typeof status === 'number' && status >= 500);
  return isSilent ? identityErrors.IDP_UNAVAILABLE() : identityErrors.IDP_REFUSED();
}

/** What may be logged: codes alone. Messages and causes carry claims and what the provider has written. */
function reasonOf(failure: unknown): string {
  const { code, error } = failure as Failure;
  const said = typeof error === 'string' && /^[a-z_]{1,64}$/.test(error) ? error : undefined;
  return [typeof code === 'string' ? code : 'no answer', said].filter(Boolean).join(' ');
}

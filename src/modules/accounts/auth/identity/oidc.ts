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
import type { Config } from '../../../../platform/config/config.ts';
import type { AppError } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import { Email } from '../../../base/users/schemas.ts';
import { identityErrors } from '../schemas.ts';
import { fetchFromProvider } from './openid.ts';
import { isLoopback, isProven, languageOf, type Person } from './rules.ts';

/** Secrets of an authorization request, which are stored until the browser returns. */
export type OidcSecrets = { verifier: string; nonce: string };
/** `query` contains the parameters that the provider adds when it redirects the browser back. */
type Callback = { query: object; state: string; secrets: OidcSecrets };

const TIMEOUT_SECONDS = 4;
const LIMIT_BYTES = 1024 * 1024;
const DISCOVERY_LIFE_MS = 3_600_000;

/**
 * Signs users in at the OpenID Connect provider with the authorization code flow, PKCE (S256), nonce and state. ID tokens must have a valid
 * signature.
 */
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
    /** Throws IDP_DISABLED if no provider is configured, and IDP_UNAVAILABLE if discovery fails. */
    client,

    newSecrets: (): OidcSecrets => ({ verifier: randomPKCECodeVerifier(), nonce: randomNonce() }),

    /** Returns the URL to which the browser is redirected. */
    addressFor: async (provider: Configuration, state: string, { verifier, nonce }: OidcSecrets) =>
      buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      }).href,

    /** Exchanges the code for the person's identity. Throws IDP_CANCELLED, IDP_REFUSED or IDP_UNAVAILABLE. */
    async person({ query, state, secrets }: Callback): Promise<Person> {
      const provider = await client();
      const here = new URL(redirectUri);
      here.search = new URLSearchParams(textsOf(query)).toString();
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

/** Returns the parameters that occur once. A provider may also send repeated parameters, which are ignored. */
const textsOf = (query: object): [string, string][] =>
  Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string');

function personOf({ iss, sub, email, email_verified, locale }: IDToken): Person {
  if (sub.length === 0 || sub.length > 255) throw identityErrors.IDP_REFUSED();
  const address = Email.safeParse(email);
  return {
    issuer: iss,
    subject: sub,
    email: address.success ? address.data : null,
    isEmailVerified: address.success && isProven(email_verified),
    language: languageOf(locale) ?? null,
    platformId: null,
  };
}

/** Reads the provider's metadata at the first sign-in and then once an hour. If reading fails, the previous metadata stays in use. */
function createDiscovery({ OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, isDevelopment }: Config) {
  let cached: { provider: Configuration; since: number } | undefined;
  let refreshing: Promise<Configuration> | undefined;
  const discover = async (issuer: string): Promise<Configuration> => {
    const provider = await discovery(
      new URL(issuer),
      OIDC_CLIENT_ID,
      undefined,
      clientAuth(OIDC_CLIENT_SECRET),
      {
        timeout: TIMEOUT_SECONDS,
        [customFetch]: (url, options) => fetchFromProvider(url, options as RequestInit, LIMIT_BYTES),
        execute: [
          enableNonRepudiationChecks,
          ...(isDevelopment && isLoopback(issuer) ? [allowInsecureRequests] : []),
        ],
      },
    );
    // Throws if the provider has no authorization endpoint, so that no sign-in is started.
    const { protocol } = buildAuthorizationUrl(provider, {});
    if (!/^https?:$/.test(protocol)) throw new Error('the authorization endpoint is not an HTTP address');
    return provider;
  };
  const refresh = (issuer: string) => {
    refreshing ??= discover(issuer)
      .catch(() => discover(issuer))
      .then((provider) => {
        cached = { provider, since: Date.now() };
        return provider;
      })
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  };
  return async (issuer: string): Promise<Configuration> => {
    if (!cached) return refresh(issuer);
    if (Date.now() - cached.since > DISCOVERY_LIFE_MS) refresh(issuer).catch(() => {});
    return cached.provider;
  };
}

/** Sends the client secret by a method that the provider supports, by default `client_secret_basic`. */
function clientAuth(secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (as, ...rest) => {
    const supported = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (supported.includes('client_secret_basic') ? basic : post)(as, ...rest);
  };
}

type Failure = { code?: unknown; error?: unknown; status?: unknown };
/** Error codes that indicate that the provider did not respond properly. */
const UNAVAILABLE = new Set([
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
  const isUnavailable =
    UNAVAILABLE.has(code as string | undefined) || (typeof status === 'number' && status >= 500);
  return isUnavailable ? identityErrors.IDP_UNAVAILABLE() : identityErrors.IDP_REFUSED();
}

/** Returns only error codes for the log, because messages and causes contain claims and text from the provider. */
function reasonOf(failure: unknown): string {
  const { code, error } = failure as Failure;
  const oauthError = typeof error === 'string' && /^[a-z_]{1,64}$/.test(error) ? error : undefined;
  return [typeof code === 'string' ? code : 'no response', oauthError].filter(Boolean).join(' ');
}

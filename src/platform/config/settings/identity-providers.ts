import { hidden, optionalUrl, segment, textOr } from './setting.ts';

export const identityProviders = {
  SITE_URL: optionalUrl.describe(
    'The front end that is the target of links in mails and to which identity providers return. With the lobby, its address ends in /play. Default: the first of SITE_ORIGINS. In `local` and `test` the default is the lobby, /play on the main API.',
  ),
  PUBLIC_API_URL: optionalUrl.describe(
    'Public address of the main API for browsers. Identity providers send browsers back to it. Default in `local` and `test`: http://127.0.0.1:PORT.',
  ),
  IDP_A_SEGMENT: segment('google').describe(
    'Path segment of the OpenID Connect provider: /auth/{segment} and /auth/{segment}/callback.',
  ),
  OIDC_ISSUER: optionalUrl.describe(
    'Issuer of the OpenID Connect provider. Default in `local` and `test`: the sandbox. Absent elsewhere: this sign-in method is off.',
  ),
  OIDC_CLIENT_ID: textOr('croupier').describe('Client id at that provider.'),
  OIDC_CLIENT_SECRET: hidden(textOr('sandbox-oidc-secret')).describe('Client secret at that provider.'),
  IDP_B_SEGMENT: segment('steam').describe(
    'Path segment of the game platform (OpenID 2.0): /auth/{segment} and /auth/{segment}/return.',
  ),
  OPENID_ENDPOINT: optionalUrl.describe(
    'Endpoint of the game platform. It is pinned: assertions are verified only there. Default in `local` and `test`: the sandbox. Absent elsewhere: this sign-in method is off.',
  ),
  OPENID_CLAIMED_ID: optionalUrl.describe(
    'Prefix of claimed ids of the game platform; 17 digits follow (`https://platform.example/openid/id/`). Default in `local` and `test`: the sandbox.',
  ),
};

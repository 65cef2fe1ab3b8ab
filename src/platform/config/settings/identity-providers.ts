import { hidden, optionalUrl, segment, textOr } from './setting.ts';

export const identityProviders = {
  SITE_URL: optionalUrl.describe(
    'The front end that mails link to and identity providers return to; with the lobby, its address ends in /play. Default: the first of SITE_ORIGINS; in `local` and `test` the lobby, /play on the main API.',
  ),
  PUBLIC_API_URL: optionalUrl.describe(
    'Address of the main API as browsers see it: identity providers send them back there. Default in `local` and `test`: http://127.0.0.1:PORT.',
  ),
  IDP_A_SEGMENT: segment('google').describe(
    'Path segment of the OpenID Connect provider: /auth/{segment} and /auth/{segment}/callback.',
  ),
  OIDC_ISSUER: optionalUrl.describe(
    'Issuer of the OpenID Connect provider. Default in `local` and `test`: the sandbox. Absent elsewhere: this way to sign in is off.',
  ),
  OIDC_CLIENT_ID: textOr('croupier').describe('Client id at that provider.'),
  OIDC_CLIENT_SECRET: hidden(textOr('sandbox-oidc-secret')).describe('Client secret at that provider.'),
  IDP_B_SEGMENT: segment('steam').describe(
    'Path segment of the game platform (OpenID 2.0): /auth/{segment} and /auth/{segment}/return.',
  ),
  OPENID_ENDPOINT: optionalUrl.describe(
    'Endpoint of the game platform, pinned: assertions are verified there and nowhere else. Default in `local` and `test`: the sandbox. Absent elsewhere: off.',
  ),
  OPENID_CLAIMED_ID: optionalUrl.describe(
    'What claimed ids of the game platform begin with; 17 digits follow (`https://platform.example/openid/id/`). Default in `local` and `test`: the sandbox.',
  ),
};

import { z } from 'zod';
import { setting } from './setting.ts';

export const identityProviders = {
  SITE_URL: setting(
    z.url().optional(),
    'The front end that mails link to and identity providers return to. Default: the first of SITE_ORIGINS; in `local` and `test` the site of the sandbox.',
  ),
  PUBLIC_API_URL: setting(
    z.url().optional(),
    'Address of the main API as browsers see it: identity providers send them back there. Default in `local` and `test`: http://127.0.0.1:PORT.',
  ),
  IDP_A_SEGMENT: setting(
    z
      .string()
      .regex(/^[a-z0-9-]{2,32}$/)
      .default('google'),
    'Path segment of the OpenID Connect provider: /auth/{segment} and /auth/{segment}/callback.',
  ),
  OIDC_ISSUER: setting(
    z.url().optional(),
    'Issuer of the OpenID Connect provider. Default in `local` and `test`: the sandbox. Absent elsewhere: this way to sign in is off.',
  ),
  OIDC_CLIENT_ID: setting(z.string().min(1).default('croupier'), 'Client id at that provider.'),
  OIDC_CLIENT_SECRET: setting(
    z.string().min(1).default('sandbox-oidc-secret'),
    'Client secret at that provider.',
    true,
  ),
  IDP_B_SEGMENT: setting(
    z
      .string()
      .regex(/^[a-z0-9-]{2,32}$/)
      .default('steam'),
    'Path segment of the game platform (OpenID 2.0): /auth/{segment} and /auth/{segment}/return.',
  ),
  OPENID_ENDPOINT: setting(
    z.url().optional(),
    'Endpoint of the game platform, pinned: assertions are verified there and nowhere else. Default in `local` and `test`: the sandbox. Absent elsewhere: off.',
  ),
  OPENID_CLAIMED_ID: setting(
    z.url().optional(),
    'What claimed ids of the game platform begin with; 17 digits follow (`https://platform.example/openid/id/`). Default in `local` and `test`: the sandbox.',
  ),
};

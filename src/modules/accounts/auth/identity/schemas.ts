import { z } from 'zod';
import { SignUp } from '../schemas.ts';

const Text = z.string().max(4096);

/** What an OpenID Connect provider sends back. Providers add parameters of their own, which are to be ignored (RFC 6749, 4.1.2). */
export const OidcReturn = z
  .object({
    state: Text.optional(),
    code: Text.optional(),
    iss: Text.optional(),
    error: Text.optional(),
    error_description: Text.optional(),
  })
  .catchall(Text);

/** What an OpenID 2.0 provider sends back: our state and its assertion, whose fields begin with `openid.`. */
export const OpenidReturn = z
  .object({ state: Text.optional(), 'openid.mode': Text.optional() })
  .catchall(Text);

export const Landing = z.object({ url: z.string() });

export const SetupQuery = z.strictObject({ setupUsernameToken: z.string().min(1).max(128) });

export const SetupUsername = SignUp.pick({
  username: true,
  email: true,
  language: true,
  affiliateCode: true,
  referrer: true,
});

import { z } from 'zod';

/** Printable ASCII except spaces and backslashes, which browsers and servers parse differently. */
const PRINTABLE = /^[\x21-\x5b\x5d-\x7e]+$/;
const HTTPS = /^https:\/\/[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:\d{1,5})?([/?#][\x21-\x5b\x5d-\x7e]*)?$/;

/** An http or https URL in printable ASCII without spaces or backslashes. All other characters must be percent-encoded. */
export const WebUrl = z
  .url({ protocol: /^https?$/, abort: true })
  .refine(
    (text) => PRINTABLE.test(text),
    'needs an address of printable ASCII characters without backslashes',
  );

/** An https address without a username and password. `pattern` may restrict its form further. */
export const httpsUrl = (longest: number, pattern = HTTPS) =>
  z
    .string()
    .max(longest)
    .regex(pattern, { error: NEEDS_HTTPS, abort: true })
    .refine((text) => URL.canParse(text), NEEDS_HTTPS);

const NEEDS_HTTPS = 'needs to be an address that begins with https://';

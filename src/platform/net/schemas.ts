import { z } from 'zod';
import { isPrintable, PRINTABLE, parseWebUrl } from './rules.ts';

const HTTPS = new RegExp(
  String.raw`^https://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:\d{1,5})?([/?#]${PRINTABLE}*)?$`,
);

/**
 * An http or https URL in printable ASCII without spaces or backslashes, with a host and without a username and password. All other
 * characters must be percent-encoded.
 */
export const WebUrl = z
  .url({ protocol: /^https?$/, abort: true })
  .refine(isPrintable, {
    error: 'needs an address of printable ASCII characters without backslashes',
    abort: true,
  })
  .refine(
    (text) => parseWebUrl(text) !== undefined,
    'needs an address with a host and without a username and password',
  );

/** An https address without a username and password. `pattern` may restrict its form further. */
export const httpsUrl = (longest: number, pattern = HTTPS) =>
  z
    .string()
    .max(longest)
    .regex(pattern, { error: NEEDS_HTTPS, abort: true })
    .refine((text) => URL.canParse(text), NEEDS_HTTPS);

const NEEDS_HTTPS = 'needs to be an address that begins with https://';

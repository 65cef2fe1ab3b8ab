/** One character of printable ASCII except the space and the backslash, which browsers and servers parse differently. */
export const PRINTABLE = String.raw`[\x21-\x5b\x5d-\x7e]`;

const ONLY_PRINTABLE = new RegExp(`^${PRINTABLE}+$`);

/** Returns true if a text is not empty and contains only printable ASCII without spaces and backslashes. */
export const isPrintable = (text: string): boolean => ONLY_PRINTABLE.test(text);

/** Returns undefined unless the text is an http or https address with a host and without a username and password. */
export function parseWebUrl(text: string): URL | undefined {
  const url = /^https?:\/\/[^/\\]/i.test(text) ? URL.parse(text) : null;
  return url && url.username === '' && url.password === '' ? url : undefined;
}

/** Returns true if a browser may be redirected to an address. It must be a page of these origins and contain no username or password. */
export function isPageOf(origins: readonly string[], address: string): boolean {
  const url = isPrintable(address) ? parseWebUrl(address) : undefined;
  return url !== undefined && origins.includes(url.origin);
}

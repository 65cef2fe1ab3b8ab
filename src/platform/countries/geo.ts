import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type CountryResponse, Reader } from 'mmdb-lib';
import { createCache } from '../cache.ts';
import { UNREADABLE_ADDRESS } from '../net/address.ts';
import { UNREADABLE_COUNTRY } from './rules.ts';

const FILE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

type Record = { country_code?: string };

let reader: Reader<CountryResponse> | undefined;
/** The country database is loaded on first use, because most processes never need it. */
const load = () => new Reader<CountryResponse>(readFileSync(createRequire(import.meta.url).resolve(FILE)));

/**
 * Returns an address's alpha-2 country code from the registries' allocations (a CC0 database from npm, loaded into memory). Returns null
 * for private and unallocated addresses, and UNREADABLE_COUNTRY if a proxy forwarded something that is not an address.
 */
export function countryOfIp(ip: string): string | null {
  if (ip === UNREADABLE_ADDRESS) return UNREADABLE_COUNTRY;
  const last = known.get(ip);
  if (last) return last.country;
  const country = look(ip);
  known.set(ip, { country });
  return country;
}

/** Returns the country to store and display, or null if the address is unreadable. */
export function knownCountryOfIp(ip: string): string | null {
  const country = countryOfIp(ip);
  return country === UNREADABLE_COUNTRY ? null : country;
}

/** Every bet looks up the player's address, which is usually the same as for the previous bet. */
const known = createCache<string, { country: string | null }>(10_000);

function look(ip: string): string | null {
  reader ??= load();
  try {
    const found = reader.get(MAPPED.exec(ip)?.[1] ?? ip) as Record | null;
    return found?.country_code ?? null;
  } catch {
    // The text is not a plain IP address. It may be a Unix socket or contain a zone index.
    return null;
  }
}

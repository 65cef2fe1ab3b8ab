import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';
import { type CountryResponse, Reader } from 'mmdb-lib';

const FILE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

type Record = { country_code?: string };

let reader: Reader<CountryResponse> | undefined;
/** Read by the first who asks: most processes never do. */
const load = () => new Reader<CountryResponse>(readFileSync(createRequire(import.meta.url).resolve(FILE)));

/**
 * The country of an address by the registries' allocations (a CC0 database from npm, kept in memory). Answers an alpha-2 code,
 * or null for private and unknown addresses.
 */
export function countryOfIp(ip: string): string | null {
  const last = known.get(ip);
  if (last) return last.country;
  const country = look(ip);
  known.set(ip, { country });
  return country;
}

/** Every bet asks, and mostly for the same address as the one before. */
const known = new LRUCache<string, { country: string | null }>({ max: 10_000 });

function look(ip: string): string | null {
  reader ??= load();
  try {
    const found = reader.get(MAPPED.exec(ip)?.[1] ?? ip) as Record | null;
    return found?.country_code ?? null;
  } catch {
    // Not an address: a Unix socket, or a zone index.
    return null;
  }
}

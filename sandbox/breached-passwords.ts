import { createHash, randomBytes } from 'node:crypto';
import { createModes, json, type SandboxService, text } from './endpoint.ts';

/** Number of breaches in which each password appeared. These passwords satisfy every other password rule of the platform. */
const KNOWN: Readonly<Record<string, number>> = {
  'Tr0ub4dor&3 was in a comic': 4211,
  'trustno1-in-the-x-files': 1024,
  'hunter2 but longer': 17_043,
  'winter is coming 2026!': 88,
};

/** Minimum number of lines in a response. Responses are padded to this length, so that their length reveals nothing. */
const LINES = 800;

type Breached = { hash: string; seen: number };

/** A service that returns breached passwords by the prefix of their SHA-1 hash, using Have I Been Pwned's protocol. */
export function breachedPasswords({ url }: { url: string }): SandboxService {
  const breached = Object.entries(KNOWN).map(
    ([password, seen]): Breached => ({ hash: hashOf(password), seen }),
  );
  const asked: { prefix: string; isPadded: boolean }[] = [];
  const modes = createModes(
    '/breached-passwords/behaviour',
    ['ok', 'down', 'slow', 'garbage'],
    'Sets the behaviour: ok, down (no response), slow (five seconds) or garbage (an HTML page).',
  );
  return {
    name: 'Breached passwords',
    about: `Contains ${Object.keys(KNOWN).length} breached passwords: ${Object.keys(KNOWN).join(' · ')}`,
    settings: { BREACHED_PASSWORDS_URL: `${url}/breached-passwords` },
    endpoints: [
      {
        method: 'GET',
        path: '/breached-passwords/range/{prefix}',
        about:
          'Returns the suffixes of the hashes that begin with these five characters, and how often each was seen.',
        handle: modes.behaving(({ params, headers }) => {
          const prefix = params.prefix!;
          if (!/^[0-9A-F]{5}$/.test(prefix))
            return text(400, 'the prefix must be the first five characters of a hash');
          const isPadded = headers['add-padding'] === 'true';
          asked.push({ prefix, isPadded });
          return text(200, rangeOf(breached, prefix, isPadded ? LINES : 0));
        }),
      },
      {
        method: 'GET',
        path: '/breached-passwords/asked',
        about: 'Lists the requested prefixes. The service receives nothing else.',
        handle: () => json(200, asked),
      },
      modes.endpoint,
    ],
  };
}

const hashOf = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase();

/** Returns the lines for a prefix, padded to at least `least` lines. Padding lines have a count of zero. */
function rangeOf(breached: readonly Breached[], prefix: string, least: number): string {
  const lines = breached
    .filter(({ hash }) => hash.startsWith(prefix))
    .map(({ hash, seen }) => `${hash.slice(5)}:${seen}`);
  while (lines.length < least) lines.push(`${randomBytes(18).toString('hex').slice(1).toUpperCase()}:0`);
  return lines.sort().join('\r\n');
}

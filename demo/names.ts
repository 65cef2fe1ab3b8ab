import type { Random } from './random.ts';

/** Words from which the demo creates usernames that belong to no real person. */
const FIRST = [
  'amber',
  'arctic',
  'brass',
  'calm',
  'cedar',
  'cobalt',
  'copper',
  'crimson',
  'dusky',
  'early',
  'ember',
  'fern',
  'foggy',
  'gentle',
  'golden',
  'hasty',
  'hazel',
  'idle',
  'indigo',
  'ivory',
  'jolly',
  'lazy',
  'lucky',
  'lunar',
  'maple',
  'mellow',
  'misty',
  'mossy',
  'neon',
  'noble',
  'olive',
  'pale',
  'polar',
  'quick',
  'quiet',
  'ruby',
  'rusty',
  'sandy',
  'silver',
  'solar',
  'stormy',
  'sunny',
  'swift',
  'tidy',
  'velvet',
  'violet',
  'wild',
  'windy',
] as const;
const SECOND = [
  'acorn',
  'anchor',
  'badger',
  'beacon',
  'bison',
  'canoe',
  'comet',
  'cricket',
  'dune',
  'falcon',
  'ferret',
  'fjord',
  'garnet',
  'gecko',
  'glacier',
  'harbor',
  'heron',
  'kettle',
  'lantern',
  'lemur',
  'lynx',
  'magpie',
  'marten',
  'meadow',
  'mirage',
  'nomad',
  'ocelot',
  'orbit',
  'otter',
  'pebble',
  'pelican',
  'pine',
  'plover',
  'puffin',
  'quartz',
  'raven',
  'reef',
  'river',
  'rook',
  'sparrow',
  'summit',
  'teapot',
  'thistle',
  'tulip',
  'walrus',
  'willow',
  'wombat',
  'yonder',
] as const;

/** Players' countries, each with its language and the first two bytes of an IP address in the country. */
const COUNTRIES = [
  { country: 'DE', net: '91.0', language: 'de', weight: 18 },
  { country: 'BR', net: '177.32', language: 'en', weight: 12 },
  { country: 'ES', net: '88.0', language: 'es', weight: 10 },
  { country: 'MX', net: '189.128', language: 'es', weight: 8 },
  { country: 'FI', net: '91.152', language: 'en', weight: 7 },
  { country: 'SE', net: '90.224', language: 'en', weight: 6 },
  { country: 'NO', net: '84.208', language: 'en', weight: 6 },
  { country: 'CA', net: '24.48', language: 'en', weight: 7 },
  { country: 'JP', net: '126.0', language: 'en', weight: 6 },
  { country: 'AT', net: '62.46', language: 'de', weight: 5 },
  { country: 'CH', net: '85.0', language: 'de', weight: 4 },
  { country: 'IN', net: '49.36', language: 'en', weight: 5 },
  { country: 'PL', net: '83.0', language: 'en', weight: 4 },
  { country: 'PT', net: '2.80', language: 'en', weight: 3 },
] as const;
const ALL = COUNTRIES.flatMap((one) => Array.from({ length: one.weight }, () => one));

export type Person = { username: string; email: string; ip: string; country: string; language: string };

/** Returns this many people with unique names. The same seed gives the same people. */
export function makePeople(random: Random, count: number): Person[] {
  const taken = new Set<string>();
  return Array.from({ length: count }, (_, i) => {
    const { country, net, language } = random.pick(ALL);
    const ip = `${net}.${(i >> 8) + 1}.${i & 255 || 9}`;
    for (;;) {
      const plain = `${random.pick(FIRST)}_${random.pick(SECOND)}`;
      const username = random.chance(0.55) ? `${plain}${random.from(2, 99)}`.slice(0, 20) : plain;
      if (username.length > 20 || taken.has(username)) continue;
      taken.add(username);
      return { username, email: `${username}@mail.example`, ip, country, language };
    }
  });
}

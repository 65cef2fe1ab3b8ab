/**
 * npm run bench wallet: compares provider callbacks with a no-op variant that only verifies their signatures: without other traffic, together
 * with bets on house games, and for a single player. Also measures reads of a large catalogue.
 */
import { dialects } from '../../conformance/dialects.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { vectors } from '../../test/kit/games/provider-vectors.ts';
import {
  GAMES_DIALECTS,
  type GamesDialect,
  gameCodeOf,
  NOOP,
  type Play,
  type Stream,
  slugOf,
} from '../load/protocol.ts';
import {
  cpuPerBet,
  measure,
  measureRounds,
  ratioOf,
  type Sample,
  sampleTable,
  type Task,
} from '../measure.ts';
import { createPlayers } from '../players.ts';
import { startBench, startServer } from '../processes.ts';
import { prove, proven } from '../proof.ts';
import { type Check, check, medianOf } from '../report.ts';
import { playOf } from '../servers/plays.ts';
import { type Context, defineSuite } from '../suite.ts';
import { query } from '../world.ts';

const PLAYERS = 1024;
const CONNECTIONS = 256;
/** Hub88 rounds per second that are signed in advance, a little more than a server on one core can handle. */
const SIGNED_A_SECOND = 5000;

/** Smallest rate of each dialect's calls, as a fraction of the rate of their no-op variant. */
const LEAST = { generic: 0.7, hub88: 0.6, softswiss: 0.7, pragmatic: 0.7 } as const;

export const wallet = defineSuite({
  about: 'callbacks of game providers',
  options: {
    rounds: [3, 'number of measurements of each workload'],
    seconds: [
      8,
      'length of one measurement; measurements at a fixed rate take 15 seconds, or 5 with --quick',
    ],
  },
  quick: { rounds: 1, seconds: 3 },
  async run(context, { rounds: repeats, seconds }) {
    const { bench, server } = await prepareWallet(context);
    const { isQuick } = context;
    const closed = { warmUpMs: isQuick ? 1000 : 2000, measureMs: seconds * 1000 };
    const rounds = Math.ceil((SIGNED_A_SECOND * (closed.warmUpMs + closed.measureMs)) / 1000);
    const taskOf = (subject: string, of: readonly Stream[]): Task => {
      const streams = of.map((stream) => signedAhead(stream, rounds));
      return { bench, subject, workload: '', server, streams, ...closed, repeatsRefused: true };
    };
    // Fills the tables with some rows, so that query plans match their real size.
    await measure(taskOf('warm-up', WARM_UP));
    const tasks = Object.entries(WORKLOADS).map(([subject, streams]) => taskOf(subject, streams));
    const samples = await measureRounds(repeats, tasks);
    for (const subject of ['mixed', 'list', 'search']) {
      const open = { measureMs: isQuick ? 5000 : 15_000, perSecond: rateOf(samples, subject) / 2 };
      samples.push(await measure({ ...taskOf(`${subject}, half load`, WORKLOADS[subject]!), ...open }));
    }
    return proven([await prove(bench, [server])], {
      tables: [sampleTable('256 connections', samples, 'request')],
      checks: checksOf(samples),
      details: { samples },
    });
  },
});

/** Signing for Hub88 takes longer than verifying. A no-op stores nothing, so that its rounds can be sent repeatedly. */
const signedAhead = (stream: Stream, rounds: number): Stream =>
  stream.what === 'calls' && stream.dialect === 'hub88'
    ? { ...stream, signed: stream.isNoop ? 256 : rounds }
    : stream;

const calls = (dialect: GamesDialect, connections: number, isNoop: boolean): Stream => ({
  what: 'calls',
  group: 'wallet',
  dialect,
  connections,
  isNoop,
});
const plays = (play: Play, connections: number, keepsBets: boolean): Stream => ({
  what: 'plays',
  group: 'wallet',
  players: PLAYERS,
  play,
  connections,
  keepsBets,
});
const house = (connections: number, isNoop: boolean): Stream =>
  plays(playOf(isNoop ? 'noop' : 'ours', 'dice')!, connections, !isNoop);

/**
 * Half of the connections make bets on house games, the other half are provider calls. Hub88 is excluded, because its calls must be signed
 * in advance.
 */
const mix = (isNoop: boolean): Stream[] => [
  house(CONNECTIONS / 2, isNoop),
  calls('generic', CONNECTIONS / 4, isNoop),
  calls('softswiss', CONNECTIONS / 8, isNoop),
  calls('pragmatic', CONNECTIONS / 8, isNoop),
];

const QUERIES = {
  list: Array.from({ length: 30 }, (_, n) => `take=30&page=${n + 1}`),
  search: ['ab', '1f', 'many', 'c0d', 'ee'].map((name) => `take=30&name=${name}`),
};
const reads = (name: keyof typeof QUERIES, isNoop: boolean): Stream => {
  const path = isNoop ? `${NOOP}/games-${name}` : '/casino/games';
  const steps = QUERIES[name].map((text) => ({ path: `${path}?${text}` }));
  return plays({ steps, isRead: true }, CONNECTIONS, false);
};

const withNoop = (subject: string, streamsOf: (isNoop: boolean) => Stream[]): [string, Stream[]][] => [
  [`${subject} noop`, streamsOf(true)],
  [subject, streamsOf(false)],
];

/** All workloads in the order in which they are measured, each next to its no-op variant. */
const WORKLOADS: Readonly<Record<string, readonly Stream[]>> = Object.fromEntries([
  ...GAMES_DIALECTS.flatMap((dialect) =>
    withNoop(dialect, (isNoop) => [calls(dialect, CONNECTIONS, isNoop)]),
  ),
  ['hot', [{ ...calls('generic', CONNECTIONS, false), isHot: true } as Stream]],
  ...withNoop('house', (isNoop) => [house(CONNECTIONS, isNoop)]),
  ...withNoop('mixed', mix),
  ...withNoop('list', (isNoop) => [reads('list', isNoop)]),
  ...withNoop('search', (isNoop) => [reads('search', isNoop)]),
]);

const WARM_UP: readonly Stream[] = [
  ...(['generic', 'softswiss', 'pragmatic'] as const).map((dialect) => calls(dialect, 16, false)),
  house(16, false),
];

const ofSubject = (samples: readonly Sample[], subject: string) =>
  samples.filter((s) => s.subject === subject);
const rateOf = (samples: readonly Sample[], subject: string) =>
  medianOf(ofSubject(samples, subject), (s) => s.perSecond);

function checksOf(samples: readonly Sample[]): Check[] {
  const ratio = (subject: string, of: (sample: Sample) => number) =>
    ratioOf(samples, [subject, `${subject} noop`], { of })!.median;
  const rate = (subject: string) => ratio(subject, (s) => s.perSecond);
  const slowest = (subject: string) => ofSubject(samples, `${subject}, half load`)[0]!.p99Ms;
  const repeated = samples.filter((s) => s.subject !== 'hot').map((s) => s.refusals / Math.max(1, s.bets));
  const lost = rate('house') - ratio('mixed', (s) => s.streams[0]!.perSecond);
  const hot = rateOf(samples, 'hot') / rateOf(samples, 'generic');
  return [
    ...GAMES_DIALECTS.flatMap((dialect) => [
      check(`${dialect}: requests/s of its no-op`, rate(dialect), { atLeast: LEAST[dialect] }),
      check(`${dialect}: CPU of its no-op`, ratio(dialect, cpuPerBet), { atMost: 1.6 }),
    ]),
    check('largest share of repeated requests', Math.max(...repeated), { atMost: 0.001 }),
    check('one hot player: requests/s of many', hot, { atLeast: 0.6 }),
    check('house bets in the mix: ratio lost', lost, { atMost: 0.05 }),
    check('mixed, half load: p99 in ms', slowest('mixed'), { atMost: 50 }),
    ...['list', 'search'].flatMap((name) => [
      check(`catalogue ${name}: requests/s of its no-op`, rate(name), { atLeast: 0.5 }),
      check(`catalogue ${name}, half load: p99 in ms`, slowest(name), { atMost: 20 }),
    ]),
  ];
}

const GAMES = 20_000;

/** Inserts players and a catalogue, and starts the server and the generator. The server also has the no-op operations. */
async function prepareWallet(context: Context) {
  const { world, say, later } = context;
  const { db, env } = world;
  say(`creating ${PLAYERS} players and ${GAMES} games`);
  const players = await createPlayers(world, { group: 'wallet', count: PLAYERS });
  const userIds = players.map(({ userId }) => userId);
  for (const dialect of GAMES_DIALECTS) await addProvider(db, dialect, userIds);
  await query(db)`
    insert into games (slug, name, type, provider_id, external_code, categories, added_at)
    select 'many-' || i, 'Many ' || md5(i::text), 'SLOTS', p.id, 'many-' || i,
      case when i % 3 = 0 then '{SLOTS,CRASH}'::text[] else '{SLOTS}' end, now() - i * interval '1 minute'
    from generate_series(1, ${GAMES}::int) i, game_providers p where p.slug = ${slugOf('generic')}`;
  // Analyses only tables with rows. Query plans for tables that were analysed while empty would be bad after the tables have grown.
  await query(db)`vacuum (analyze) users, players, wallets, games, sessions, provider_sessions`;
  const server = await startServer('noop', { later, env: { ...env, GAME_PROVIDERS: providerSettings() } });
  return { bench: await startBench(context, { wallet: players }), server };
}

const DECIMALS = { generic: 8, hub88: 5, softswiss: 2, pragmatic: 2 } as const;

function providerSettings(): string {
  const { publicKey, privateKey } = vectors.hub88;
  return JSON.stringify(
    GAMES_DIALECTS.map((dialect) => ({
      slug: slugOf(dialect),
      name: slugOf(dialect),
      dialect,
      apiUrl: 'http://127.0.0.1:9',
      operatorId: 'bench',
      launchOrigins: ['http://127.0.0.1:9'],
      currencies: [{ ours: 'USDT', code: 'USDT', decimals: DECIMALS[dialect] }],
      ...(dialect === 'hub88'
        ? { publicKeys: [publicKey], privateKey }
        : { secrets: [dialects[dialect].secret] }),
    })),
  );
}

/** Inserts a provider with one game, and a live session of every player on this game. The tokens are those of `sessionOf`. */
async function addProvider(db: Db, dialect: GamesDialect, userIds: readonly number[]): Promise<void> {
  const [slug, code] = [slugOf(dialect), gameCodeOf(dialect)];
  await query(db)`
    with provider as (
      insert into game_providers (slug, name, origin_name) values (${slug}, ${slug}, ${slug}) returning id),
    game as (
      insert into games (slug, name, type, categories, provider_id, external_code)
      select ${code}, ${code}, 'SLOTS', '{SLOTS}', id, ${code} from provider returning id, provider_id)
    insert into provider_sessions (token_hash, user_id, provider_id, game_id, currency_id, device, expires_at)
    select sha256(convert_to(rpad(${dialect}::text || '-' || user_id, 43, '_'), 'UTF8')), user_id, provider_id, id, 'USDT', 'DESKTOP',
      now() + interval '1 day'
    from game, unnest(${userIds}::int4[]) user_id`;
}

import { spreadOf } from './ratios.ts';
import { measureWallet, type WalletSample } from './wallet-measure.ts';
import { GAMES_DIALECTS, type GamesDialect, NOOP, type Stream } from './wallet-protocol.ts';
import type { WalletBench } from './wallet-setup.ts';

const CONNECTIONS = 256;
const LEAST: Readonly<Record<GamesDialect, number>> = {
  generic: 0.7,
  hub88: 0.6,
  softswiss: 0.7,
  pragmatic: 0.7,
};

/** A measurement and its target. */
export type Verdict = { line: string; isMet: boolean };

/** Measures all workloads, each alternately with its no-op variant. */
export async function measureAll(bench: WalletBench): Promise<Verdict[]> {
  const samples = new Map<string, WalletSample[]>();
  const take = async (name: string, streams: readonly Stream[]): Promise<void> => {
    samples.set(name, [...(samples.get(name) ?? []), await measureWallet(bench, name, { streams })]);
  };
  await warmUp(bench);
  for (let round = 0; round < bench.plan.rounds; round++) await measureRound(take);
  const median = (name: string, of: (sample: WalletSample) => number): number =>
    spreadOf(samples.get(name)!.map(of)).median;
  const speed = (name: string, stream?: number) =>
    median(name, (s) => (stream === undefined ? s.perSecond : s.streams[stream]!.perSecond));
  const cpu = (name: string) => median(name, (s) => s.cpuUs);
  const alone = speed('house') / speed('house noop');
  const mixed = speed('mixed', 0) / speed('mixed noop', 0);
  const half = await measureWallet(bench, 'mixed, half load', {
    streams: mix(false),
    perSecond: speed('mixed') / 2,
  });
  const reads = await readsAtHalfLoad(bench, { list: speed('list'), search: speed('search') });
  return [
    ...GAMES_DIALECTS.flatMap((name) => [
      atLeast(`${name}: requests/s of its no-op`, speed(name) / speed(`${name} noop`), LEAST[name]),
      atMost(`${name}: CPU of its no-op`, cpu(name) / cpu(`${name} noop`), 1.6),
    ]),
    atMost(
      'repeated measurement: maximum',
      Math.max(
        ...[...samples]
          .filter(([name]) => name !== 'hot')
          .flatMap(([, all]) => all.map(({ repeated }) => repeated)),
      ),
      0.001,
    ),
    atLeast('one hot player: requests/s of many', speed('hot') / speed('generic'), 0.6),
    atMost('house bets in the mix: ratio lost', alone - mixed, 0.05),
    atMost('mixed, half load: p99 in ms', Math.max(...half.streams.map(({ p99Ms }) => p99Ms)), 50),
    ...(['list', 'search'] as const).flatMap((name) => [
      atLeast(`catalogue ${name}: requests/s of its no-op`, speed(name) / speed(`${name} noop`), 0.5),
      atMost(`catalogue ${name}, half load: p99 in ms`, reads[name].streams[0]!.p99Ms, 20),
    ]),
  ];
}

/**
 * Generates some traffic, so that the tables are not empty. The tables are analysed before each measurement, so that query plans match
 * their real size.
 */
async function warmUp(bench: WalletBench): Promise<void> {
  const streams = (['generic', 'softswiss', 'pragmatic'] as const).map((name) => calls(name, 16, false));
  await measureWallet(bench, 'warm-up', {
    streams: [...streams, { what: 'house', connections: 16, isNoop: false }],
  });
}

/** Measures every workload once, each together with its no-op variant. */
async function measureRound(
  take: (name: string, streams: readonly Stream[]) => Promise<void>,
): Promise<void> {
  for (const dialect of GAMES_DIALECTS) {
    await take(`${dialect} noop`, [calls(dialect, CONNECTIONS, true)]);
    await take(dialect, [calls(dialect, CONNECTIONS, false)]);
  }
  await take('hot', [{ ...calls('generic', CONNECTIONS, false), isHot: true }]);
  for (const isNoop of [true, false]) {
    const suffix = isNoop ? ' noop' : '';
    await take(`house${suffix}`, [{ what: 'house', connections: CONNECTIONS, isNoop }]);
    await take(`mixed${suffix}`, mix(isNoop));
    for (const name of ['list', 'search'] as const) await take(`${name}${suffix}`, [readsOf(name, isNoop)]);
  }
}

async function readsAtHalfLoad(bench: WalletBench, speeds: Record<'list' | 'search', number>) {
  const at = (name: 'list' | 'search') =>
    measureWallet(bench, `${name}, half load`, {
      streams: [readsOf(name, false)],
      perSecond: speeds[name] / 2,
    });
  return { list: await at('list'), search: await at('search') };
}

type Calls = Extract<Stream, { what: 'calls' }>;
const calls = (dialect: GamesDialect, connections: number, isNoop: boolean): Calls => ({
  what: 'calls',
  dialect,
  connections,
  isNoop,
});

/**
 * Half of the connections make bets on house games, the other half are provider calls. Hub88 is excluded, because its calls must be signed
 * in advance.
 */
const mix = (isNoop: boolean): Stream[] => [
  { what: 'house', connections: CONNECTIONS / 2, isNoop },
  calls('generic', CONNECTIONS / 4, isNoop),
  calls('softswiss', CONNECTIONS / 8, isNoop),
  calls('pragmatic', CONNECTIONS / 8, isNoop),
];

const QUERIES = {
  list: Array.from({ length: 30 }, (_, n) => `take=30&page=${n + 1}`),
  search: ['ab', '1f', 'many', 'c0d', 'ee'].map((name) => `take=30&name=${name}`),
};
const readsOf = (name: keyof typeof QUERIES, isNoop: boolean): Stream => {
  const path = isNoop ? `${NOOP}/games-${name}` : '/casino/games';
  return { what: 'reads', connections: CONNECTIONS, paths: QUERIES[name].map((query) => `${path}?${query}`) };
};

const atLeast = (what: string, value: number, goal: number): Verdict =>
  verdict(what, value, `≥ ${goal}`, value >= goal);
const atMost = (what: string, value: number, goal: number): Verdict =>
  verdict(what, value, `≤ ${goal}`, value <= goal);
const verdict = (what: string, value: number, goal: string, isMet: boolean): Verdict => ({
  line: `${isMet ? 'PASS' : 'miss'}  ${what.padEnd(46)}${value.toFixed(2).padStart(8)}  (${goal})`,
  isMet,
});

/**
 * npm run bench wallet: compares provider callbacks with a no-op variant that only verifies their signatures. Callbacks are measured
 * without other traffic, together with bets on house games, and for a single player. Also measures reads of a catalogue of 20,000 games.
 * `--quick` runs one short round.
 */
import { DICE, GAMES_DIALECTS, type GamesDialect, NOOP, type Play, type Stream } from '../load/protocol.ts';
import { type Bench, cpuPerBet, measure, type Sample, sampleTable, type Task } from '../measure.ts';
import { prove, proven } from '../proof.ts';
import { type Check, check, medianOf } from '../report.ts';
import { defineSuite } from '../suite.ts';
import { PLAYERS, prepareWallet } from './wallet-fill.ts';

const CONNECTIONS = 256;
/** Hub88 rounds per second that are signed in advance, a little more than a server on one core can handle. */
const SIGNED_A_SECOND = 5000;

/** Smallest rate of each dialect's calls, as a fraction of the rate of their no-op variant. */
const LEAST = { generic: 0.7, hub88: 0.6, softswiss: 0.7, pragmatic: 0.7 } as const;

type Times = Pick<Task, 'warmUpMs' | 'measureMs' | 'perSecond'>;

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
  async run(context, { rounds, seconds }) {
    const { bench, server } = await prepareWallet(context);
    const { isQuick } = context;
    const closed = { warmUpMs: isQuick ? 1000 : 2000, measureMs: seconds * 1000 };
    const take = (subject: string, streams: readonly Stream[], times: Times = closed) =>
      takeSample(bench, { subject, workload: '', server, streams, ...times, repeatsRefused: true });
    // Fills the tables with some rows, so that query plans match their real size.
    await take('warm-up', WARM_UP);
    const samples: Sample[] = [];
    for (let round = 0; round < rounds; round++)
      for (const [subject, streams] of Object.entries(WORKLOADS)) samples.push(await take(subject, streams));
    for (const subject of ['mixed', 'list', 'search']) {
      const open = { ...closed, measureMs: isQuick ? 5000 : 15_000, perSecond: rateOf(samples, subject) / 2 };
      samples.push(await take(`${subject}, half load`, WORKLOADS[subject]!, open));
    }
    return proven([await prove(bench, [server])], {
      tables: [sampleTable('256 connections', samples, 'request')],
      checks: checksOf(samples),
      details: { samples },
    });
  },
});

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
  isNoop
    ? plays({ steps: [{ ...DICE.steps[0]!, path: `${NOOP}/dice` }] }, connections, false)
    : plays(DICE, connections, true);

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

/** All workloads in the order in which they are measured, each next to its no-op variant. */
const WORKLOADS: Readonly<Record<string, readonly Stream[]>> = {
  ...Object.fromEntries(
    GAMES_DIALECTS.flatMap((dialect) => [
      [`${dialect} noop`, [calls(dialect, CONNECTIONS, true)]],
      [dialect, [calls(dialect, CONNECTIONS, false)]],
    ]),
  ),
  hot: [{ ...calls('generic', CONNECTIONS, false), isHot: true } as Stream],
  ...Object.fromEntries(
    [true, false].flatMap((isNoop) => [
      [`house${isNoop ? ' noop' : ''}`, [house(CONNECTIONS, isNoop)]],
      [`mixed${isNoop ? ' noop' : ''}`, mix(isNoop)],
      [`list${isNoop ? ' noop' : ''}`, [reads('list', isNoop)]],
      [`search${isNoop ? ' noop' : ''}`, [reads('search', isNoop)]],
    ]),
  ),
};

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
    medianOf(ofSubject(samples, subject), of) / medianOf(ofSubject(samples, `${subject} noop`), of);
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

/** Makes one measurement. Signs calls in advance if signing takes longer than verifying. */
async function takeSample(bench: Bench, task: Task): Promise<Sample> {
  const signed = task.streams.find((stream) => stream.what === 'calls' && stream.dialect === 'hub88');
  if (signed?.what === 'calls') {
    const rounds = Math.ceil((SIGNED_A_SECOND * (task.warmUpMs + task.measureMs)) / 1000);
    await bench.generator.call('sign', 'hub88', 'wallet', signed.isNoop ? 0 : rounds);
  }
  return measure(bench, task);
}

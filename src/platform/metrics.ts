import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const SAME_READ_MS = 500;
/** The delay of the event loop is measured by a timer that wakes every process all the time: `nodejs_eventloop_lag_*` contain its interval. */
const LOOP_LOOK_MS = 1000;

export type Metrics = ReturnType<typeof createMetrics>;

/** Prometheus metrics of one process. Names follow the Prometheus convention: unit last, counters end in _total. */
export function createMetrics(service: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_LOOK_MS });
  const registers = [registry];
  return {
    registry,
    ...httpMetrics(registers),
    ...betMetrics(registers),
    ...accountMetrics(registers),
    ...realtimeMetrics(registers),
    ...jobMetrics(registers),
    ...watchers(registers),
  };
}

const httpMetrics = (registers: Registry[]) => ({
  httpRequests: new Counter({
    name: 'http_requests_total',
    help: 'Answers by status class',
    labelNames: ['status'],
    registers,
  }),
  httpDuration: new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, sampled',
    registers,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  }),
});

const betMetrics = (registers: Registry[]) => ({
  betsSettled: new Counter({
    name: 'bets_settled_total',
    help: 'Bets settled',
    labelNames: ['game'],
    registers,
  }),
  betsRefused: new Counter({
    name: 'bets_refused_total',
    help: 'Bets refused',
    labelNames: ['code'],
    registers,
  }),
  betBatchSize: new Histogram({
    name: 'bet_batch_size',
    help: 'Bets settled per transaction',
    registers,
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  }),
  consumerBets: new Counter({
    name: 'consumer_bets_total',
    help: 'Bets and reversals that consumers have taken in, or back',
    labelNames: ['consumer'],
    registers,
  }),
  returnAlerts: new Gauge({
    name: 'return_alert',
    help: '1 while the watch over the returns of a game has an alert standing',
    labelNames: ['game', 'kind'],
    registers,
  }),
});

const accountMetrics = (registers: Registry[]) => ({
  signInFailures: new Counter({
    name: 'sign_in_failures_total',
    help: 'Sign-ins that were refused: credentials, or limited before the password was looked at',
    labelNames: ['reason'],
    registers,
  }),
  refreshTokensReplayed: new Counter({
    name: 'refresh_tokens_replayed_total',
    help: 'Sessions that ended because a refresh token was shown again: somebody has a copy',
    registers,
  }),
  passwordHashes: new Counter({
    name: 'password_hashes_total',
    help: 'Passwords hashed, to set or to verify one',
    registers,
  }),
  depositFindings: new Counter({
    name: 'deposit_findings_total',
    help: 'What staff should look at in deposits, credited or not',
    labelNames: ['reason'],
    registers,
  }),
});

const realtimeMetrics = (registers: Registry[]) => ({
  realtimeFrames: new Counter({
    name: 'realtime_frames_sent_total',
    help: 'Frames handed to sockets, one for each socket',
    registers,
  }),
  realtimeMessages: new Counter({
    name: 'realtime_messages_total',
    help: 'Messages of clients',
    registers,
  }),
  realtimeRefused: new Counter({
    name: 'realtime_refused_total',
    help: 'Handshakes and messages that were refused, and sockets that were cut',
    labelNames: ['reason'],
    registers,
  }),
  realtimeLag: new Histogram({
    name: 'realtime_delivery_lag_seconds',
    help: 'From what happened to the sockets that it is for',
    registers,
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  }),
});

const jobMetrics = (registers: Registry[]) => ({
  jobDuration: new Histogram({
    name: 'job_duration_seconds',
    help: 'How long runs of jobs took',
    labelNames: ['job'],
    registers,
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  }),
  jobFailures: new Counter({
    name: 'job_failures_total',
    help: 'Runs of jobs that failed',
    labelNames: ['job'],
    registers,
  }),
  jobLastSuccess: new Gauge({
    name: 'job_last_success_timestamp_seconds',
    help: 'When this process last ended a run of the job well',
    labelNames: ['job'],
    registers,
  }),
});

/** Figures that are not counted while something happens, but read when metrics are asked for: they cost nothing in between. */
const watchers = (registers: Registry[]) => ({
  /** A figure that is read when metrics are asked for, and costs nothing in between; not a number when it cannot be read. */
  watch(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(
          await Promise.resolve()
            .then(read)
            .catch(() => Number.NaN),
        );
      },
    });
  },
  /** Figures that are read together when metrics are asked for; not numbers when they cannot be read. */
  watchAll<F extends string>(
    figures: Readonly<Record<F, string>>,
    read: () => Promise<Readonly<Record<F, number>>>,
  ): void {
    const readOnce = together(() => read().catch(() => undefined));
    for (const [name, help] of Object.entries(figures) as [F, string][])
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set((await readOnce())?.[name] ?? Number.NaN);
        },
      });
  },
  /** Figures of things by their names, read together when metrics are asked for. What cannot be read is left out. */
  watchEach<F extends string>(
    label: string,
    figures: Readonly<Record<F, string>>,
    read: () => Promise<readonly { label: string; figures: Readonly<Record<F, number>> }[]>,
  ): void {
    const readOnce = together(() => read().catch(() => []));
    for (const [name, help] of Object.entries(figures) as [F, string][])
      new Gauge({
        name,
        help,
        registers,
        labelNames: [label],
        async collect() {
          const rows = await readOnce();
          this.reset();
          for (const row of rows) this.set({ [label]: row.label }, row.figures[name]);
        },
      });
  },
});

/** Gauges that are collected together share a read. */
function together<T>(read: () => Promise<T>): () => Promise<T> {
  let known: { atMs: number; value: Promise<T> } | undefined;
  return () => {
    if (!known || performance.now() - known.atMs > SAME_READ_MS)
      known = { atMs: performance.now(), value: read() };
    return known.value;
  };
}

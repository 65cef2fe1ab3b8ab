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
  return {
    registry,
    ...httpMetrics(registry),
    ...betMetrics(registry),
    ...accountMetrics(registry),
    ...realtimeMetrics(registry),
    ...jobMetrics(registry),
    ...watchers(registry),
  };
}

/** Makes metrics of one registry, each with the labels that its values are told apart by. */
const makers = (registry: Registry) => ({
  counter: <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers: [registry] }),
  gauge: <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] }),
  histogram: <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram({ name, help, labelNames, registers: [registry], buckets }),
});

function httpMetrics(registry: Registry) {
  const { counter, histogram } = makers(registry);
  const seconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
  return {
    httpRequests: counter('http_requests_total', 'Answers by status class', 'status'),
    httpDuration: histogram('http_request_duration_seconds', 'Time to answer, sampled', seconds),
  };
}

function betMetrics(registry: Registry) {
  const { counter, gauge, histogram } = makers(registry);
  const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256];
  return {
    betsSettled: counter('bets_settled_total', 'Bets settled', 'game'),
    betsRefused: counter('bets_refused_total', 'Bets refused', 'code'),
    providerCalls: counter('provider_calls_total', 'Callbacks of providers of games', 'provider', 'status'),
    betBatchSize: histogram('bet_batch_size', 'Bets settled per transaction', sizes),
    consumerBets: counter(
      'consumer_bets_total',
      'Bets and reversals that consumers have applied',
      'consumer',
    ),
    returnAlerts: gauge(
      'return_alert',
      '1 while an alert about the returns of a game stands',
      'game',
      'kind',
    ),
  };
}

function accountMetrics(registry: Registry) {
  const { counter } = makers(registry);
  return {
    signInFailures: counter(
      'sign_in_failures_total',
      'Sign-ins that were refused: wrong credentials, or limited before the password was checked',
      'reason',
    ),
    refreshTokensReplayed: counter(
      'refresh_tokens_replayed_total',
      'Sessions that ended because a refresh token was used again: somebody has a copy',
    ),
    passwordHashes: counter('password_hashes_total', 'Passwords hashed, to set or to verify one'),
    breachedPasswordChecks: counter(
      'breached_password_checks_total',
      'New passwords that were looked up among breached ones: unknown there, breached, or the service was unavailable and they were taken',
      'outcome',
    ),
    depositFindings: counter(
      'deposit_findings_total',
      'What staff should look at in deposits, credited or not',
      'reason',
    ),
  };
}

function realtimeMetrics(registry: Registry) {
  const { counter, histogram } = makers(registry);
  const seconds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
  return {
    realtimeFrames: counter('realtime_frames_sent_total', 'Frames handed to sockets, one for each socket'),
    realtimeMessages: counter('realtime_messages_total', 'Messages of clients'),
    realtimeRefused: counter(
      'realtime_refused_total',
      'Handshakes and messages that were refused, and sockets that were disconnected',
      'reason',
    ),
    realtimeLag: histogram(
      'realtime_delivery_lag_seconds',
      'From the event to the sockets that it is for',
      seconds,
    ),
  };
}

function jobMetrics(registry: Registry) {
  const { counter, gauge, histogram } = makers(registry);
  const seconds = [0.005, 0.02, 0.1, 0.5, 2, 10, 60];
  return {
    jobDuration: histogram('job_duration_seconds', 'How long runs of jobs took', seconds, 'job'),
    jobFailures: counter('job_failures_total', 'Runs of jobs that failed', 'job'),
    jobLastSuccess: gauge(
      'job_last_success_timestamp_seconds',
      'When this process last finished a run of the job without failure',
      'job',
    ),
  };
}

/** Figures that are not counted while something happens, but read when metrics are asked for: they cost nothing in between. */
function watchers(registry: Registry) {
  const gauge = (
    name: string,
    help: string,
    collect: (gauge: Gauge) => Promise<void>,
    labelNames: string[] = [],
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        return collect(this);
      },
    });
  return {
    /** One figure; not a number when it cannot be read. */
    watch(name: string, help: string, read: () => number | Promise<number>): void {
      gauge(name, help, async (one) => {
        const value = Promise.resolve().then(read);
        one.set(await value.catch(() => Number.NaN));
      });
    },
    /** Figures that are read together; not numbers when they cannot be read. */
    watchAll<F extends string>(
      figures: Readonly<Record<F, string>>,
      read: () => Promise<Readonly<Record<F, number>>>,
    ): void {
      const readOnce = together(() => read().catch(() => undefined));
      for (const [name, help] of Object.entries(figures) as [F, string][])
        gauge(name, help, async (one) => one.set((await readOnce())?.[name] ?? Number.NaN));
    },
    /** Figures of things by their names, read together. What cannot be read is left out. */
    watchEach<F extends string>(
      label: string,
      figures: Readonly<Record<F, string>>,
      read: () => Promise<readonly { label: string; figures: Readonly<Record<F, number>> }[]>,
    ): void {
      const readOnce = together(() => read().catch(() => []));
      for (const [name, help] of Object.entries(figures) as [F, string][])
        gauge(
          name,
          help,
          async (each) => {
            const rows = await readOnce();
            each.reset();
            for (const row of rows) each.set({ [label]: row.label }, row.figures[name]);
          },
          [label],
        );
    },
  };
}

/** Gauges that are collected together share a read. */
function together<T>(read: () => Promise<T>): () => Promise<T> {
  let known: { atMs: number; value: Promise<T> } | undefined;
  return () => {
    if (!known || performance.now() - known.atMs > SAME_READ_MS)
      known = { atMs: performance.now(), value: read() };
    return known.value;
  };
}

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { sharedFor } from '../limits/shared-read.ts';
import { VERSION } from '../version.ts';

const SAME_READ_MS = 500;
/**
 * Interval of the timer that measures event loop delay. A shorter one would wake every process constantly. `nodejs_eventloop_lag_*` include
 * this interval.
 */
const LOOP_LOOK_MS = 1000;

export type Metrics = ReturnType<typeof createMetrics>;

/** Prefix of every metric of the platform, which prevents confusion with an exporter's metrics. */
export type MetricName = `croupier_${string}`;

/**
 * Creates the Prometheus metrics of one process. `part` is the part of the platform or the command that the process runs. Names follow the
 * Prometheus convention: unit last, counters end in _total. The labels `job` and `instance` are not used, because Prometheus sets labels of
 * these names and would rename ours.
 */
export function createMetrics(part: string, commit = 'unknown') {
  const registry = new Registry();
  registry.setDefaultLabels({ part });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_LOOK_MS });
  makers(registry)
    .gauge(
      'croupier_build_info',
      'Always 1; the labels are the running version and commit',
      'version',
      'commit',
    )
    .set({ version: VERSION, commit }, 1);
  return {
    registry,
    ...httpMetrics(registry),
    ...databaseMetrics(registry),
    ...betMetrics(registry),
    ...accountMetrics(registry),
    ...realtimeMetrics(registry),
    ...jobMetrics(registry),
    ...watchers(registry),
  };
}

/** Returns functions that create metrics of one registry, each with the labels that distinguish its values. */
const makers = (registry: Registry) => ({
  counter: <L extends string>(name: MetricName, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers: [registry] }),
  gauge: <L extends string>(name: MetricName, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] }),
  histogram: <L extends string>(name: MetricName, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram({ name, help, labelNames, registers: [registry], buckets }),
});

const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
/** One in this many requests is timed on each route. */
const TIMED_SHARE = 16;

/** Counts responses by route. The counts are plain numbers that are copied into the metric only when the metric is read. */
function httpMetrics(registry: Registry) {
  const labelNames = ['method', 'route'] as const;
  const routes = new Map<string, { labels: Record<'method' | 'route', string>; counts: number[] }>();
  new Counter({
    name: 'croupier_http_requests_total' satisfies MetricName,
    help: 'Responses by method, route pattern and status class; route "none" is a path without a route',
    labelNames: [...labelNames, 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, counts } of routes.values())
        for (const [i, status] of STATUS_CLASSES.entries())
          if (counts[i]! > 0) this.inc({ ...labels, status }, counts[i]!);
    },
  });
  const duration = makers(registry).histogram(
    'croupier_http_request_duration_seconds',
    'Time to respond, sampled',
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    ...labelNames,
  );
  return {
    /**
     * Returns a function that counts the responses of one route. `route` must be a path pattern, because each value creates a separate
     * series.
     */
    countRoute(method: string, route: string) {
      const key = `${method} ${route}`;
      const known = routes.get(key) ?? { labels: { method, route }, counts: STATUS_CLASSES.map(() => 0) };
      routes.set(key, known);
      const { labels, counts } = known;
      let seen = 0;
      return (status: number, ms: number): void => {
        counts[Math.floor(status / 100) - 1]! += 1;
        if (seen++ % TIMED_SHARE === 0) duration.observe(labels, ms / 1000);
      };
    },
  };
}

function databaseMetrics(registry: Registry) {
  const { counter } = makers(registry);
  return {
    dbResourceErrors: counter(
      'croupier_db_resource_errors_total',
      'Errors of the database server about disk (53100), memory (53200), connections (53300) or I/O (58030)',
      'state',
    ),
  };
}

function betMetrics(registry: Registry) {
  const { counter, gauge, histogram } = makers(registry);
  const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256];
  return {
    historyReads: counter(
      'croupier_history_reads_total',
      'Lists and histories of players by the server that was read: replica or primary',
      'by',
    ),
    betsSettled: counter('croupier_bets_settled_total', 'Bets settled', 'game'),
    betsRefused: counter('croupier_bets_refused_total', 'Bets refused', 'code'),
    providerCalls: counter(
      'croupier_provider_calls_total',
      'Callbacks of game providers',
      'provider',
      'status',
    ),
    reportsUnbooked: counter(
      'croupier_provider_reports_unbooked_total',
      'Reports of partners that were stored as findings without booking',
      'provider',
      'reason',
    ),
    amountsCut: counter(
      'croupier_provider_amounts_cut_total',
      'Reported amounts with more decimals than our unit',
      'provider',
    ),
    unknownFields: counter(
      'croupier_partner_unknown_fields_total',
      'Unknown fields in partner messages',
      'partner',
      'field',
    ),
    unknownTypes: counter(
      'croupier_partner_unknown_types_total',
      'Partner reports with an unknown type, status or result',
      'partner',
      'type',
    ),
    betBatchSize: histogram('croupier_bet_batch_size', 'Bets settled per transaction', sizes),
    consumerBets: counter(
      'croupier_consumer_bets_total',
      'Bets and reversals that consumers have applied',
      'consumer',
    ),
    returnAlerts: gauge(
      'croupier_return_alert',
      '1 while an alert about the returns of a game is open',
      'game',
      'kind',
    ),
  };
}

function accountMetrics(registry: Registry) {
  const { counter } = makers(registry);
  return {
    signInFailures: counter(
      'croupier_sign_in_failures_total',
      'Rejected sign-ins: wrong credentials, or rate limited before the password was checked',
      'reason',
    ),
    refreshTokensReplayed: counter(
      'croupier_refresh_tokens_replayed_total',
      'Sessions that ended because a refresh token was reused, so it was probably copied',
    ),
    passwordHashes: counter('croupier_password_hashes_total', 'Passwords hashed, to set or to verify one'),
    breachedPasswordChecks: counter(
      'croupier_breached_password_checks_total',
      'Checks of new passwords against breached ones: not breached, breached, or accepted because the service was unavailable',
      'outcome',
    ),
    depositFindings: counter(
      'croupier_deposit_findings_total',
      'Findings about deposits for staff, whether or not they were credited',
      'reason',
    ),
  };
}

function realtimeMetrics(registry: Registry) {
  const { counter, histogram } = makers(registry);
  const seconds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
  return {
    realtimeFrames: counter(
      'croupier_realtime_frames_sent_total',
      'Frames handed to sockets, one for each socket',
    ),
    realtimeMessages: counter('croupier_realtime_messages_total', 'Client messages'),
    realtimeRefused: counter(
      'croupier_realtime_refused_total',
      'Handshakes and messages that were refused, and sockets that were disconnected',
      'reason',
    ),
    realtimeLag: histogram(
      'croupier_realtime_delivery_lag_seconds',
      'From the event to the sockets that it is for',
      seconds,
    ),
  };
}

function jobMetrics(registry: Registry) {
  const { counter, gauge, histogram } = makers(registry);
  const seconds = [0.005, 0.02, 0.1, 0.5, 2, 10, 60];
  return {
    jobDuration: histogram('croupier_job_duration_seconds', 'Duration of job runs', seconds, 'job_name'),
    jobFailures: counter('croupier_job_failures_total', 'Failed job runs', 'job_name'),
    jobLastSuccess: gauge(
      'croupier_job_last_success_timestamp_seconds',
      'Time when this process last finished a run of the job without failure',
      'job_name',
    ),
  };
}

/**
 * Returns functions that register metrics which are queried only when they are read, so they cost nothing at other times. Metrics that are
 * registered together share a query, which runs at most once every `everyMs`.
 */
function watchers(registry: Registry) {
  const gauge = (
    name: MetricName,
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
    /** Registers one metric. It is NaN if the query fails. */
    watch(name: MetricName, help: string, read: () => number | Promise<number>): void {
      gauge(name, help, async (one) => {
        const value = Promise.resolve().then(read);
        one.set(await value.catch(() => Number.NaN));
      });
    },
    /** Registers metrics that share a query. They are NaN if the query fails. */
    watchAll<F extends MetricName>(
      figures: Readonly<Record<F, string>>,
      read: () => Promise<Readonly<Record<F, number>>>,
      everyMs = SAME_READ_MS,
    ): void {
      const shared = sharedFor(everyMs, read);
      for (const [name, help] of Object.entries(figures) as [F, string][])
        gauge(name, help, async (one) =>
          one.set((await shared().catch(() => undefined))?.[name] ?? Number.NaN),
        );
    },
    /** Registers a metric with one value for each named item. The values are omitted if the query fails. */
    watchEach<F extends MetricName>(
      label: string,
      figures: Readonly<Record<F, string>>,
      read: () => Promise<readonly { label: string; figures: Readonly<Record<F, number>> }[]>,
      everyMs = SAME_READ_MS,
    ): void {
      const shared = sharedFor(everyMs, read);
      for (const [name, help] of Object.entries(figures) as [F, string][])
        gauge(
          name,
          help,
          async (each) => {
            const rows = await shared().catch(() => []);
            each.reset();
            for (const row of rows) each.set({ [label]: row.label }, row.figures[name]);
          },
          [label],
        );
    },
  };
}

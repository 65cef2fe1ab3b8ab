import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** Prometheus metrics of one process. Names follow the Prometheus convention: unit last, counters end in _total. */
export function createMetrics(service: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
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
    returnAlerts: new Gauge({
      name: 'return_alert',
      help: '1 while the watch over the returns of a game has an alert standing',
      labelNames: ['game', 'kind'],
      registers,
    }),
    /** A figure that is read when metrics are asked for, and costs nothing in between. */
    watch(name: string, help: string, read: () => number): void {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    },
  };
}

/**
 * The source of the Grafana dashboard for the metrics of all parts. `npm run docs` generates deploy/grafana/croupier.json from it. The
 * source is much shorter than the JSON and easier to compare with the metrics.
 */
/** `queries`: Prometheus queries, keyed by their legend. */
const panel = (title: string, unit: string, queries: Record<string, string>, about?: string) => ({
  title,
  unit,
  queries,
  about,
});
type Panel = ReturnType<typeof panel>;

const RATE = '[$__rate_interval]';
const quantile = (q: number, name: string, by = '') =>
  `histogram_quantile(${q}, sum by (le${by ? `, ${by}` : ''}) (rate(${name}_bucket${RATE})))`;

const ROWS: Readonly<Record<string, readonly Panel[]>> = {
  'At a glance': [
    panel('Responding processes', 'short', { '{{part}}': 'sum by (part) (up{job="croupier"})' }),
    panel('Bets settled', 'ops', { '{{game}}': `sum by (game) (rate(croupier_bets_settled_total${RATE}))` }),
    panel('Responses by class', 'reqps', {
      '{{status}}': `sum by (status) (rate(croupier_http_requests_total${RATE}))`,
    }),
    panel(
      'Alerts about money and games',
      'short',
      {
        '{{kind}} {{game}}': 'max by (game, kind) (croupier_return_alert)',
        'deposit {{reason}}': 'sum by (reason) (increase(croupier_deposit_findings_total[1h]))',
      },
      'Staff must check any value above zero: returns that deviate from theory, and deposits that differ from their announcement.',
    ),
  ],
  Business: [
    panel('Sign-ups a day', 'short', { players: 'max(delta(croupier_sign_ups[1d]))' }),
    panel('Payments in 24 hours', 'currencyUSD', {
      deposits: 'max(delta(croupier_deposits_completed_usd[1d]))',
      withdrawals: 'max(delta(croupier_withdrawals_completed_usd[1d]))',
    }),
    panel('Stakes and gross gaming revenue in 24 hours', 'currencyUSD', {
      'stakes {{provider}}': 'max by (provider) (delta(croupier_stakes_usd[1d]))',
      'GGR {{provider}}': 'max by (provider) (delta(croupier_ggr_usd[1d]))',
    }),
    panel(
      'Pending payments',
      'short',
      {
        'withdrawals {{state}}': 'max by (state) (croupier_withdrawals_open)',
        'deposits under review': 'max(croupier_deposits_under_review)',
      },
      'Staff must resolve withdrawals with an unknown outcome.',
    ),
  ],
  HTTP: [
    panel('Response time', 's', {
      '{{part}} p50': quantile(0.5, 'croupier_http_request_duration_seconds', 'part'),
      '{{part}} p99': quantile(0.99, 'croupier_http_request_duration_seconds', 'part'),
    }),
    panel('Slowest routes, p99', 's', {
      '{{method}} {{route}}': `topk(5, ${quantile(0.99, 'croupier_http_request_duration_seconds', 'method, route')})`,
    }),
    panel('Share of 5xx', 'percentunit', {
      '{{part}}': `sum by (part) (rate(croupier_http_requests_total{status="5xx"}${RATE})) / sum by (part) (rate(croupier_http_requests_total${RATE}))`,
    }),
    panel(
      'Sign-ins',
      'ops',
      {
        'refused: {{reason}}': `sum by (reason) (rate(croupier_sign_in_failures_total${RATE}))`,
        'replayed refresh tokens': `sum(rate(croupier_refresh_tokens_replayed_total${RATE}))`,
        'passwords hashed': `sum(rate(croupier_password_hashes_total${RATE}))`,
      },
      'Rejections by reason, reused refresh tokens, and password hashing, which costs CPU.',
    ),
  ],
  'Bets and lanes': [
    panel(
      'Bets waiting for a lane',
      'short',
      { '{{instance}}': 'croupier_bet_queue_length{part="api"}' },
      'If it stays above zero, the lanes do not keep up, and bets will soon be rejected with 503.',
    ),
    panel('Bets in a transaction', 'short', {
      p50: quantile(0.5, 'croupier_bet_batch_size'),
      p99: quantile(0.99, 'croupier_bet_batch_size'),
    }),
    panel('Bets refused', 'ops', { '{{code}}': `sum by (code) (rate(croupier_bets_refused_total${RATE}))` }),
  ],
  Database: [
    panel('Requests waiting for a connection', 'short', {
      '{{part}} {{instance}}': 'croupier_db_pool_waiting',
      'replica: {{part}} {{instance}}': 'croupier_db_replica_pool_waiting',
    }),
    panel('Responses and commits', 'short', {
      '{{part}} {{instance}}': 'croupier_db_available',
      'refused: {{part}} {{instance}}': 'croupier_db_refused',
      'behind: {{part}} {{instance}}': 'croupier_db_behind',
    }),
    panel('Connections to PostgreSQL', 'short', {
      open: 'max(croupier_db_connections)',
      limit: 'max(croupier_db_connections_limit)',
    }),
    panel('Read replica: lag', 's', { '{{part}} {{instance}}': 'croupier_db_replica_lag_seconds' }),
    panel('Read replica: in use', 'short', { '{{part}}': 'min by (part) (croupier_db_replica_used)' }),
  ],
  'Disks, archive and backups': [
    panel('Free space', 'percentunit', {
      '{{instance}} {{mountpoint}}':
        'node_filesystem_avail_bytes{fstype!~"tmpfs|ramfs|overlay|squashfs"} / node_filesystem_size_bytes',
    }),
    panel('WAL not archived or retained', 'bytes', {
      'not archived': 'max(croupier_db_archive_behind_bytes)',
      'slot {{slot}}': 'max by (slot) (croupier_db_slot_retained_bytes)',
    }),
    panel('Age of the last backup', 's', {
      backup: 'min(croupier_backup_age_seconds)',
    }),
    panel('Certificates expire in', 's', {
      '{{instance}}': 'min by (instance) (probe_ssl_earliest_cert_expiry) - time()',
    }),
  ],
  'Database cluster': [
    panel(
      'Leader',
      'short',
      {
        'leader {{instance}}': 'patroni_primary',
        'synchronous {{instance}}': '0.5 * patroni_sync_standby',
      },
      'One node is the leader, and another one has all acknowledged writes. If either is missing, bets are rejected.',
    ),
    panel('Replicas: lag', 'bytes', {
      '{{instance}}':
        'scalar(max(patroni_xlog_location)) - patroni_xlog_replayed_location and patroni_replica == 1',
    }),
    panel(
      'Timeline',
      'short',
      { '{{instance}}': 'patroni_postgres_timeline' },
      'It increases by one with each change of the leader.',
    ),
    panel('Time since the last contact with etcd', 's', { '{{instance}}': 'time() - patroni_dcs_last_seen' }),
  ],
  'Jobs and queue': [
    panel(
      'Waiting and dead',
      'short',
      {
        'due jobs': 'max(croupier_queue_jobs_waiting)',
        'dead jobs': 'max(croupier_queue_jobs_dead)',
      },
      'Dead letters wait until staff retries or deletes them: npx croupier dead-letters.',
    ),
    panel('Age of the oldest item', 's', {
      'due job': 'max(croupier_queue_oldest_waiting_seconds)',
      'event not sent to RabbitMQ': 'max(croupier_outbox_lag_seconds)',
      'message not delivered to the CRM': 'max(croupier_crm_oldest_waiting_seconds)',
    }),
    panel('Jobs: failures and time', 'short', {
      'failures/s {{job_name}}': `sum by (job_name) (rate(croupier_job_failures_total${RATE}))`,
      'p99, s {{job_name}}': quantile(0.99, 'croupier_job_duration_seconds', 'job_name'),
    }),
  ],
  'Consumers of bets': [
    panel(
      'Oldest open transaction',
      's',
      { '{{part}}': 'max by (part) (croupier_watermark_age_seconds)' },
      'Time for which frames, statistics and events have waited for it. The log names the transaction.',
    ),
    panel('Consumer lag', 's', { '{{consumer}}': 'max by (consumer) (croupier_consumer_lag_seconds)' }),
    panel('Bets not consumed yet', 'short', {
      '{{consumer}}': 'max by (consumer) (croupier_consumer_lag_bets)',
      'paused: {{consumer}}': 'max by (consumer) (croupier_consumer_paused)',
    }),
    panel('Bets accepted', 'ops', {
      '{{consumer}}': `sum by (consumer) (rate(croupier_consumer_bets_total${RATE}))`,
    }),
  ],
  Sockets: [
    panel('Sockets', 'short', { '{{instance}}': 'croupier_realtime_sockets' }),
    panel('Delay from an event to the sockets', 's', {
      p50: quantile(0.5, 'croupier_realtime_delivery_lag_seconds'),
      p99: quantile(0.99, 'croupier_realtime_delivery_lag_seconds'),
    }),
    panel('Frames and messages', 'ops', {
      'frames sent': `sum(rate(croupier_realtime_frames_sent_total${RATE}))`,
      'client messages': `sum(rate(croupier_realtime_messages_total${RATE}))`,
      'refused: {{reason}}': `sum by (reason) (rate(croupier_realtime_refused_total${RATE}))`,
    }),
  ],
  Processes: [
    panel('CPU', 'percentunit', {
      '{{part}} {{instance}}': `rate(process_cpu_seconds_total{job="croupier"}${RATE})`,
    }),
    panel('Memory', 'bytes', { '{{part}} {{instance}}': 'process_resident_memory_bytes{job="croupier"}' }),
    panel('Event loop lag, p99', 's', {
      '{{part}} {{instance}}': 'nodejs_eventloop_lag_p99_seconds - 1',
    }),
  ],
};

const WIDTH = 24;
const HEIGHT = 8;

/** Returns the JSON that Grafana imports. */
export function dashboard(): string {
  let y = 0;
  let id = 0;
  const panels = Object.entries(ROWS).flatMap(([title, row]) => {
    const head = { id: ++id, type: 'row', title, gridPos: { x: 0, y: y++, w: WIDTH, h: 1 } };
    const w = WIDTH / row.length;
    const shown = row.map((panel, i) => panelOf(panel, ++id, { x: i * w, y, w, h: HEIGHT }));
    y += HEIGHT;
    return [head, ...shown];
  });
  const source = { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' };
  return `${JSON.stringify(
    {
      uid: 'croupier',
      title: 'Croupier',
      tags: ['croupier'],
      timezone: 'utc',
      schemaVersion: 39,
      refresh: '30s',
      time: { from: 'now-3h', to: 'now' },
      templating: { list: [source] },
      panels,
    },
    null,
    2,
  )}\n`;
}

function panelOf({ title, unit, queries, about }: Panel, id: number, gridPos: object) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana's
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  return {
    id,
    type: 'timeseries',
    title,
    datasource,
    gridPos,
    ...(about ? { description: about } : {}),
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: Object.entries(queries).map(([legendFormat, expr], i) => ({
      refId: String.fromCharCode(65 + i),
      datasource,
      expr,
      legendFormat,
    })),
  };
}

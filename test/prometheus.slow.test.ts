/** Tests the configuration in deploy/ with the programs that read it: Debian's Prometheus and Alertmanager. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';

const DEPLOY = resolve(import.meta.dirname, '../deploy');
const folder = mkdtempSync(join(tmpdir(), 'croupier-prometheus-'));
afterAll(() => rmSync(folder, { recursive: true }));
const run = (program: string, ...args: string[]) => {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', cwd: folder });
  return { status, said: error ? error.message : stdout + stderr };
};
const isThere = run('promtool', '--version').status === 0 && run('amtool', '--version').status === 0;
// CI installs both before the tests, so the tests fail there if one is missing.
const tested = test.skipIf(!isThere && !process.env.CI);

tested(
  'Prometheus accepts its configuration, with and without the cluster, and Alertmanager accepts its own',
  () => {
    for (const isCluster of [false, true]) {
      const place = mkdtempSync(join(folder, 'config-'));
      cpSync(join(DEPLOY, 'prometheus'), place, { recursive: true });
      if (isCluster) cpSync(join(DEPLOY, 'ha/prometheus'), join(place, 'cluster'), { recursive: true });
      // With --syntax-only promtool does not require the token file, which exists only in a deployment.
      const checked = run('promtool', 'check', 'config', '--syntax-only', join(place, 'prometheus.yml'));
      expect(checked, checked.said).toMatchObject({ status: 0 });
      const rules = run(
        'promtool',
        'check',
        'rules',
        join(place, 'alerts.yml'),
        ...(isCluster ? [join(place, 'cluster/alerts.yml')] : []),
      );
      expect(rules, rules.said).toMatchObject({ status: 0 });
    }
    const { status, said } = run('amtool', 'check-config', join(DEPLOY, 'alertmanager/alertmanager.yml'));
    expect([status, said]).toEqual([0, expect.stringContaining('SUCCESS')]);
  },
);

type Series = { series: string; values: string };
const hours = (count: number) => `${count}h`;
const series = (name: string, values: string): Series => ({ series: name, values });
/** Returns a series of a constant value over a day and a half, every ten minutes. */
const steady = (value: number | string) => `${value}x220`;

/** Returns the alerts that fire after `at` with the given series. */
function firing(file: string, input: Series[], at: string, expected: Record<string, object[]>): string {
  const runbook = (alert: string) => ({
    runbook_url: `file:///opt/croupier/docs/operations/runbooks.md#${alert.toLowerCase()}`,
  });
  const path = join(folder, 'tests.yml');
  writeFileSync(
    path,
    stringify({
      rule_files: [join(DEPLOY, file)],
      evaluation_interval: '10m',
      tests: [
        {
          interval: '10m',
          input_series: input,
          alert_rule_test: Object.entries(expected).map(([alertname, alerts]) => ({
            eval_time: at,
            alertname,
            exp_alerts: alerts.map((one) => ({
              ...one,
              exp_annotations: {
                ...(one as { exp_annotations: object }).exp_annotations,
                ...runbook(alertname),
              },
            })),
          })),
        },
      ],
    }),
  );
  return run('promtool', 'test', 'rules', path).said;
}

const fires = (severity: string, summary: string, labels: object = {}) => ({
  exp_labels: { severity, ...labels },
  exp_annotations: { summary },
});

tested(
  'fires for a full disk, a failing archive, an old backup, an expiring certificate and stuck payments',
  () => {
    const disk = 'mountpoint="/",instance="db",fstype="ext4"';
    const said = firing(
      'prometheus/alerts.yml',
      [
        series(`node_filesystem_avail_bytes{${disk}}`, steady(4)),
        series(`node_filesystem_size_bytes{${disk}}`, steady(100)),
        series('node_filesystem_avail_bytes{mountpoint="/run",instance="db",fstype="tmpfs"}', steady(0)),
        series('node_filesystem_size_bytes{mountpoint="/run",instance="db",fstype="tmpfs"}', steady(100)),
        series('croupier_db_archive_failing{part="worker"}', steady(1)),
        series('croupier_backup_age_seconds{part="worker"}', '0+600x220'),
        series(
          'probe_ssl_earliest_cert_expiry{instance="api.casino.example"}',
          steady(28 * 3600 + 7 * 86_400),
        ),
        series('croupier_withdrawals_open{state="UNKNOWN_OUTCOME"}', steady(1)),
        series('croupier_withdrawals_open{state="SENT"}', steady(9)),
        series('croupier_deposits_under_review_oldest_seconds', '0+600x220'),
        series('croupier_job_failures_total{job="croupier",job_name="rates.refresh"}', '0+9x220'),
      ],
      hours(28),
      {
        DiskFull: [
          fires('page', '/ at db has less than 5 % left.', {
            mountpoint: '/',
            instance: 'db',
            fstype: 'ext4',
          }),
        ],
        ArchiveFails: [
          fires(
            'page',
            'PostgreSQL cannot archive its log: the log fills the disk, and there is no point-in-time recovery.',
          ),
        ],
        BackupTooOld: [fires('page', 'The last base backup is older than 26 hours.')],
        BackupMissing: [],
        CertificateExpires: [
          fires('warn', 'The certificate of api.casino.example expires within 14 days.', {
            instance: 'api.casino.example',
          }),
        ],
        CertificateExpiresSoon: [],
        WithdrawalOutcomeUnknown: [
          fires('page', 'The payment provider has not confirmed for 15 minutes whether it sent a payment.'),
        ],
        DepositsWait: [fires('warn', 'A deposit has been under review for more than a day.')],
        JobFails: [
          fires('warn', 'The job rates.refresh has failed more than three times in 15 minutes.', {
            job_name: 'rates.refresh',
          }),
        ],
      },
    );
    expect(said).toContain('SUCCESS');
  },
);

tested('reports only a missing backup when everything else is well and there is no cluster', () => {
  const healthy = [
    series('up{job="croupier",part="worker",instance="worker-1:3003"}', steady(1)),
    series('up{job="node",instance="node-exporter:9100"}', steady(1)),
    series('croupier_db_available{instance="worker-1:3003"}', steady(1)),
    series('croupier_withdrawals_open{state="UNKNOWN_OUTCOME"}', steady(0)),
    series('croupier_deposit_returns_unknown', steady(0)),
    series('croupier_backup_age_seconds{part="worker"}', Array(220).fill('NaN').join(' ')),
  ];
  const names = run('grep', '-ho', 'alert: .*', join(DEPLOY, 'prometheus/alerts.yml'))
    .said.trim()
    .split('\n');
  const alerts = names.map((line) => line.replace('alert: ', ''));
  expect(alerts.length).toBeGreaterThan(35);
  const missing = fires('warn', 'No base backup has ever been recorded.');
  const said = firing(
    'prometheus/alerts.yml',
    healthy,
    hours(30),
    Object.fromEntries(alerts.map((name) => [name, name === 'BackupMissing' ? [missing] : []])),
  );
  expect(said).toContain('SUCCESS');
});

tested('fires when a node of the cluster is lost', () => {
  const said = firing(
    'ha/prometheus/alerts.yml',
    [
      series('up{job="patroni",instance="node2:8008"}', steady(0)),
      series('patroni_primary{instance="node1:8008"}', steady(1)),
      series('patroni_sync_standby{instance="node3:8008"}', steady(1)),
    ],
    hours(1),
    {
      DatabaseNodeAway: [
        fires(
          'warn',
          'The node node2:8008 is down. If another one fails, no bets or other writes are accepted.',
          {
            job: 'patroni',
            instance: 'node2:8008',
          },
        ),
      ],
      DatabaseWithoutLeader: [],
      DatabaseWithoutSecondCopy: [],
    },
  );
  expect(said).toContain('SUCCESS');
});

/** The steps of continuous integration, in stages. A stage runs up to `atOnce` steps concurrently and starts them in this order. */

export type Step = {
  name: string;
  /** Shell command, run in the root folder of the repository. */
  command: string;
  /** Arguments that are appended to the command. `npm run ci -- NAME -- ARGUMENTS` replaces them. */
  args?: string;
  /** True if the command runs vitest. In this case each test is counted in the totals instead of the step. */
  isVitest?: true;
};

type Stage = {
  /** Maximum number of concurrent steps. */
  atOnce: number;
  steps: readonly Step[];
};

/** Debian packages with the programs that tests start. */
const PACKAGES = [
  'rabbitmq-server',
  'redis-server',
  'nginx-light',
  'openssl',
  'prometheus',
  'prometheus-alertmanager',
  'chromium',
  'systemd',
  'patroni',
  'python3-etcd',
  'etcd-server',
  'haproxy',
  'pgbouncer',
  'postgresql-15',
];

/** Vitest options for a suite that runs at the same time as other steps. */
const PATIENT = '--testTimeout=900000 --hookTimeout=900000';

export const STAGES: readonly Stage[] = [
  {
    atOnce: 2,
    steps: [
      { name: 'packages', command: installPackages() },
      { name: 'check', command: 'npm run check' },
    ],
  },
  {
    atOnce: 1,
    steps: [
      { name: 'pages', command: 'npm run web --' },
      { name: 'site', command: 'npm run build site' },
      { name: 'tables', command: 'npm run build tables --', args: '--verify' },
      { name: 'test', command: 'npm test --', isVitest: true },
      // RabbitMQ takes minutes to start while other steps use the processor.
      {
        name: 'test:brokers',
        command: 'BROKER_AWAY_SECONDS=30 TEST_SUITE=brokers npm test --',
        isVitest: true,
      },
    ],
  },
  {
    atOnce: 3,
    steps: [
      {
        name: 'test:slow',
        command: 'REWARDS_OPERATIONS=20000 TEST_SUITE=slow npm test --',
        args: `${PATIENT} --exclude='rtp/**'`,
        isVitest: true,
      },
      { name: 'browser', command: 'node test/browser/run.ts' },
      // These are pure computations. They run at low priority, with the processor time that other steps do not use.
      {
        name: 'simulations',
        command: 'STATISTICS_SHARE=5 TEST_SUITE=slow nice npm test --',
        args: `${PATIENT} rtp/`,
        isVitest: true,
      },
      { name: 'points', command: 'node test/crash/points.ts', args: '--rounds 1' },
      { name: 'contributing', command: 'node scripts/contributing.ts' },
      { name: 'crash', command: 'node test/crash/run.ts', args: '--cycles 6' },
      { name: 'chaos', command: 'node test/chaos/run.ts', args: '--minutes 2' },
      // Mutates the recently changed rules. After two minutes it starts no further file.
      { name: 'mutants', command: 'node scripts/mutants.ts', args: '--base HEAD~10 --minutes 2' },
      { name: 'readme', command: 'node scripts/readme.ts' },
      // Verifies every published RTP, and simulates each game.
      { name: 'rtp', command: 'node rtp/run.ts', args: '--rounds 200000 --seed 1' },
    ],
  },
  {
    // These steps measure time or processor use, so they run one at a time.
    atOnce: 1,
    steps: [
      // Kills database leaders under load. A control run without synchronous replication must lose bets.
      {
        name: 'failover',
        command: 'node test/failover/run.ts',
        args: '--cycles 3 --faults machine,frozen,switchover',
      },
      { name: 'test:timed', command: 'CUT_OFFS=10 TEST_SUITE=timed npm test --', isVitest: true },
      // `npm run bench` is not part of CI, because speed measured on a shared machine varies too much.
      { name: 'bench:idle', command: 'npm run bench idle --' },
    ],
  },
];

/** Returns a shell command that installs missing packages, and retries mirrors that do not respond. */
function installPackages(): string {
  return `
    missing=
    for package in ${PACKAGES.join(' ')}; do
      [ "$(dpkg-query -W -f='\${db:Status-Status}' $package 2>/dev/null)" = installed ] || missing="$missing $package"
    done
    [ -n "$missing" ] || exit 0
    echo "installing:$missing"
    export DEBIAN_FRONTEND=noninteractive
    sudo=; [ "$(id -u)" -eq 0 ] || sudo='sudo -E'
    options='-qq -o Acquire::Retries=5 -o DPkg::Lock::Timeout=300'
    for pause in 0 10 30; do
      sleep $pause
      $sudo apt-get $options update && $sudo apt-get $options install -y --no-install-recommends $missing >/dev/null && exit 0
    done
    exit 1`;
}

/** The steps of continuous integration, in stages. A stage runs up to `atOnce` steps concurrently and starts them in this order. */
import type { Runner } from './reports.ts';

export type Step = {
  name: string;
  /** The faults that this step finds and earlier steps do not. `npm run ci -- --list` prints it. */
  finds: string;
  /** Shell command, run in the root folder of the repository. */
  command: string;
  /** Arguments that shorten the step on every push. */
  short?: string;
  /** Arguments of the long form, `npm run ci:full`. */
  full?: string;
  /** True for steps that run in `npm run ci:full` only. */
  isFullOnly?: true;
  /** Set if the command runs tests. Then each test is counted in the totals instead of the step. */
  runner?: Runner;
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
  'chromium-headless-shell',
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
      { name: 'packages', finds: 'a Debian package that is missing', command: installPackages() },
      {
        name: 'check',
        finds:
          'format, lint, types, forbidden imports, unused code, outdated generated files, commit subjects',
        command: 'npm run check',
      },
    ],
  },
  {
    atOnce: 1,
    steps: [
      { name: 'pages', finds: 'pages that do not build, or exceed their budget', command: 'npm run web' },
      { name: 'site', finds: 'dead links in the documentation', command: 'npm run build site' },
      {
        name: 'tables',
        finds: 'table types that do not match the schema',
        command: 'npm run build tables -- --verify',
      },
      {
        name: 'test',
        finds: 'wrong behaviour of modules, operations and rules',
        command: 'npm test --',
        runner: 'vitest',
      },
      // RabbitMQ takes minutes to start while other steps use the processor.
      {
        name: 'test:brokers',
        finds: 'messages lost or repeated over RabbitMQ and Redis',
        command: 'TEST_SUITE=brokers npm test --',
        runner: 'vitest',
      },
    ],
  },
  {
    atOnce: 3,
    steps: [
      {
        name: 'test:slow',
        finds:
          'faults of commands, upgrades, backups, replicas, poolers and proxies; wrong results of long histories',
        command: `TEST_SUITE=slow npm test -- ${PATIENT} --exclude='rtp/**'`,
        runner: 'vitest',
      },
      {
        name: 'browser',
        finds: 'screens that do not work, break the content security policy or are not accessible',
        command: 'npx playwright test',
        runner: 'playwright',
      },
      // These are pure computations. They run at low priority, with the processor time that other steps do not use.
      {
        name: 'simulations',
        finds: 'outcomes of games whose frequencies differ from the exact probabilities',
        command: `TEST_SUITE=slow nice npm test -- ${PATIENT} rtp/`,
        runner: 'vitest',
      },
      {
        name: 'points',
        finds: 'an operation that loses or repeats its effect when the process dies at a certain point',
        command: 'node test/crash/points.ts',
        short: '--rounds 1',
      },
      {
        name: 'contributing',
        finds: 'a step of "Write a module" that no longer works',
        command: 'node scripts/contributing.ts',
      },
      {
        name: 'crash',
        finds: 'acknowledged bets that are lost when processes or the database die under load',
        command: 'node test/crash/run.ts',
        short: '--cycles 4',
      },
      {
        name: 'chaos',
        finds:
          "books that differ from the partners' books after repeated, delayed, reordered or lost messages",
        command: 'node test/chaos/run.ts',
        short: '--minutes 2',
      },
      // The short form mutates the recently changed rules. After two minutes it starts no further file.
      {
        name: 'mutants',
        finds: 'rules whose tests do not notice a changed line',
        command: 'node scripts/mutants.ts',
        short: '--base HEAD~10 --minutes 2',
        full: '--all',
      },
      { name: 'readme', finds: 'commands of the documentation that fail', command: 'node scripts/readme.ts' },
      {
        name: 'rtp',
        finds: 'a published return that differs from the computed and simulated one',
        command: 'node rtp/run.ts',
        short: '--rounds 200000 --seed 1',
      },
    ],
  },
  {
    // These steps measure time or processor use, so they run one at a time.
    atOnce: 1,
    steps: [
      // A control run without synchronous replication must lose bets.
      {
        name: 'failover',
        finds: 'acknowledged bets that are lost when the leader of the database cluster dies',
        command: 'node test/failover/run.ts',
        short: '--cycles 3 --faults machine,frozen,switchover',
        full: '--assert',
      },
      {
        name: 'test:timed',
        finds: 'faults of time limits, overload and outages, measured without other load',
        command: 'TEST_SUITE=timed npm test --',
        runner: 'vitest',
      },
      {
        name: 'bench:idle',
        finds: 'a process that uses the processor or the database while nothing happens',
        command: 'npm run bench idle --',
        short: '--seconds=20 --bets=20000',
      },
      // Not part of the short form, because speed measured on a shared machine varies too much.
      {
        name: 'bench',
        finds: 'bets that have become slower, compared with bare Fastify',
        command: 'npm run bench -- --assert',
        isFullOnly: true,
      },
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

import { execFile, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../until.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const SYSTEMD = '/lib/systemd/systemd';
/** Units of the operating system on which the shipped units depend. */
const TARGETS = ['sysinit', 'basic', 'shutdown', 'network-online', 'multi-user', 'idle'];

/** Returns true if this machine has systemd and allows this process to start it in separate namespaces. */
export function canRunSystemd(): boolean {
  const namespaces = ['--mount', '--pid', '--fork', '--cgroup', '--net', '--uts', '--ipc'];
  return existsSync(SYSTEMD) && spawnSync('unshare', [...namespaces, 'systemctl', '--version']).status === 0;
}

/** Moves this process into a new cgroup, which systemd then uses as its root. */
const OWN_CGROUP = `
  mount -t cgroup2 none "$FOLDER/cgroup"
  own="$FOLDER/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/$NAME"
  mkdir -p "$own"
  echo $$ >"$own/cgroup.procs"
  umount "$FOLDER/cgroup"
  exec unshare --mount --pid --fork --kill-child --cgroup --net --uts --ipc --mount-proc bash -euc "$BOOT"`;

/**
 * Sets up empty /run, /var/lib, /opt and /dev/shm, a copy of /etc, and the checkout in /opt/croupier. Without a separate /dev/shm,
 * RemoveIPC= would remove the shared memory of the PostgreSQL outside the container. None of these mounts is visible outside the namespace.
 */
const BOOT = `
  mount --bind "$APP" "$FOLDER/app"
  mount --bind "$SOCKETS" "$FOLDER/sockets"
  mount --bind "$FOLDER/etc" /etc
  umount -R /sys/fs/cgroup 2>/dev/null || true
  mount -t cgroup2 none /sys/fs/cgroup
  for empty in /run /var/lib /opt /dev/shm; do mount -t tmpfs none "$empty"; done
  mkdir /opt/croupier /run/postgresql
  mount --bind "$FOLDER/app" /opt/croupier
  mount --bind "$FOLDER/sockets" /run/postgresql
  exec env -i PATH="$PATH" container=croupier SYSTEMD_UNIT_PATH="$FOLDER/units" SYSTEMD_LOG_TARGET=console \
    ${SYSTEMD} --system --unit=idle.target`;

/** Removes the cgroups. It retries, because killed processes leave their cgroups a moment later. */
const CLEAN_UP = `
  mount -t cgroup2 none "$FOLDER/cgroup"
  own="$FOLDER/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/$NAME"
  for _ in $(seq 100); do
    find "$own" -depth -type d -exec rmdir {} + 2>/dev/null || true
    [ -d "$own" ] || break
    sleep 0.1
  done`;

type Options = {
  /** Folders with the units that an operator copies to /etc/systemd/system. */
  units: readonly string[];
  /** Settings that are written to /etc/croupier/croupier.env. */
  settings: Readonly<Record<string, string>>;
  /** The folder of PostgreSQL's socket, mounted at /run/postgresql. Its owner becomes the user `croupier`. */
  sockets: string;
};

/**
 * Starts a real systemd as the first process of a container with the checkout in /opt/croupier. The container has its own network, so the
 * ports of the units are free. Needs root.
 */
export async function startSystemd({ units, settings, sockets }: Options) {
  const folder = mkdtempSync(join(tmpdir(), 'croupier-systemd-'));
  const log = join(folder, 'parts.log');
  prepareFiles(folder, { units, sockets, log });
  const configure = (values: Readonly<Record<string, string>>) =>
    writeFileSync(
      join(folder, 'etc/croupier/croupier.env'),
      Object.entries(values)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
  configure(settings);
  const env = {
    PATH: process.env.PATH,
    FOLDER: folder,
    NAME: folder.split('/').at(-1),
    APP: ROOT,
    SOCKETS: sockets,
    BOOT,
  };
  const outer = spawn('unshare', ['--mount', '--propagation', 'private', 'bash', '-euc', OWN_CGROUP], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  outer.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const first = () => readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').trim();
  const run = async (...command: string[]): Promise<string> => {
    const namespaces = ['-t', first(), '-m', '-p', '-n', '-u', '-i'];
    const { stdout } = await promisify(execFile)('nsenter', [...namespaces, ...command], { env });
    return stdout.trim();
  };
  const isUp = async () => {
    if (outer.exitCode !== null) throw new Error(`systemd did not start: ${said}`);
    return run('systemctl', 'is-active', 'idle.target').then(
      (state) => state === 'active',
      () => false,
    );
  };
  await until(isUp);
  return {
    configure,
    systemctl: (...args: string[]) => run('systemctl', ...args),
    /** Returns the status of a response from a process in the container, or 0 if no process listens. */
    get: (url: string) =>
      run(
        '/opt/croupier/node_modules/.bin/node',
        '--eval',
        `fetch(${JSON.stringify(url)}).then((r) => console.log(r.status), () => console.log(0))`,
      ).then(Number),
    /** Returns everything that the services have printed so far. */
    output: () => readFileSync(log, 'utf8'),
    async stop() {
      const ended = new Promise((resolve) => outer.once('close', resolve));
      outer.kill('SIGKILL');
      await ended;
      spawnSync('unshare', ['--mount', '--propagation', 'private', 'bash', '-euc', CLEAN_UP], { env });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function prepareFiles(
  folder: string,
  { units, sockets, log }: { units: readonly string[]; sockets: string; log: string },
) {
  const etc = join(folder, 'etc');
  cpSync('/etc', etc, { recursive: true, verbatimSymlinks: true });
  for (const name of ['app', 'sockets', 'cgroup', 'units/service.d', 'etc/croupier'])
    mkdirSync(join(folder, name), { recursive: true });
  const { uid, gid } = statSync(sockets);
  // If several users have the same id, the first entry determines its name. This line is therefore inserted before the others.
  for (const [name, line] of [
    ['passwd', `croupier:x:${uid}:${gid}::/nonexistent:/usr/sbin/nologin\n`],
    ['group', `croupier:x:${gid}:\n`],
  ] as const) {
    const file = join(etc, name);
    writeFileSync(file, line + readFileSync(file, 'utf8'));
  }
  for (const from of units)
    for (const name of readdirSync(from)) cpSync(join(from, name), join(folder, 'units', name));
  for (const target of TARGETS)
    writeFileSync(join(folder, `units/${target}.target`), '[Unit]\nDefaultDependencies=no\n');
  // The output is written to a file, because there is no journal in the container.
  writeFileSync(join(folder, 'units/service.d/output.conf'), `[Service]\nStandardOutput=append:${log}\n`);
  appendFileSync(log, '');
}

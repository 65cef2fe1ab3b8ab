import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { endOf, isAlive, killTree, type PartProcess, partEnv, send, startPartProcess } from './processes.ts';

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Everything that makes the database forget what it acknowledged when it is killed: the negative control. */
const FORGETFUL = { synchronous_commit: 'off', wal_writer_delay: '10s' };

/**
 * A durable PostgreSQL of its own and processes on it, each of which can be killed and started again: so many of the main API, and
 * then the other parts.
 */
export async function startCluster({
  services,
  others = [],
  settings = {},
}: {
  services: number;
  others?: readonly string[];
  settings?: Record<string, string>;
}) {
  const names = [...Array.from({ length: services }, () => 'api'), ...others];
  const folder = mkdtempSync(join(tmpdir(), 'croupier-crash-'));
  chmodSync(folder, 0o755);
  const env: Record<string, string> = { ...settings };
  const parts: PartProcess[] = [];
  const expected = new Set<number>();
  const strayExits: string[] = [];
  let postgres = await startPostgres(false);
  for (const i of names.keys()) await startService(i);

  async function startPostgres(forgetful: boolean): Promise<EmbeddedPostgres> {
    const tuning = { shared_buffers: '128MB', ...(forgetful ? FORGETFUL : {}) };
    return startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), settings: tuning });
  }

  async function startService(i: number): Promise<void> {
    const part = await startPartProcess(names[i]!, {
      env: partEnv(postgres.url, env),
      logFile: join(folder, `${names[i]}-${i}.log`),
    });
    parts[i] = part;
    part.process.once('exit', (code, signal) => {
      if (!expected.has(part.pid)) strayExits.push(`service ${i} ended by itself (${signal ?? code})`);
    });
  }

  return {
    folder,
    strayExits,
    /** Where the main API listens. */
    targets: () => parts.slice(0, services).map((part) => part.url),
    databaseUrl: () => postgres.url,
    async killService(i: number) {
      expected.add(parts[i]!.pid);
      await killTree(parts[i]!.pid);
    },
    killPostgres: () => killTree(postgres.pid),
    /** Brings back what is not there; resolves when the database accepts connections and every service listens. */
    async heal() {
      if (!isAlive(postgres.pid)) postgres = await startPostgres(false);
      for (const [i, part] of parts.entries()) if (!isAlive(part.pid)) await startService(i);
    },
    /** From now on the database acknowledges before it has written. */
    async makeForgetful() {
      for (const [i, part] of parts.entries()) {
        expected.add(part.pid);
        send(part.pid, 'SIGTERM');
        await endOf(part);
        env.ALLOW_UNSAFE_DATABASE = 'true';
        if (i === 0) {
          await postgres.stop();
          postgres = await startPostgres(true);
        }
      }
      for (const i of parts.keys()) await startService(i);
    },
    healForgetful: async () => {
      postgres = await startPostgres(true);
    },
    async stop({ keep }: { keep: boolean }) {
      for (const part of parts) {
        expected.add(part.pid);
        send(part.pid, 'SIGTERM');
        await endOf(part);
      }
      await postgres.stop();
      if (!keep) rmSync(folder, { recursive: true, force: true });
    },
  };
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded/postgres.ts';

/** Starts a separate durable PostgreSQL with its own data folder. The tests' shared server is not durable. */
export async function startDurablePostgres(name: string) {
  const dataDir = mkdtempSync(join(tmpdir(), `croupier-${name}-`));
  const postgres = await startEmbeddedPostgres({
    dataDir: join(dataDir, 'postgres'),
    settings: { shared_buffers: '32MB' },
  });
  return {
    dataDir,
    url: postgres.url,
    async stop() {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

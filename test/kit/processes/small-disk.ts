import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder on a separate small disk if this machine allows mounting one (`isMounted`). */
export function createSmallDisk(megabytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'croupier-disk-'));
  const ballast = join(folder, 'ballast');
  const isMounted = mount(folder, megabytes);
  const freeBytes = () => statfsSync(folder).bavail * statfsSync(folder).bsize;
  return {
    folder,
    isMounted,
    /** Fills the disk completely. */
    fill(): void {
      for (let size = 32 * 1024 * 1024; size >= 4096; size = Math.floor(size / 2))
        while (freeBytes() >= size) writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
    },
    /** Frees the space again. */
    empty(): void {
      rmSync(ballast, { force: true });
    },
    remove(): void {
      if (isMounted) execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function mount(folder: string, megabytes: number): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    const options = `size=${megabytes}m,mode=755`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
    chmodSync(folder, 0o755);
    return true;
  } catch {
    return false;
  }
}

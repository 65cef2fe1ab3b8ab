/**
 * Runs synchronous work and returns the CPU time that it took, in milliseconds. The CPU time of other processes on the machine is not
 * included.
 */
export function cpuMsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Runs synchronous work and returns the CPU time in milliseconds that it took. Other processes on the machine do not count. */
export function cpuMsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

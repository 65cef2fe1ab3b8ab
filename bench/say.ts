/** Returns a function that prints a line, preceded by the seconds since this call. */
export function createSay(): (line: string) => void {
  const startedMs = performance.now();
  return (line) =>
    console.log(`${((performance.now() - startedMs) / 1000).toFixed(0).padStart(5)} s  ${line}`);
}

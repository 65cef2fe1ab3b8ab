/** Prints lines with the seconds since its creation. */
export function createSay(): (line: string) => void {
  const startedMs = performance.now();
  return (line) =>
    console.log(`${((performance.now() - startedMs) / 1000).toFixed(0).padStart(5)} s  ${line}`);
}

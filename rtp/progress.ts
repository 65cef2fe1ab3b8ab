const WIDTH = 32;
const EVERY_MS = 200;

/**
 * Shows a progress bar on a terminal. Elsewhere it prints a line after every tenth of the rounds. `advance` adds the rounds done since the
 * last call.
 */
export function createProgress(total: number, terminal: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>) {
  const began = performance.now();
  let done = 0;
  let shownAt = 0;
  let shownTenth = 0;
  const draw = (): void => {
    const share = done / total;
    const seconds = (performance.now() - began) / 1000;
    const left = share > 0 ? Math.round(seconds / share - seconds) : 0;
    const bar = '█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░');
    const speed = Math.round(done / seconds).toLocaleString('en-US');
    terminal.write(`\r  ${bar} ${Math.floor(share * 100)} %  ${speed} rounds/s  ${left} s left   `);
  };
  return {
    advance(rounds: number): void {
      done += rounds;
      if (terminal.isTTY) {
        if (performance.now() - shownAt < EVERY_MS && done < total) return;
        shownAt = performance.now();
        draw();
        if (done >= total) terminal.write('\n');
        return;
      }
      const tenth = Math.floor((done / total) * 10);
      if (tenth === shownTenth) return;
      shownTenth = tenth;
      terminal.write(`  ${tenth * 10} %\n`);
    },
  };
}

import type { Command } from 'commander';

/** A file in `commands/` exports this as `file`. Its summary is in `croupier.ts`, so that `croupier --help` does not load the file. */
export type CommandFile = {
  /** Shown by --help below the summary. */
  details?: string;
  /** Command lines, shown at the end of --help. */
  examples: readonly [string, ...string[]];
  /** False if the command has no option --json, or an own one. Default: true. */
  hasJson?: boolean;
  /** Adds the arguments, the options and the action. An action that has finished exits with its code. */
  define: (command: Command) => void;
};

/** The value of --json. */
export type Output = { json?: boolean };

/** Prints the result of a command: with --json as one JSON document, in which bigints and ids are strings, otherwise as lines. */
export function print({ json }: Output, result: unknown, lines: readonly string[]): void {
  const textOf = (key: string, value: unknown) =>
    typeof value === 'number' && /(^|_)id$|Id$/.test(key) ? String(value) : textOfBigint(key, value);
  if (json) console.log(JSON.stringify(result, textOf, 2));
  else for (const line of lines) console.log(line);
}

/** A replacer for JSON.stringify. */
export const textOfBigint = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

/** Returns the time that an argument names. Unlike Date.parse, it does not guess at other texts, such as a number. */
export function timeOf(text: string): Date | undefined {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  return isTime && !Number.isNaN(Date.parse(text)) ? new Date(text) : undefined;
}

/** Ends the command because of wrong arguments: prints the problem and the usage, and exits with 2. */
export const misused = (command: Command, problem: string): never =>
  command.error(`error: ${problem}`, { exitCode: 2 });

/**
 * Reports the progress of a command, on standard output or, with --json, on standard error. `say` prints a line. `wait` shows the current
 * work with its duration, which the next line replaces, and does nothing unless the output is a terminal. `end` removes it.
 */
export function createProgress({ json = false }: Output) {
  const stream = json ? process.stderr : process.stdout;
  const isTerminal = stream.isTTY === true;
  let timer: NodeJS.Timeout | undefined;
  const clear = () => {
    if (isTerminal) stream.write('\r\x1b[2K');
  };
  const end = () => {
    clearInterval(timer);
    clear();
  };
  return {
    isTerminal,
    say(line: string): void {
      clear();
      stream.write(`${line}\n`);
    },
    wait(work: string): void {
      if (!isTerminal) return;
      const began = performance.now();
      const draw = () =>
        stream.write(`\r\x1b[2K${work}  ${Math.round((performance.now() - began) / 1000)} s`);
      clearInterval(timer);
      timer = setInterval(draw, 1000).unref();
      draw();
    },
    end,
  };
}

/** Functions that a process serves to its parent. Arguments and results are copied (structured clone). */
export type Calls = Readonly<Record<string, (...values: never[]) => unknown>>;

type Call = { id: number; name: string; values: never[] };

/** Runs the calls of the parent process (processes.ts) and reports `ready` to it. The process ends on SIGTERM or with its parent. */
export function serve(calls: Calls, ready: string | number = ''): void {
  process.on('message', async ({ id, name, values }: Call) => {
    try {
      process.send!({ id, result: await calls[name]!(...values) });
    } catch (error) {
      process.send!({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole process group, but the parent decides when this process ends.
  process.on('SIGINT', () => undefined);
  process.send!({ ready: String(ready) });
}

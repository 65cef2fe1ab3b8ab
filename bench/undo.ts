/** Registers a cleanup function that runs at the end, even after an error. */
export type Later = (undo: () => Promise<unknown>) => void;

/** Runs a benchmark and sets the exit status. Runs its cleanup functions at the end, the newest first, even when it is interrupted. */
export async function runAndUndo(program: (later: Later) => Promise<number>): Promise<void> {
  const undoing: (() => Promise<unknown>)[] = [];
  const undoAll = async (): Promise<void> => {
    for (let undo = undoing.pop(); undo; undo = undoing.pop()) {
      await undo().catch((error) => console.error(error));
    }
  };
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      console.log('stopping');
      void undoAll().finally(() => process.exit(130));
    });
  }
  try {
    process.exitCode = await program((undo) => undoing.push(undo));
  } catch (error) {
    // Errors during the shutdown are expected and are not printed.
    if (!isStopping) console.error(error);
    process.exitCode = 1;
  }
  if (!isStopping) await undoAll();
}

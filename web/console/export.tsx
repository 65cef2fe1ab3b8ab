import { useState } from 'react';
import { type Input, type Op, Refused, requestOf } from '../../client/call.ts';
import { Button } from '../kit/button.tsx';
import { say } from '../kit/toast.tsx';

/** Saves all rows of a list that match its filters as a CSV file. */
export function Export<O extends Op>({ op, input, name }: { op: O; input: Input<O>; name: string }) {
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const { path, init } = requestOf(op, input);
      const answer = await fetch(path, { ...init, headers: { ...init.headers, accept: 'text/csv' } });
      if (!answer.ok) throw new Refused(answer.status, await answer.json());
      saveAs(`${name}.csv`, await answer.blob());
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), true);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button op={op} isBusy={isBusy} onClick={() => void save()}>
      Export CSV
    </Button>
  );
}

/** Downloads a file through the browser. */
export function saveAs(name: string, file: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

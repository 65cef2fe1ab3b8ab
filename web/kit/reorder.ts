import { type DragEvent, type KeyboardEvent, useState } from 'react';

const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowUp: -1, ArrowDown: 1 };
/** A type of data that no other field accepts. Firefox drags only elements with data. */
const ITEM = 'application/x-croupier-item';

/** Changes the order of a list whose items have unique names. */
export function useReorder(names: readonly string[], onChange: (names: readonly string[]) => void) {
  const [dragged, setDragged] = useState<string>();
  const move = (name: string, to: number) => {
    if (to < 0 || to >= names.length) return;
    onChange(names.filter((one) => one !== name).toSpliced(to, 0, name));
  };
  /** Moves an item up or down by one place. */
  const step = (name: string, by: 1 | -1) => move(name, names.indexOf(name) + by);
  /** Returns the properties of an item, which is moved by dragging it, or with Alt and an arrow key while the focus is in it. */
  const itemOf = (name: string) => ({
    draggable: true,
    onDragStart: ({ dataTransfer }: DragEvent) => {
      dataTransfer.setData(ITEM, name);
      dataTransfer.effectAllowed = 'move';
      setDragged(name);
    },
    // Items of other lists cannot be dropped here.
    onDragOver: (event: DragEvent) => dragged !== undefined && event.preventDefault(),
    onDrop: (event: DragEvent) => {
      if (dragged === undefined) return;
      event.preventDefault();
      move(dragged, names.indexOf(name));
    },
    onDragEnd: () => setDragged(undefined),
    onKeyDown: (event: KeyboardEvent) => {
      const by = event.altKey ? STEPS[event.key] : undefined;
      if (by === undefined) return;
      event.preventDefault();
      step(name, by);
    },
  });
  return { step, itemOf };
}

import { type ReactNode, useEffect, useId, useRef } from 'react';
import { kit } from './words.ts';

/** A native dialog: it traps the focus and closes with Escape. It is open while it is rendered. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current!;
    const before = document.activeElement;
    shown.showModal();
    return () => {
      shown.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" className="quiet" aria-label={kit.close} onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}

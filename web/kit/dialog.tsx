import './dialog.css';
import { createContext, type ReactNode, use, useEffect, useId, useRef } from 'react';
import { Button } from './button.tsx';
import { takeFocus } from './page.tsx';
import { kit } from './words.ts';

type DialogProps = {
  title: string;
  /** Without it the dialog closes only by one of its own buttons. */
  onClose?: () => void;
  children: ReactNode;
  /** `drawer` slides in from the end of the line. On phones a `dialog` is a sheet that comes from below. */
  kind?: 'dialog' | 'drawer';
  /** Wider than 480 pixels, for the wallet. */
  isWide?: boolean;
  /** Buttons at the foot, which stay in view while the content scrolls. */
  foot?: ReactNode;
  /** Its form has a button to cancel next to the one that sends it. */
  hasCancel?: boolean;
  /** Replaces the heading, for example with a field. `title` is then read by screen readers only. */
  head?: ReactNode;
  className?: string;
};

const Cancel = createContext<(() => void) | undefined>(undefined);

/** Closes the dialog of a form. Renders nothing outside a dialog with `hasCancel`. */
export function CancelButton() {
  const cancel = use(Cancel);
  return cancel && <Button onClick={cancel}>{kit.cancel}</Button>;
}

/**
 * A native dialog: it traps the focus, closes with Escape, its × or a press on the ground, and returns the focus. It is open while it is
 * rendered.
 */
export function Dialog(props: DialogProps) {
  const { title, onClose, children, kind = 'dialog', isWide, foot, hasCancel, head, className = '' } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current!;
    const before = document.activeElement;
    shown.showModal();
    focusIn(shown);
    return () => {
      shown.close();
      if (!(before instanceof HTMLElement)) return;
      if (before.isConnected) before.focus();
      else takeFocus(document.querySelector('#page h1'));
    };
  }, []);
  // The next step of a dialog replaces the element with the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step has its own title
  useEffect(() => {
    if (!dialog.current!.contains(document.activeElement)) focusIn(dialog.current!);
  }, [title]);
  return (
    <dialog
      ref={dialog}
      tabIndex={-1}
      className={`${kind} ${isWide ? 'wide' : ''} ${className}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // A press that begins within the content and ends on the ground, such as selecting text, has the content as its target.
      onMouseDown={(event) => event.target === dialog.current && onClose?.()}
    >
      <div className="sheet">
        <header>
          {head ? (
            <>
              <h2 id={id} className="hidden">
                {title}
              </h2>
              {head}
            </>
          ) : (
            <h2 id={id}>{title}</h2>
          )}
          {onClose && <Button kind="ghost" size="sm" icon="x" aria-label={kit.close} onClick={onClose} />}
        </header>
        <Cancel value={hasCancel ? onClose : undefined}>
          <div className="body">{children}</div>
        </Cancel>
        {foot && <footer>{foot}</footer>}
      </div>
    </dialog>
  );
}

/** Focuses the part with `data-focus`, or the first field. On touch screens that would open the keyboard over the dialog, so the dialog itself gets the focus. */
function focusIn(dialog: HTMLDialogElement): void {
  const isTouch = matchMedia('(pointer: coarse)').matches;
  const field = dialog.querySelector<HTMLElement>('header input, .body :is(input, textarea)');
  const marked = dialog.querySelector<HTMLElement>('[data-focus]');
  (marked ?? (isTouch ? null : field) ?? dialog).focus();
}

import { type ReactNode, useState } from 'react';
import type { Op } from '../../client/call.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import type { IconName } from '../kit/icon.tsx';
import { May } from '../kit/session.tsx';

type FormButtonProps = {
  /** The operation whose permission the form needs. Without it, the button is not shown. */
  op: Op;
  label: string;
  /** The title of the dialog. Default: `label`. */
  title?: string;
  kind?: 'main' | 'danger' | 'ghost';
  size?: 'sm';
  icon?: IconName;
  /** The key that presses the button. */
  hotkey?: string;
  /** Called when the form is done and the dialog is closed. */
  onDone?: () => void;
  /** The form. It calls `close` when it is done. */
  children: (close: () => void) => ReactNode;
};

/** A button that opens a form in a dialog. Pages use it for forms with large effects, so that they show data first. */
export function FormButton({ op, label, title = label, hotkey, onDone, children, ...look }: FormButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <May op={op}>
      <Button {...look} data-key={hotkey} onClick={() => setOpen(true)}>
        {label}
        {hotkey && (
          <span aria-hidden="true" className="key">
            <kbd>{hotkey.toUpperCase()}</kbd>
          </span>
        )}
      </Button>
      {isOpen && (
        <Dialog title={title} onClose={close} hasCancel>
          {children(() => {
            close();
            onDone?.();
          })}
        </Dialog>
      )}
    </May>
  );
}

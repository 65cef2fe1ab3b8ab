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
  /** The form. It calls `close` when it is done. */
  children: (close: () => void) => ReactNode;
};

/** A button that opens a form in a dialog. Pages use it for forms with large effects, so that they show data first. */
export function FormButton({ op, label, title = label, children, ...look }: FormButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <May op={op}>
      <Button {...look} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && (
        <Dialog title={title} onClose={close}>
          {children(close)}
        </Dialog>
      )}
    </May>
  );
}

import { type ReactNode, useState } from 'react';
import type { Input, Op } from '../../../client/call.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import type { IconName } from '../icon.tsx';
import { Refusal } from '../note.tsx';
import type { Act } from '../query.ts';
import { kit } from '../words.ts';

type ActButtonProps<O extends Op> = {
  act: Act<O>;
  input: Input<O>;
  /** Question to confirm first. */
  confirm?: string;
  kind?: 'main' | 'danger' | 'ghost';
  size?: 'sm' | 'lg';
  icon?: IconName;
  /** Text below the question that describes the effect. */
  tells?: ReactNode;
  /** A page may press the button with this key. Enter then confirms. */
  hotkey?: string;
  children: ReactNode;
};

/** A button that runs one operation without fields. */
export function ActButton<O extends Op>(props: ActButtonProps<O>) {
  const { act, input, confirm, tells, kind, hotkey, children, ...look } = props;
  const [isAsked, setAsked] = useState(false);
  const send = () => {
    setAsked(false);
    void act.run(input);
  };
  return (
    <>
      <Button
        {...look}
        data-key={hotkey}
        op={act.op}
        isBusy={act.isBusy}
        onClick={confirm ? () => setAsked(true) : send}
        {...(kind ? { kind } : {})}
      >
        {children}
        {hotkey && (
          <span aria-hidden="true" className="key">
            <kbd>{hotkey.toUpperCase()}</kbd>
          </span>
        )}
      </Button>
      {act.refused && (
        <Dialog title={kit.refused} onClose={act.forget}>
          <Refusal of={act.refused} />
        </Dialog>
      )}
      {isAsked && (
        <Dialog
          title={confirm!}
          onClose={() => setAsked(false)}
          foot={
            <>
              <Button onClick={() => setAsked(false)}>{kit.cancel}</Button>
              <Button kind={kind === 'danger' ? 'danger' : 'main'} data-focus={hotkey} onClick={send}>
                {children}
              </Button>
            </>
          }
        >
          {tells}
        </Dialog>
      )}
    </>
  );
}

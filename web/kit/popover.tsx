import './popover.css';
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';

type PopoverProps = {
  /** The name of the popover, read by screen readers. */
  label: string;
  /** The content of the button that opens it. */
  children: ReactNode;
  content: (close: () => void) => ReactNode;
  className?: string;
  title?: string;
  /** Opens the popover when it is first shown. */
  isOpenAtFirst?: boolean;
  onClose?: () => void;
};

/** The width of the popover with its margin. Near the end of the line it is aligned with the end of its button. */
const WIDTH = 320;

/** A button that opens a small form beside it, which is a sheet on phones. It closes with Escape and when the focus leaves it. */
export function Popover(props: PopoverProps) {
  const { label, children, content, className = 'button', title, isOpenAtFirst = false, onClose } = props;
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const place = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const shut = () => {
    setOpen(false);
    onClose?.();
  };
  const close = () => {
    shut();
    button.current?.focus();
  };
  useEffect(() => {
    if (isOpen) place.current?.querySelector<HTMLElement>('.popover :is(input, button)')?.focus();
  }, [isOpen]);
  useLeave(place, isOpen, shut);
  const isAtEnd = (button.current?.getBoundingClientRect().left ?? 0) + WIDTH > window.innerWidth;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape reaches it from the controls within
    <span
      ref={place}
      className="popover-place"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        close();
      }}
    >
      <button
        ref={button}
        type="button"
        className={className}
        title={title}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => (isOpen ? close() : setOpen(true))}
      >
        {children}
      </button>
      {isOpen && (
        <div id={id} role="dialog" aria-label={label} className={isAtEnd ? 'popover at-end' : 'popover'}>
          {content(close)}
        </div>
      )}
    </span>
  );
}

/** Calls `onLeave` when the focus or a press is outside. */
function useLeave(place: RefObject<HTMLElement | null>, isOpen: boolean, onLeave: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const leave = ({ target }: Event) => {
      // A list that is opened from the popover is elsewhere in the document.
      if (!(target instanceof Element) || target.closest('.popup, dialog')) return;
      if (!place.current?.contains(target)) onLeave();
    };
    document.addEventListener('pointerdown', leave);
    document.addEventListener('focusin', leave);
    return () => {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
    };
  });
}

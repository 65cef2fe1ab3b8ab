import './button.css';
import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';
import type { Op } from '../../client/call.ts';
import { Icon, type IconName } from './icon.tsx';
import { useMissing } from './session.tsx';
import { kit } from './words.ts';

type Look = {
  /** `main`: the primary action of a view. `danger`: a destructive action. `good`: cash out. */
  kind?: 'main' | 'line' | 'ghost' | 'danger' | 'good';
  size?: 'sm' | 'lg';
  icon?: IconName;
  /** Fills the width of its container. */
  isWide?: boolean;
  children?: ReactNode;
};

const classOf = ({ kind, size, isWide, children }: Look, more?: string) =>
  ['button', kind, size, isWide && 'wide', children === undefined && 'only-icon', more]
    .filter(Boolean)
    .join(' ');

const Inside = ({ icon, size, children }: Look) => (
  <>
    {icon && <Icon name={icon} size={size === 'sm' ? 16 : size === 'lg' ? 20 : 18} />}
    {children}
  </>
);

type ButtonProps = Omit<ComponentProps<'button'>, 'children'> &
  Look & {
    /**
     * The operation that the button calls. If the account lacks the permission for it, the button is disabled and shows the name of the
     * permission.
     */
    op?: Op;
    /** The button keeps its width and shows a spinner until the response arrives. */
    isBusy?: boolean;
    /** The reason why the button is disabled, shown as a tooltip. */
    why?: string | undefined;
  };

/** A button. Without children it shows its icon alone and needs an `aria-label`. */
export function Button({ op, isBusy = false, why, disabled, className, ...props }: ButtonProps) {
  const missing = useMissing(op);
  const { kind, size, icon, isWide, children, ...more } = props;
  const look = { kind, size, icon, isWide, children };
  const reason = missing === undefined ? why : kit.needs(missing);
  const title = reason ?? more.title ?? (children === undefined ? more['aria-label'] : undefined);
  return (
    <button
      type="button"
      {...more}
      className={classOf(look, className)}
      disabled={disabled || isBusy || reason !== undefined}
      aria-busy={isBusy}
      title={title}
      // If both had the same text, screen readers would read it twice. Without an aria-label, the title is the name of an icon button.
      aria-label={more['aria-label'] === title ? undefined : more['aria-label']}
    >
      <Inside {...look} />
    </button>
  );
}

/** A link to a page of the application that looks like a button. */
export function ButtonLink({
  to,
  onClick,
  label,
  ...look
}: Look & { to: string; onClick?: () => void; label?: string }) {
  return (
    <Link
      href={to}
      className={classOf(look)}
      {...(look.children === undefined ? { title: label } : { 'aria-label': label })}
      {...(onClick && { onClick })}
    >
      <Inside {...look} />
    </Link>
  );
}

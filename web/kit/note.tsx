import './note.css';
import { type ReactNode, useState } from 'react';
import type { Refused } from '../../client/call.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { returns } from './returns.ts';
import { kit } from './words.ts';

const ICONS = {
  plain: 'info',
  good: 'circle-check',
  warn: 'triangle-alert',
  bad: 'circle-alert',
} as const satisfies Record<string, IconName>;

type NoteProps = { kind?: keyof typeof ICONS; icon?: IconName; children: ReactNode };

/** A message within a page or form. Screen readers read a bad one immediately. */
export const Note = ({ kind = 'plain', icon = ICONS[kind], children }: NoteProps) => (
  <div className={`note ${kind}`} role={kind === 'bad' ? 'alert' : undefined}>
    <Icon name={icon} size={16} />
    <div className="grow">{children}</div>
  </div>
);

type RefusalProps = {
  of: Refused;
  onRetry?: () => unknown;
  /** Errors for fields that the form does not show. They are shown here instead. */
  fields?: readonly { path: string; message: string }[];
};

/** Shows the server's error message. A message about a lost connection disappears when it is back. For errors on the server's side it adds the request id, which support needs. */
export function Refusal({ of, onRetry, fields = [] }: RefusalProps) {
  const count = returns.use();
  const [shownAt, setShownAt] = useState({ of, count });
  if (shownAt.of !== of) setShownAt({ of, count });
  // The server responds again, so “Can’t reach us” is no longer true.
  if (of.status === 0 && of.code === 'NO_ANSWER' && shownAt.of === of && count > shownAt.count) return null;
  return (
    <div className="refusal" title={of.code}>
      <Note kind="bad">
        <p>{kit.refusal(of)}</p>
        {fields.map(({ path, message }) => (
          <p key={`${path} ${message}`}>
            {path} {message}
          </p>
        ))}
        {of.requestId !== undefined && (of.status >= 500 || of.status === 0) && (
          <p className="xs dim">
            {kit.request} <code>{of.requestId}</code>
          </p>
        )}
      </Note>
      {onRetry && (
        <Button icon="refresh-cw" onClick={() => onRetry()}>
          {kit.again}
        </Button>
      )}
    </div>
  );
}

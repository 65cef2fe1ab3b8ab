import './figures.css';
import art from 'virtual:art.svg';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

export type ArtName = 'no-bets' | 'no-money' | 'no-notices' | 'no-results' | 'offline' | 'queue-clear';

/** A drawing for an empty state, in the colours of the theme. */
export const Art = ({ name }: { name: ArtName }) => (
  <svg className="art" viewBox="0 0 200 140" aria-hidden="true">
    <use href={`${art}#${name}`} />
  </svg>
);

export type Tone = 'good' | 'bad' | 'warn' | 'accent';
const MARKS = { good: 'check', bad: 'x', warn: 'clock', accent: undefined } as const satisfies Record<
  Tone,
  IconName | undefined
>;

/** A word with an icon, so that the meaning does not depend on colour. `icon={null}` omits the icon. */
export function Badge({
  tone,
  icon,
  children,
}: {
  tone?: Tone;
  icon?: IconName | null;
  children: ReactNode;
}) {
  const mark = icon === undefined ? tone && MARKS[tone] : icon;
  return (
    <span className={tone ? `badge ${tone}` : 'badge'}>
      {mark && <Icon name={mark} size={13} />}
      {children}
    </span>
  );
}

/** A number of things that wait, such as unread notifications. */
export const Count = ({ of, isQuiet = false }: { of: number; isQuiet?: boolean }) => (
  <span className={isQuiet ? 'count quiet' : 'count'}>{of > 99 ? '99+' : of}</span>
);

export const Kbd = ({ children }: { children: string }) => <kbd>{children}</kbd>;

/** A short explanation that appears above its child on hover and focus. The child must be focusable. */
export const Tooltip = ({ text, children }: { text: string; children: ReactNode }) => (
  <span className="tooltip">
    {children}
    <span role="tooltip">{text}</span>
  </span>
);

/** A grey box in the place of content that is loading. It appears after 150 ms. Give it the size of the content. */
export const Skeleton = ({
  width = '100%',
  height = 16,
}: {
  width?: string | number;
  height?: string | number;
}) => <span className="skeleton" aria-hidden="true" style={{ width, height }} />;

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

const WARN_FROM = 0.8;

type MeterProps = {
  /** The part of `of` that is used. */
  value: number;
  of: number;
  label: string;
  /** The value in words, for screen readers. */
  text?: string;
  /** `limit` warns from 80 % on, `progress` does not. */
  kind?: 'limit' | 'progress';
};

/** A bar that is partly filled. Show the figures as text next to it. */
export function Meter({ value, of, label, text, kind = 'limit' }: MeterProps) {
  const share = of > 0 ? Math.min(1, Math.max(0, value / of)) : 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers draw <meter> themselves and differently
    <div
      className={`meter ${kind === 'progress' ? 'progress' : share >= WARN_FROM ? 'full' : ''}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={of}
      aria-valuenow={value}
      aria-valuetext={text}
    >
      <i style={{ inlineSize: `${share * 100}%` }} />
    </div>
  );
}

const HUES = ['#4a5be0', '#b03a8f', '#0b7a4c', '#b34f1c', '#1f6fae', '#7a3fe0', '#8a6508', '#b52f42'];
const hueOf = (name: string) =>
  HUES[[...name].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) >>> 0, 7) % 8]!;

/** A player's picture, or the first letter of the name on a colour that depends on the name. */
export function Avatar({ name, image, size = 32 }: { name: string; image?: string | null; size?: number }) {
  const box = { width: size, height: size, fontSize: size * 0.4 };
  if (image) return <img className="avatar" src={image} alt="" style={box} />;
  return (
    <span className="avatar" aria-hidden="true" style={{ ...box, background: hueOf(name) }}>
      {name.charAt(0).toUpperCase()}
    </span>
  );
}

export const Kbd = ({ children }: { children: string }) => <kbd>{children}</kbd>;

/** A short explanation that appears above its child on hover and focus. The child must be focusable. */
export const Tooltip = ({ text, children }: { text: string; children: ReactNode }) => (
  <span className="tooltip">
    {children}
    <span role="tooltip">{text}</span>
  </span>
);

type KpiProps = {
  label: string;
  children: ReactNode;
  /** The change against the period before. `goodIs` gives it its colour. */
  change?: { text: string; isUp: boolean; goodIs: 'up' | 'down' };
  below?: ReactNode;
};

/** A key figure with its label. */
export function Kpi({ label, children, change, below }: KpiProps) {
  return (
    <div className="kpi">
      <span className="dim sm">{label}</span>
      <strong>{children}</strong>
      {change && (
        <span className={`line sm ${change.isUp === (change.goodIs === 'up') ? 'good' : 'bad'}`}>
          <Icon name={change.isUp ? 'trending-up' : 'trending-down'} size={14} />
          {change.text}
        </span>
      )}
      {below !== undefined && <span className="dim xs">{below}</span>}
    </div>
  );
}

/** A grey box in the place of content that is loading. It appears after 150 ms. Give it the size of the content. */
export const Skeleton = ({
  width = '100%',
  height = 16,
}: {
  width?: string | number;
  height?: string | number;
}) => <span className="skeleton" aria-hidden="true" style={{ width, height }} />;

import './measures.css';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon } from './icon.tsx';
import { Spark } from './spark.tsx';

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

type KpiProps = {
  label: string;
  children: ReactNode;
  /** The change against the period before. `goodIs` gives it its colour. */
  change?: { text: string; isUp: boolean; goodIs: 'up' | 'down' };
  below?: ReactNode;
  /** The figure over time, drawn as a small line. */
  over?: readonly number[];
  /** The address of the rows behind the figure. */
  to?: string | undefined;
};

/** A key figure with its label. With `to` it is a link. */
export function Kpi({ label, children, change, below, over, to }: KpiProps) {
  const content = (
    <>
      <span className="dim sm">{label}</span>
      <strong>{children}</strong>
      {change && (
        <span className={`line sm ${change.isUp === (change.goodIs === 'up') ? 'good' : 'bad'}`}>
          <Icon name={change.isUp ? 'trending-up' : 'trending-down'} size={14} />
          {change.text}
        </span>
      )}
      {below !== undefined && <span className="dim xs">{below}</span>}
      {over && <Spark of={over} />}
    </>
  );
  return to === undefined ? (
    <div className="kpi">{content}</div>
  ) : (
    <Link href={to} className="kpi">
      {content}
    </Link>
  );
}

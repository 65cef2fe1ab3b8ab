import './spotlight.css';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../../../kit/icon.tsx';

type SpotlightProps = {
  /** The colours and the picture. */
  kind: 'race' | 'rakeback' | 'level' | 'friends';
  label: string;
  tag: ReactNode;
  icon?: IconName;
  /** Buttons at the end of the line, and below the text on phones. */
  end?: ReactNode;
  children: ReactNode;
};

/** The main card of a page, in the colours of its picture. */
export const Spotlight = ({ kind, label, tag, icon, end, children }: SpotlightProps) => (
  <section className={`spotlight ${kind}`} aria-label={label}>
    <div className="stack tight text">
      <span className="tag">
        {icon && <Icon name={icon} size={14} />}
        {tag}
      </span>
      {children}
    </div>
    <img src={`/art/promo-${kind}.svg`} alt="" />
    {end && <div className="end-side">{end}</div>}
  </section>
);

import './promos.css';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from '../../../kit/icon.tsx';
import { useSite } from '../../site.ts';

type PromoCardProps = {
  /** The colours and the picture. */
  kind: 'race' | 'rakeback' | 'bonus' | 'fairness';
  tag: string;
  icon?: IconName;
  title: string;
  /** A line in large letters above the title. */
  lead?: string;
  children?: ReactNode;
  to: string;
  action: string;
  /** Beside the button: who may take part, under which terms. It leads to the terms if the operator has published them. */
  small?: string;
};

/** An offer with its picture. The first card of a row is larger. */
export function PromoCard({ kind, tag, icon, title, lead, children, to, action, small }: PromoCardProps) {
  const site = useSite();
  return (
    <article className={`promo ${kind}`}>
      <img src={`/art/promo-${kind}.svg`} alt="" />
      <span className="tag">
        {icon && <Icon name={icon} size={14} />}
        {tag}
      </span>
      <h2>
        {lead && (
          <>
            <span className="lead">{lead}</span>{' '}
          </>
        )}
        <span>{title}</span>
      </h2>
      {children && <p>{children}</p>}
      <footer>
        <Link href={to} className="button go">
          {action} <span className="hidden">{title}</span>
        </Link>
        {small && (
          <small>
            {site?.termsUrl ? (
              <a href={site.termsUrl} target="_blank" rel="noreferrer">
                {small}
              </a>
            ) : (
              small
            )}
          </small>
        )}
      </footer>
    </article>
  );
}

export const PromoSkeleton = () => (
  <div className="promo empty-promo" aria-hidden="true">
    <span className="skeleton" />
  </div>
);

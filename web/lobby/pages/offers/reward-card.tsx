import type { ReactNode } from 'react';
import type { Refused } from '../../../../client/call.ts';
import { ButtonLink } from '../../../kit/button.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { Icon, type IconName } from '../../../kit/icon.tsx';
import { Refusal } from '../../../kit/note.tsx';

type Reading = { isPending: boolean; error: Refused | null; refetch: () => unknown };

type RewardCardProps = {
  icon: IconName;
  title: string;
  /** Next to the title, such as the time that is left. */
  end?: ReactNode;
  /** The page of this reward. */
  to: string;
  action: string;
  isMain?: boolean;
  /** While it is loading, the card shows a skeleton of the same height. */
  of?: Reading;
  children: ReactNode;
};

/** A reward on the overview: its own figure and the way to its page. */
export function RewardCard({ icon, title, end, to, action, isMain, of, children }: RewardCardProps) {
  return (
    <section className="card tall reward" aria-label={title}>
      <header className="line">
        <span className="in-square">
          <Icon name={icon} size={20} />
        </span>
        <h2 className="grow">{title}</h2>
        {end}
      </header>
      {of?.error ? (
        <Refusal of={of.error} onRetry={of.refetch} />
      ) : of?.isPending ? (
        <Skeleton height={76} />
      ) : (
        <div className="stack tight grow">{children}</div>
      )}
      <div className="actions">
        <ButtonLink to={to} kind={isMain ? 'main' : 'line'}>
          {action}
        </ButtonLink>
      </div>
    </section>
  );
}

import type { ReactNode } from 'react';
import { Avatar } from '../../kit/avatar.tsx';
import { Icon, type IconName } from '../../kit/icon.tsx';
import { Card } from '../../kit/page.tsx';

/** A step of a decision. A step without a person has not happened yet, or the platform takes it. */
export type Step = {
  name: ReactNode;
  by?: { username: string; avatar: string | null } | null | undefined;
  icon?: IconName;
  about?: ReactNode;
};

/** The approval steps of a decision, past and pending. */
export const Trail = ({ of, title = 'Four eyes' }: { of: readonly Step[]; title?: string }) => (
  <Card title={title}>
    <ol className="trail">
      {of.map(({ name, by, icon = 'user', about }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the steps keep their order
        <li key={at}>
          {by ? (
            <Avatar name={by.username} image={by.avatar} size={28} />
          ) : (
            <span className="ring">
              <Icon name={icon} size={14} />
            </span>
          )}
          <div>
            <strong>{name}</strong>
            {about && <p className="xs dim">{about}</p>}
          </div>
        </li>
      ))}
    </ol>
  </Card>
);

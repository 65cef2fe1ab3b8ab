import type { ReactNode } from 'react';
import { Page } from '../../../kit/page.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { words } from '../../words.ts';

type AccountPageProps = { title: string; hint: string; actions?: ReactNode; children: ReactNode };

/** A page about the player's account. The tabs lead to the others. */
export const AccountPage = ({ title, hint, actions, children }: AccountPageProps) => (
  <div className="narrow-page">
    <Page
      title={title}
      about={hint}
      actions={actions}
      filters={
        <Tabs
          label={words.account.title}
          of={{
            [words.account.profile.title]: '/profile',
            [words.account.security.title]: '/profile/security',
            [words.account.sessions.title]: '/profile/sessions',
          }}
        />
      }
    >
      <div className="stack">{children}</div>
    </Page>
  </div>
);

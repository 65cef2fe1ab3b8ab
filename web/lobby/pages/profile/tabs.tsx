import { Tabs } from '../../../kit/tabs.tsx';
import { words } from '../../words.ts';

export const ProfileTabs = () => (
  <Tabs
    label={words.account.profile.title}
    of={{
      [words.account.profile.title]: '/profile',
      [words.account.security.title]: '/profile/security',
      [words.account.sessions.title]: '/profile/sessions',
    }}
  />
);

import { Page } from '../kit/page.tsx';
import { SignOut } from './shell.tsx';

/** This page is shown to players, because their lobby session is also valid here but gives them no access to the console. */
export const NotStaff = ({ name }: { name: string | null | undefined }) => (
  <div className="sign-in">
    <Page title="Not a staff account">
      <p>You are signed in as {name}, which is not a staff account. Sign out to sign in with another one.</p>
      <div className="actions">
        <SignOut />
      </div>
    </Page>
  </div>
);

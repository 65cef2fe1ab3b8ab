import { ButtonLink } from '../../../kit/button.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Note } from '../../../kit/note.tsx';
import { useAct } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { words } from '../../words.ts';

/**
 * Asks a player whose email address is not verified to open the link in the mail, and sends the mail again. `why`: what the address is needed
 * for. With it, a player without an address is led to the account.
 */
export function Unverified({ why }: { why?: string }) {
  const { verify, toAccount } = words.account;
  const { email, emailVerified } = useMe();
  const ask = useAct('GET /user/request-email-verification', { said: verify.sent });
  if (emailVerified || !(email || why)) return null;
  return (
    <Note kind="warn">
      <div className="line between wrap">
        <p>
          {why ?? verify.missing} {email && verify.open}
        </p>
        {email ? (
          <ActButton act={ask} input={{}} size="sm">
            {verify.send}
          </ActButton>
        ) : (
          <ButtonLink to="/profile/security" size="sm">
            {toAccount}
          </ButtonLink>
        )}
      </div>
    </Note>
  );
}

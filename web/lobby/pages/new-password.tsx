import { useState } from 'react';
import { PasswordField } from '../../kit/form/field.tsx';
import { PASSWORD } from '../fields.ts';
import { words } from '../words.ts';

const STEPS = [1, 2, 3, 4] as const;

/** A field for a new password, with its rule and how hard the password is to guess. */
export function NewPassword({ name = 'password', label }: { name?: string; label: string }) {
  const [password, setPassword] = useState('');
  const strength = strengthOf(password);
  const { strengthOf: title, strength: texts, passwordHint } = words.account.entry;
  return (
    <div className="new-password">
      <PasswordField
        name={name}
        label={label}
        hint={passwordHint}
        required
        {...PASSWORD}
        onChange={(event) => setPassword(event.target.value)}
      />
      {password !== '' && (
        // biome-ignore lint/a11y/useSemanticElements: browsers draw <meter> themselves and differently
        <div
          className={`strength level-${strength}`}
          role="meter"
          aria-label={title}
          aria-valuemin={0}
          aria-valuemax={STEPS.length}
          aria-valuenow={strength}
          aria-valuetext={texts[strength]}
        >
          {STEPS.map((step) => (
            <i key={step} className={step <= strength ? 'reached' : undefined} />
          ))}
          <span className="xs">{texts[strength]}</span>
        </div>
      )}
    </div>
  );
}

/** A rough measure from 0 to 4 of length and variety. The server checks for passwords that are known to be stolen. */
function strengthOf(password: string): number {
  if (password.length < PASSWORD.minLength) return 0;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(password)).length;
  const variety = Math.floor(new Set(password).size / 5);
  return Math.max(1, Math.min(4, variety + (kinds > 2 ? 1 : 0) + (password.length > 11 ? 1 : 0)));
}

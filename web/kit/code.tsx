import { useState } from 'react';
import type { Refused } from '../../client/call.ts';
import { Dialog } from './dialog.tsx';
import { Refusal } from './page.tsx';
import { hasPasskeys, provePasskey } from './passkey.ts';
import { createStore } from './store.ts';
import { kit } from './words.ts';

type Question = { wasWrong: boolean; answer: (code: string | undefined) => void };
const question = createStore<Question | undefined>(undefined);

/** Asks for the code of the second factor. Resolves to undefined if the user cancels. */
export const askForCode = (wasWrong: boolean): Promise<string | undefined> =>
  new Promise((done) => {
    question.set({
      wasWrong,
      answer: (code) => {
        question.set(undefined);
        done(code);
      },
    });
  });

/** Shows the prompt of `askForCode`. Render it once per page. */
export function CodePrompt() {
  const asked = question.use();
  const [refused, setRefused] = useState<Refused>();
  if (!asked) return null;
  const close = (code?: string) => {
    setRefused(undefined);
    asked.answer(code);
  };
  return (
    <Dialog title={kit.factor} onClose={close}>
      {refused && <Refusal of={refused} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          close(String(new FormData(event.currentTarget).get('code')).replace(/\s/g, ''));
        }}
      >
        {asked.wasWrong && (
          <p className="refusal" role="alert">
            {kit.wrongCode}
          </p>
        )}
        <label className="field">
          <span>{kit.code}</span>
          <input name="code" inputMode="numeric" autoComplete="one-time-code" required minLength={6} />
        </label>
        <div className="actions">
          <button type="button" onClick={() => close()}>
            {kit.cancel}
          </button>
          {hasPasskeys && (
            <button type="button" onClick={() => provePasskey().then(close, setRefused)}>
              {kit.usePasskey}
            </button>
          )}
          <button type="submit" className="main">
            {kit.confirm}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

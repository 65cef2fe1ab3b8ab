import { Dialog } from './dialog.tsx';
import { createStore } from './store.ts';

type Question = { wasWrong: boolean; answer: (code: string | undefined) => void };
const question = createStore<Question | undefined>(undefined);

/** Asks for the code of the second factor; undefined: they would rather not. */
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

/** Stands once in a page. */
export function CodePrompt() {
  const asked = question.use();
  if (!asked) return null;
  return (
    <Dialog title="Your second factor" onClose={() => asked.answer(undefined)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          asked.answer(String(new FormData(event.currentTarget).get('code')).replace(/\s/g, ''));
        }}
      >
        {asked.wasWrong && (
          <p className="refusal" role="alert">
            That code is wrong or was used before. Wait for the next one.
          </p>
        )}
        <label className="field">
          <span>Code of your authenticator app</span>
          <input name="code" inputMode="numeric" autoComplete="one-time-code" required minLength={6} />
        </label>
        <div className="actions">
          <button type="button" onClick={() => asked.answer(undefined)}>
            Cancel
          </button>
          <button type="submit" className="main">
            Confirm
          </button>
        </div>
      </form>
    </Dialog>
  );
}

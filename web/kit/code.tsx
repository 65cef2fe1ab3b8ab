import { Refused } from '../../client/call.ts';
import { Imported, importAgain, lazily } from './load.tsx';
import { createStore } from './store.ts';
import { kit } from './words.ts';

/** `code`: the answer is the code of the second factor. `password`: the prompt confirms the password itself. */
export type Question = {
  kind: 'code' | 'password';
  wasWrong: boolean;
  answer: (given: string | undefined) => void;
};
const question = createStore<Question | undefined>(undefined);

const Prompt = lazily(async () => (await import('./code-prompt.tsx')).Prompt);

/** Throws if the prompt cannot be imported. No page could show that, because the prompt is outside the pages. */
async function ask(kind: Question['kind'], wasWrong: boolean): Promise<string | undefined> {
  if ((await Prompt.preload()) === undefined) {
    importAgain();
    throw new Refused(0, { code: 'NO_ANSWER', message: kit.lostHint });
  }
  return new Promise((done) => {
    question.set({
      kind,
      wasWrong,
      answer: (given) => {
        question.set(undefined);
        done(given);
      },
    });
  });
}

/** Asks for the code of the second factor. Resolves to undefined if the user cancels. */
export const askForCode = (wasWrong: boolean) => ask('code', wasWrong);

/** Asks for the password, so that this session counts as just started. Resolves to false if the user cancels. */
export const askForPassword = async (): Promise<boolean> => (await ask('password', false)) !== undefined;

/** Shows the prompt of `askForCode` or `askForPassword`. Render it once per page. */
export function CodePrompt() {
  const asked = question.use();
  return asked ? (
    <Imported>
      <Prompt asked={asked} />
    </Imported>
  ) : null;
}

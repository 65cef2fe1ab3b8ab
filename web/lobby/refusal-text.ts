import type { kit } from '../kit/words.ts';

type Texts = Readonly<Record<string, string>>;
/** The texts are missing until they are loaded. */
type Known = { codes?: Texts; addressReasons?: Texts };

/** Returns the function for the text of a server error. An address may be refused for several reasons, which have texts of their own. */
export const refusalTextIn =
  (known: Known): typeof kit.refusal =>
  ({ code, message, details }) => {
    const reason = code === 'RECIPIENT_ADDRESS_INVALID' ? String(details.reason) : '';
    return known.addressReasons?.[reason] ?? known.codes?.[code] ?? message;
  };

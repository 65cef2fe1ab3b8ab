import type { kit } from '../kit/words.ts';

type Texts = Readonly<Record<string, string>>;
/** The texts are missing until they are loaded. */
type Known = { codes?: Texts; addressReasons?: Texts };

/** Returns a function that gives the text for a server error. A rejected withdrawal address has a text for most reasons. */
export const refusalTextIn =
  (known: Known): typeof kit.refusal =>
  ({ code, message, details }) => {
    const reason = code === 'RECIPIENT_ADDRESS_INVALID' ? String(details.reason) : '';
    return known.addressReasons?.[reason] ?? known.codes?.[code] ?? message;
  };

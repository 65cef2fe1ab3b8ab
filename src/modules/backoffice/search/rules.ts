import { isIP } from 'node:net';
import { MAX_ID } from '../../base/users/rules.ts';
import { bigOf } from '../../games/bets/rules.ts';
import { addressKey, hashForms, isUuid } from '../../money/payments/deposits/rules.ts';

/** The readings of a search text: everything that it can be. A reading that is undefined needs no query. */
export type Term = {
  /** The name of a game or promotion, or a part of it, in lower case. */
  name?: string | undefined;
  /** The id of a user, a promotion or a game. */
  id?: number | undefined;
  betId?: bigint | undefined;
  /** The id of a withdrawal or a deposit. */
  uuid?: string | undefined;
  /** The beginning of a username, in lower case. */
  username?: string | undefined;
  /** The beginning of an email address, in lower case. */
  email?: string | undefined;
  ip?: string | undefined;
  /** Every form in which a transaction hash may be stored. */
  hashes?: readonly string[] | undefined;
  /** A game provider's id of a round or a transaction. */
  reference?: string | undefined;
  /** The address of a wallet: as it is stored for deposits, and in lower case as withdrawals are found. */
  address?: { key: string; lower: string } | undefined;
};

const USERNAME = /^[a-z0-9_]{1,20}$/;
const EMAIL = /^[^\s@]+@[^\s@]*$/;
const ADDRESS = /^[A-Za-z0-9:_-]{26,110}$/;
/** References have no blanks and at least 6 characters, one of which is a digit. Hashes and addresses have this form too. */
const REFERENCE = /^(?=\S*\d)\S{6,200}$/;

/** Returns the readings of a search text. A number may be written with a leading #. Returns undefined if the text is blank. */
export function termOf(q: string): Term | undefined {
  const given = q.trim();
  const text = given.toLowerCase();
  if (text === '') return undefined;
  if (isUuid(text)) return { uuid: text };
  if (EMAIL.test(text)) return { email: text };
  if (isIP(text) !== 0) return { ip: text };
  return { name: text, ...numberIn(text), ...usernameIn(text), ...codeIn(given) };
}

function numberIn(text: string): Pick<Term, 'id' | 'betId'> {
  const betId = bigOf(text.replace(/^#/, ''));
  if (betId === undefined) return {};
  return { betId, id: betId <= MAX_ID ? Number(betId) : undefined };
}

const usernameIn = (text: string): Pick<Term, 'username'> => (USERNAME.test(text) ? { username: text } : {});

function codeIn(given: string): Pick<Term, 'hashes' | 'reference' | 'address'> {
  if (!REFERENCE.test(given)) return {};
  const address = ADDRESS.test(given) ? { key: addressKey(given), lower: given.toLowerCase() } : undefined;
  return { hashes: hashForms('', given), reference: given, address };
}

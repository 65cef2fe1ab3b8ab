import type { DbOrTx } from '../../../../platform/database/db.ts';
import type { Method } from '../methods.ts';
import { unpayableReason } from '../unpayable.ts';
import { withdrawalErrors } from './errors.ts';

export type Recipient = { address: string; memo: string | null };

/**
 * Returns the checked recipient of a withdrawal or a returned deposit. Throws 400 RECIPIENT_ADDRESS_INVALID with its reason unless it is
 * an address on the network with a correct checksum whose coins can be moved again. Throws 400 RECIPIENT_MEMO_INVALID if a memo is
 * missing, malformed, or not used by the network.
 */
export async function recipientOf(
  db: DbOrTx,
  { network }: Pick<Method, 'network'>,
  {
    recipientAddress: address,
    recipientMemo: memo,
  }: { recipientAddress: string; recipientMemo?: string | undefined },
): Promise<Recipient> {
  const { addressKind: kind, memoRequired, id: networkId } = network;
  if (!kind || !(await isAddress(kind, address)))
    throw withdrawalErrors.RECIPIENT_ADDRESS_INVALID({ networkId, reason: 'NOT_AN_ADDRESS' });
  const reason = await unpayableReason(db, { kind, address });
  if (reason) throw withdrawalErrors.RECIPIENT_ADDRESS_INVALID({ networkId, reason });
  const isGood = memoRequired ? memo !== undefined && isMemo(kind, memo) : memo === undefined;
  if (!isGood) throw withdrawalErrors.RECIPIENT_MEMO_INVALID({ networkId, memoRequired });
  return { address, memo: memo ?? null };
}

async function isAddress(kind: string, address: string): Promise<boolean> {
  // Ripple's X-addresses contain a tag, which a memo beside it could contradict.
  if (kind === 'xrp' && !address.startsWith('r')) return false;
  // The library accepts a CashAddr whatever its checksum.
  if (kind === 'bch' && !/^[13]/.test(address)) return isCashAddress(address);
  const { default: validator } = await import('multicoin-address-validator');
  return validator.validate(address, kind);
}

/** A destination tag of ripple is a whole number of 32 bits; elsewhere a memo is text. */
export const isMemo = (kind: string | null, memo: string): boolean =>
  kind === 'xrp'
    ? /^(0|[1-9]\d{0,9})$/.test(memo) && Number(memo) < 2 ** 32
    : /^[\x20-\x7E]{1,100}$/.test(memo);

const CASH_LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const CASH_ADDRESS = /^(?:bitcoincash:)?([qp][02-9ac-hj-np-z]{41})$/;
const CASH_GENERATOR = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];

/** Whether a text is a CashAddr of Bitcoin Cash with its checksum. */
function isCashAddress(text: string): boolean {
  const payload = CASH_ADDRESS.exec(text)?.[1];
  if (!payload) return false;
  const prefix = [...'bitcoincash'].map((letter) => letter.charCodeAt(0) & 31);
  const values = [...prefix, 0, ...[...payload].map((letter) => CASH_LETTERS.indexOf(letter))];
  const sum = values.reduce((before, value) => {
    const top = before >> 35n;
    const next = ((before & 0x07_ffff_ffffn) << 5n) ^ BigInt(value);
    return CASH_GENERATOR.reduce((all, part, i) => ((top >> BigInt(i)) & 1n ? all ^ part : all), next);
  }, 1n);
  return sum === 1n;
}

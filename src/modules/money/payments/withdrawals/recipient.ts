import validator from 'multicoin-address-validator';
import type { Method } from '../methods.ts';
import { withdrawalErrors } from './errors.ts';
import { isCashAddress, isMemo } from './rules.ts';

export type Recipient = { address: string; memo: string | null };

/**
 * Whom a withdrawal goes to. Throws 400 RECIPIENT_ADDRESS_INVALID for what is no address of the network, its checksum included, 400
 * RECIPIENT_MEMO_INVALID where a memo is missing, of another form, or says nothing to the network.
 */
export function recipientOf(
  { network }: Pick<Method, 'network'>,
  {
    recipientAddress: address,
    recipientMemo: memo,
  }: { recipientAddress: string; recipientMemo?: string | undefined },
): Recipient {
  const { addressKind: kind, memoRequired, id: networkId } = network;
  if (!kind || !isAddress(kind, address)) throw withdrawalErrors.RECIPIENT_ADDRESS_INVALID({ networkId });
  const isGood = memoRequired ? memo !== undefined && isMemo(kind, memo) : memo === undefined;
  if (!isGood) throw withdrawalErrors.RECIPIENT_MEMO_INVALID({ networkId, memoRequired });
  return { address, memo: memo ?? null };
}

function isAddress(kind: string, address: string): boolean {
  // Ripple's X-addresses carry a tag of their own, beside which a memo could say something else.
  if (kind === 'xrp' && !address.startsWith('r')) return false;
  // The library takes whatever looks like a CashAddr, whether its checksum is right or not.
  if (kind === 'bch' && !/^[13]/.test(address)) return isCashAddress(address);
  return validator.validate(address, kind);
}

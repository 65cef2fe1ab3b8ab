import type { Method } from '../methods.ts';
import { withdrawalErrors } from './errors.ts';
import { isCashAddress, isMemo } from './rules.ts';

export type Recipient = { address: string; memo: string | null };

/**
 * Whom a withdrawal goes to. Throws 400 RECIPIENT_ADDRESS_INVALID for what is no address of the network, its checksum included, 400
 * RECIPIENT_MEMO_INVALID where a memo is missing, of another form, or says nothing to the network.
 */
export async function recipientOf(
  { network }: Pick<Method, 'network'>,
  {
    recipientAddress: address,
    recipientMemo: memo,
  }: { recipientAddress: string; recipientMemo?: string | undefined },
): Promise<Recipient> {
  const { addressKind: kind, memoRequired, id: networkId } = network;
  if (!kind || !(await isAddress(kind, address)))
    throw withdrawalErrors.RECIPIENT_ADDRESS_INVALID({ networkId });
  const isGood = memoRequired ? memo !== undefined && isMemo(kind, memo) : memo === undefined;
  if (!isGood) throw withdrawalErrors.RECIPIENT_MEMO_INVALID({ networkId, memoRequired });
  return { address, memo: memo ?? null };
}

async function isAddress(kind: string, address: string): Promise<boolean> {
  // Ripple's X-addresses carry a tag of their own, beside which a memo could say something else.
  if (kind === 'xrp' && !address.startsWith('r')) return false;
  // The library takes whatever looks like a CashAddr, whether its checksum is right or not.
  if (kind === 'bch' && !/^[13]/.test(address)) return isCashAddress(address);
  const { default: validator } = await import('multicoin-address-validator');
  return validator.validate(address, kind);
}

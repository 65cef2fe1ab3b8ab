import type { UserConnection } from '../../../../client/call.ts';

/** Labels of the signals that connect two accounts. */
export const SIGNALS: Readonly<Record<UserConnection['signals'][number], string>> = {
  NETWORK: 'IP address',
  DEVICE: 'Browser',
  PAYOUT_ADDRESS: 'Payout address',
  MAILBOX: 'Mailbox',
  IDENTITY: 'Identity',
};

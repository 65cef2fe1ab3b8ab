import type { UserConnection } from '../../../../client/call.ts';

/** The names of what two accounts have in common. */
export const SIGNALS: Readonly<Record<UserConnection['signals'][number], string>> = {
  NETWORK: 'IP address',
  DEVICE: 'Browser',
  PAYOUT_ADDRESS: 'Payout address',
  MAILBOX: 'Mailbox',
  IDENTITY: 'Identity',
};

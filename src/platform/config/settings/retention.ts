import { count } from './setting.ts';

export const retention = {
  LEDGER_KEEP_MONTHS: count(0, 0, 1000).describe(
    'Number of months of ledger postings that stay online, not counting the current month. Older months are moved to the schema `archive`. 0: keep all. The law requires five years, so at least 61.',
  ),
  BETS_KEEP_MONTHS: count(0, 0, 1000).describe('Number of months of bets that stay online, in the same way.'),
  SESSIONS_KEEP_DAYS: count(90).describe(
    'Retention of a session after its end, including IP address, device and used refresh tokens.',
  ),
  USERNAMES_KEEP_DAYS: count(90).describe(
    'Time for which no other player can take a username that a player has given up. Usernames of staff are never reused.',
  ),
  IDEMPOTENCY_KEEP_DAYS: count(30).describe('Retention of the responses stored for Idempotency-Keys.'),
  WEBHOOKS_KEEP_DAYS: count(90).describe(
    "Retention of the bodies of partners' webhooks. The record of their arrival is kept forever.",
  ),
};

import { count } from './setting.ts';

export const retention = {
  LEDGER_KEEP_MONTHS: count(0, 0, 1000).describe(
    'Months of ledger postings that stay where they can be read, the current one not counted; older ones are detached into the schema `archive`. 0: all. The law wants five years: 61 at least.',
  ),
  BETS_KEEP_MONTHS: count(0, 0, 1000).describe('The same of bets.'),
  SESSIONS_KEEP_DAYS: count(90).describe(
    'How long a session, with address, device and used refresh tokens, is kept after its end.',
  ),
  USERNAMES_KEEP_DAYS: count(90).describe(
    'How long nobody else can take the username that a player has left. The names of staff are never given again.',
  ),
  IDEMPOTENCY_KEEP_DAYS: count(30).describe('How long what an Idempotency-Key answered is kept.'),
  WEBHOOKS_KEEP_DAYS: count(90).describe(
    'How long the bodies of notices of partners are kept; that they came is known for ever.',
  ),
};

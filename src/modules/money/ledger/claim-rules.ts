import { isUserAccount } from './accounts.ts';
import type { Kind, Posting } from './rules.ts';

/**
 * How a kind of posting treats a player with an open claim. `pays`: cash that is credited first pays the claims in its currency.
 * `blocked`: the posting is rejected while a claim is open in any currency. Any other text is the reason for an exemption.
 */
type ClaimRule = 'pays' | 'blocked' | { exempt: string };

const play: ClaimRule = { exempt: 'Play: a player who owes may bet, and casino payouts do not pay claims.' };
const reversal: ClaimRule = {
  exempt: 'A reversal: it creates claims, and nets a returned stake on its own.',
};
const held: ClaimRule = { exempt: 'The money was held before; its release to cash pays claims.' };
const returned: ClaimRule = { exempt: 'The platform takes money back; the player receives nothing.' };

const suspended: ClaimRule = {
  exempt: 'Accounts of the platform: coins in suspense belong to no player yet.',
};

/** A new kind does not compile until its rule is added here. */
const CLAIM_RULES: Readonly<Record<Kind, ClaimRule>> = {
  // Money leaving at the player's request.
  'withdraw.hold': 'blocked',
  'tip.sent': 'blocked',
  'vault.to': 'blocked',
  'vault.from': { exempt: "The player's own money, which a reversal reaches in the vault and in cash." },
  // Incoming money.
  deposit: 'pays',
  'skins.deposit': 'pays',
  'withdraw.release': 'pays',
  'tip.received': 'pays',
  'rakeback.claim': 'pays',
  'affiliate.claim': 'pays',
  'leaderboard.prize': 'pays',
  'challenge.reward': 'pays',
  'admin.tip': 'pays',
  'crm.funds': 'pays',
  'promo.grant': 'pays',
  'promo.conversion': 'pays',
  'suspense.release': 'pays',
  'admin.adjustment': { exempt: 'Staff states the balance itself, and paying a claim would change it.' },
  'debug.credit': { exempt: 'Play money of development.' },
  'bet.stake': play,
  'bet.payout': play,
  'provider.freespin': play,
  'provider.promo': play,
  'provider.jackpot': play,
  'provider.adjustment': { exempt: 'Credits of a sportsbook pay claims in their own batch.' },
  'bet.stake.rollback': reversal,
  'bet.payout.rollback': reversal,
  'deposit.reversal': reversal,
  'skins.deposit.reversal': reversal,
  'promo.conversion.back': reversal,
  'claim.recovery': { exempt: 'It pays the claim.' },
  'withdraw.sent': held,
  'withdraw.fee': held,
  'withdraw.return': held,
  'withdraw.fee.return': held,
  'admin.deduction': returned,
  'challenge.rollback': returned,
  'promo.forfeit': returned,
  'promo.write-off': returned,
  'deposit.suspense': suspended,
  'deposit.suspense.return': suspended,
  'deposit.written-off': suspended,
  'deposit.written-off.reversal': suspended,
  'deposit.return': suspended,
  'deposit.return.fee': suspended,
  'deposit.return.reversal': suspended,
  'deposit.return.fee.reversal': suspended,
  'promo.forfeit.back': { exempt: 'Bonus money returns to its grant; converting it pays claims.' },
};

export const claimRuleOf = (kind: Kind): ClaimRule => CLAIM_RULES[kind];

/** Returns true if a posting must wait until its player owes nothing. */
export const isBlockedByClaims = ({ kind, debit }: Posting): boolean =>
  isUserAccount(debit) && claimRuleOf(kind) === 'blocked';

/** Returns true if a posting's amount first pays its player's claims. Bonus money does so when it is converted to cash. */
export const paysClaims = ({ kind, credit }: Posting): boolean =>
  credit === 'cash' && claimRuleOf(kind) === 'pays';

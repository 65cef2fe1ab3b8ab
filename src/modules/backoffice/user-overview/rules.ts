/** An error of the gate. */
type Refusal = { code: string; message: string; details?: Readonly<Record<string, unknown>> | undefined };

/**
 * Errors with sensitive details: the permission that a staff member needs to see the details, and the sentence for staff without it. Other
 * errors have no sensitive details.
 */
export const PROTECTED: Readonly<Record<string, { permission: string; sentence: string }>> = {
  SELF_EXCLUDED: { permission: 'limit.read', sentence: 'The player is excluded from play and deposits.' },
  LIMIT_REACHED: {
    permission: 'limit.read',
    sentence: 'The player has reached one of their gambling limits.',
  },
  KYC_REQUIRED: {
    permission: 'kyc.read',
    sentence: 'The player must first reach a higher verification tier.',
  },
  WITHDRAWAL_BLOCKED: {
    permission: 'withdrawblock.read',
    sentence: 'Withdrawals from the account are blocked.',
  },
  ROLLOVER_OPEN: {
    permission: 'withdraw.read',
    sentence: 'The player must first finish the wagering of their deposits or of an active bonus.',
  },
  CLAIMS_OPEN: { permission: 'transaction.read', sentence: 'The player owes money from a reversed credit.' },
};

const PERIODS: Readonly<Record<string, string>> = { DAY: 'daily', WEEK: 'weekly', MONTH: 'monthly' };
const LIMITS: Readonly<Record<string, string>> = {
  DEPOSIT: 'deposit',
  WAGER: 'wager',
  LOSS: 'loss',
  SESSION: 'session',
};

type Fields = Readonly<Record<string, unknown>>;

const SENTENCES: Readonly<Record<string, (details: Fields) => string>> = {
  USER_BANNED: () => 'The account is banned.',
  SELF_EXCLUDED: ({ until }) => `The player is excluded until ${timeOf(until)}.`,
  AUTH_GEO_BLOCKED: () => "One of the player's countries is blocked.",
  PLAY_STOPPED: () => 'Play is stopped on the whole site.',
  DEPOSIT_DISABLED: () => 'Deposits are disabled on the whole site.',
  WITHDRAW_DISABLED: () => 'Withdrawals are disabled on the whole site.',
  LIMIT_REACHED: limitSentence,
  KYC_REQUIRED: ({ tier }) => `The player must first reach the verification tier ${tier}.`,
  ROLLOVER_OPEN: ({ grantId, wagerRemaining, currencyId, wagerRemainingUsd, promotion }) =>
    grantId === undefined
      ? `The player must first wager another $${wagerRemainingUsd} of the deposits.`
      : `The player must first wager another ${wagerRemaining} ${currencyId} for ${promotion === undefined ? 'an active bonus' : `the bonus “${promotion}”`}.`,
  WITHDRAWAL_BLOCKED: ({ reasonPublic, blockUntil }) => {
    const until = blockUntil ? `until ${timeOf(blockUntil)}` : 'indefinitely';
    return `Withdrawals are blocked ${until}.${reasonPublic ? ` The player reads: ${reasonPublic}` : ''}`;
  },
  CLAIMS_OPEN: ({ owed }) => {
    const amounts = (owed as { amount: string; currencyId: string }[]).map(
      ({ amount, currencyId }) => `${amount} ${currencyId}`,
    );
    return `The player owes ${amounts.join(', ')} from a reversed credit.`;
  },
};

function limitSentence({ type, period, limit, used, periodEndsAt }: Fields): string {
  const amount = (value: unknown) => (type === 'SESSION' ? `${value} minutes` : `$${value}`);
  const name = `${PERIODS[String(period)]} ${LIMITS[String(type)]} limit`;
  return `The ${name} of ${amount(limit)} is reached: ${amount(used)} used. It resets at ${timeOf(periodEndsAt)}.`;
}

/** Returns the reason for a refusal as a sentence for staff. Codes that have details need them. `details.promotion`: the name of the bonus. */
export function sentenceOf({ code, message, details = {} }: Refusal): string {
  return SENTENCES[code]?.(details) ?? message;
}

/** Formats an ISO time in UTC to the minute. */
const timeOf = (iso: unknown): string => `${String(iso).slice(0, 16).replace('T', ' ')} UTC`;

/** The position of an entry in a timeline: its time in microseconds, its kind, and its id within the kind. */
export type Place = { micros: string; kind: string; id: string };

export const CURSOR = /^(\d{1,17})_([a-z-]{1,20})_([\w.-]{1,64})$/;

export const toCursor = ({ micros, kind, id }: Place): string => `${micros}_${kind}_${id}`;

/** Returns the position in a cursor, or undefined if the text is not a cursor. */
export function readCursor(text: string): Place | undefined {
  const found = CURSOR.exec(text);
  return found ? { micros: found[1]!, kind: found[2]!, id: found[3]! } : undefined;
}

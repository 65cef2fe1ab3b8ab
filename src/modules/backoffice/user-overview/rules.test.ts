import { describe, expect, test } from 'vitest';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { ledgerErrors } from '../../money/ledger/errors.ts';
import { PROTECTED, readCursor, sentenceOf, toCursor } from './rules.ts';

const at = '2026-12-01T08:30:00.000Z';
const limit = { type: 'LOSS', period: 'WEEK', limit: '100', used: '99.5', periodEndsAt: at };

describe('a refusal as a sentence', () => {
  test.each([
    [gateErrors.USER_BANNED(), 'The account is banned.'],
    [gateErrors.SELF_EXCLUDED({ until: at }), 'The player is excluded until 2026-12-01 08:30 UTC.'],
    [gateErrors.AUTH_GEO_BLOCKED(), "One of the player's countries is blocked."],
    [gateErrors.PLAY_STOPPED(), 'Play is stopped on the whole site.'],
    [gateErrors.DEPOSIT_DISABLED(), 'Deposits are disabled on the whole site.'],
    [gateErrors.WITHDRAW_DISABLED(), 'Withdrawals are disabled on the whole site.'],
    [
      gateErrors.LIMIT_REACHED(limit),
      'The weekly loss limit of $100 is reached: $99.5 used. It resets at 2026-12-01 08:30 UTC.',
    ],
    [
      gateErrors.LIMIT_REACHED({ ...limit, type: 'SESSION', period: 'DAY', limit: '60', used: '61' }),
      'The daily session limit of 60 minutes is reached: 61 minutes used. It resets at 2026-12-01 08:30 UTC.',
    ],
    [
      gateErrors.LIMIT_REACHED({ ...limit, type: 'DEPOSIT', period: 'MONTH' }),
      'The monthly deposit limit of $100 is reached: $99.5 used. It resets at 2026-12-01 08:30 UTC.',
    ],
    [
      gateErrors.LIMIT_REACHED({ ...limit, type: 'WAGER', period: 'DAY' }),
      'The daily wager limit of $100 is reached: $99.5 used. It resets at 2026-12-01 08:30 UTC.',
    ],
    [
      gateErrors.KYC_REQUIRED({ tier: 'IDENTITY' }),
      'The player must first reach the verification tier IDENTITY.',
    ],
    [
      gateErrors.ROLLOVER_OPEN({ wagerRemainingUsd: '12.5' }),
      'The player must first wager another $12.5 of the deposits.',
    ],
    [
      gateErrors.ROLLOVER_OPEN({ grantId: '7', wagerRemaining: '30', currencyId: 'USDT' }),
      'The player must first wager another 30 USDT for an active bonus.',
    ],
    [
      gateErrors.ROLLOVER_OPEN({
        grantId: '7',
        wagerRemaining: '30',
        currencyId: 'USDT',
        promotion: 'Welcome',
      }),
      'The player must first wager another 30 USDT for the bonus “Welcome”.',
    ],
    [
      gateErrors.WITHDRAWAL_BLOCKED({ reasonPublic: null, blockUntil: null }),
      'Withdrawals are blocked indefinitely.',
    ],
    [
      gateErrors.WITHDRAWAL_BLOCKED({ reasonPublic: 'Please write to support.', blockUntil: at }),
      'Withdrawals are blocked until 2026-12-01 08:30 UTC. The player reads: Please write to support.',
    ],
    [
      ledgerErrors.CLAIMS_OPEN({
        owed: [
          { currencyId: 'USDT', amount: '3' },
          { currencyId: 'BTC', amount: '0.1' },
        ],
      }),
      'The player owes 3 USDT, 0.1 BTC from a reversed credit.',
    ],
  ])('explains $code', (refusal, due) => expect(sentenceOf(refusal)).toBe(due));

  test('has a sentence of its own for every error of the gate, and the message for any other', () => {
    const details = { owed: [], until: at, periodEndsAt: at };
    for (const error of Object.values(gateErrors)) expect(sentenceOf(error(details))).not.toBe(error.message);
    expect(sentenceOf(ledgerErrors.INSUFFICIENT_HOLD())).toBe(ledgerErrors.INSUFFICIENT_HOLD.message);
  });

  test('names no operation of the API in any sentence', () => {
    const details = { owed: [], until: at, periodEndsAt: at };
    for (const error of [...Object.values(gateErrors), ...Object.values(ledgerErrors)]) {
      const sentences = [sentenceOf(error(details)), PROTECTED[error.code]?.sentence];
      expect(sentences.join(' ')).not.toMatch(/(GET|POST|PUT|PATCH|DELETE) [/]/);
    }
  });

  test.each([
    ['SELF_EXCLUDED', 'limit.read', 'The player is excluded from play and deposits.'],
    ['LIMIT_REACHED', 'limit.read', 'The player has reached one of their gambling limits.'],
    ['KYC_REQUIRED', 'kyc.read', 'The player must first reach a higher verification tier.'],
    ['WITHDRAWAL_BLOCKED', 'withdrawblock.read', 'Withdrawals from the account are blocked.'],
    [
      'ROLLOVER_OPEN',
      'withdraw.read',
      'The player must first finish the wagering of their deposits or of an active bonus.',
    ],
    ['CLAIMS_OPEN', 'transaction.read', 'The player owes money from a reversed credit.'],
  ])('shows the details of %s only with %s', (code, permission, sentence) =>
    expect(PROTECTED[code]).toEqual({ permission, sentence }),
  );

  test('protects the details of no other error', () => expect(Object.keys(PROTECTED)).toHaveLength(6));
});

describe('a position in a timeline', () => {
  test.each([
    { micros: '1764460800123456', kind: 'sign-in', id: '01926f3a-7c3e-7d2a-9c1b-3f5e8a7b6c5d' },
    { micros: '0', kind: 'bets', id: '2026-11-30' },
    { micros: '99999999999999999', kind: 'note', id: '7' },
  ])('survives as a cursor: $kind', (place) => expect(readCursor(toCursor(place))).toEqual(place));

  test.each([
    '',
    'x',
    '1_note',
    '1_note_',
    '_note_1',
    '-1_note_1',
    '1_NOTE_1',
    '1_note_1 ',
    ' 1_note_1',
    '1_note_a b',
    `1_note_${'1'.repeat(65)}`,
    `1_${'n'.repeat(21)}_1`,
    '123456789012345678_note_1',
  ])('is not %j', (text) => expect(readCursor(text)).toBeUndefined());
});

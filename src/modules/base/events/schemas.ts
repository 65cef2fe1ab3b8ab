import { z } from 'zod';
import { Amount, CurrencyId, Id, Moment } from '../../../http/schemas.ts';

/** For whom an event is: one player, everybody, whoever watches a game, staff. */
type Room = 'user' | 'public' | 'game:speed-roulette' | 'admin';

const event = <D extends z.ZodType>(room: Room, summary: string, data: D) => ({
  room,
  summary,
  data,
});

const Level = z.number().int().min(0);
const Name = z.string().nullable().meta({ description: 'A username; null: who hides it.' });
const MAX_LEADERS = 10;

export const Notification = z
  .strictObject({
    id: z.string(),
    type: z.enum([
      ...(['SYSTEM', 'SECURITY', 'DEPOSIT', 'WITHDRAW', 'PROMO', 'RAKEBACK', 'AFFILIATE', 'TIP'] as const),
      ...(['VIP', 'KYC', 'LIMIT', 'LEADERBOARD', 'CHALLENGE'] as const),
    ]),
    title: z.string(),
    body: z.string(),
    payload: z.record(z.string(), z.unknown()).nullable(),
    isAware: z.boolean(),
    createdAt: Moment,
  })
  .meta({ id: 'NotificationDto' });

/**
 * Every event that is announced, by its name: who gets it and what it carries. Amounts are decimal strings, times ISO 8601 in UTC.
 * What follows from money and bets alone is announced by nobody: modules/feed reads it where it is written.
 */
export const EVENTS = {
  'deposit.status': event(
    'user',
    'A deposit changed its state.',
    z.strictObject({
      depositId: Id,
      status: z.enum([
        ...(['CREATED', 'DETECTED', 'CONFIRMING', 'COMPLETED', 'PARTIALLY_PAID', 'EXPIRED'] as const),
        ...(['UNDER_REVIEW', 'ON_HOLD', 'RETURNED', 'FAILED', 'REVERSED'] as const),
        // Of items that were sold.
        ...(['PENDING', 'IN_HOLD', 'SUCCESS', 'FAIL', 'HOLD_APPROVED', 'HOLD_RETURNED'] as const),
      ]),
      currencyId: CurrencyId,
      amount: Amount.nullable().meta({ description: 'Null: not known yet.' }),
    }),
  ),
  'withdraw.status': event(
    'user',
    'A withdrawal changed its state, as its owner sees it.',
    z.strictObject({
      withdrawalId: Id,
      status: z.enum([
        ...(['WAITING_FOR_APPROVAL', 'ON_HOLD', 'APPROVED', 'PROCESSING', 'SENT', 'COMPLETED'] as const),
        ...(['REJECTED', 'CANCELLED', 'FAILED'] as const),
      ]),
      currencyId: CurrencyId,
      amount: Amount,
    }),
  ),
  'notification.new': event('user', 'A notification, as GET /notifications lists it.', Notification),
  'promo.progress': event(
    'user',
    'A bonus of the player moved on: its state, or what was wagered for it.',
    z.strictObject({
      grantId: Id,
      status: z.enum(['PENDING', 'ACTIVE', 'COMPLETED', 'FORFEITED', 'EXPIRED', 'LOST', 'CANCELLED']),
      currencyId: CurrencyId,
      bonusBalance: Amount,
      wagerRequired: Amount,
      wagerDone: Amount,
      progressPercent: z.number().min(0).max(100),
    }),
  ),
  'rakeback.accrued': event(
    'user',
    'Rakeback has grown; amounts are what there is now.',
    z.strictObject({
      currencyId: CurrencyId,
      instant: Amount,
      daily: Amount,
      weekly: Amount,
      monthly: Amount,
    }),
  ),
  'vip.level': event(
    'user',
    'The player has reached a VIP level.',
    z.strictObject({ level: Level, previousLevel: Level }),
  ),
  'tip.received': event(
    'user',
    'Somebody gave the player a tip.',
    z.strictObject({ tipId: Id, currencyId: CurrencyId, amount: Amount, from: Name }),
  ),
  'kyc.status': event(
    'user',
    'A proof of identity changed its state.',
    z.strictObject({
      tier: z.enum(['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS']),
      status: z.enum(['NONE', 'PENDING', 'ON_HOLD', 'APPROVED', 'REJECTED', 'RESUBMIT', 'EXPIRED']),
      level: Level.meta({ description: 'Tiers that are approved, in their order.' }),
    }),
  ),
  'limit.warning': event(
    'user',
    'Four fifths of a limit are used; once in its period.',
    z.strictObject({
      type: z.enum(['DEPOSIT', 'WAGER', 'LOSS', 'SESSION']),
      period: z.enum(['DAY', 'WEEK', 'MONTH']),
      limit: Amount.meta({ description: 'US dollars; of SESSION minutes.' }),
      used: Amount,
      periodEndsAt: Moment,
    }),
  ),
  'session.revoked': event(
    'user',
    'A session of the player has ended. Its own sockets hear it once, with the reason, and are cut; the others of the player hear which one it was.',
    z.strictObject({ sessionId: z.string().nullable(), reason: z.string() }),
  ),
  'exclusion.started': event(
    'user',
    'The player is excluded from play: they leave the rooms of games. Null: for good.',
    z.strictObject({ expiresAt: Moment.nullable() }),
  ),
  'challenge.won': event(
    'public',
    'A challenge has its winner.',
    z.strictObject({
      challengeId: Id,
      title: z.string(),
      winner: Name,
      rewardCurrency: CurrencyId,
      rewardAmount: Amount,
    }),
  ),
  'leaderboard.updated': event(
    'public',
    'The places of a leaderboard, or its state, have changed.',
    z.strictObject({
      leaderboardId: Id,
      status: z.enum(['SCHEDULED', 'ACTIVE', 'FINALIZING', 'AWAITING_PAYOUT', 'FINISHED', 'CANCELLED']),
      leaders: z
        .array(z.strictObject({ place: z.number().int().min(1), username: Name, score: Amount }))
        .max(MAX_LEADERS),
    }),
  ),
  'speed-roulette.round': event(
    'game:speed-roulette',
    'The round of everybody has entered a phase. Seed, position and colour are known from RESULT on.',
    z.strictObject({
      roundId: Id,
      phase: z.enum(['BETTING', 'WAITING', 'RESULT']),
      seedHash: z.string(),
      seed: z.string().nullable(),
      position: z.number().int().min(0).max(14).nullable(),
      color: z.enum(['RED', 'BLACK', 'GREEN']).nullable(),
      endsAt: Moment.meta({ description: 'End of the phase.' }),
    }),
  ),
  'config.changed': event(
    'public',
    'Public settings have changed: GET /config/{code} answers them. GAMES: settings of these house games, COUNTRIES: whom we serve.',
    z.strictObject({
      code: z.enum(['USER', 'AFFILIATES', 'WITHDRAWALS', 'GAMES', 'COUNTRIES']),
      games: z.array(z.string()).optional(),
    }),
  ),
  maintenance: event(
    'public',
    'Maintenance begins, is planned or has ended.',
    z.strictObject({
      isActive: z.boolean(),
      startsAt: Moment.nullable(),
      endsAt: Moment.nullable(),
      message: z.string().nullable(),
    }),
  ),
  'admin.alert': event(
    'admin',
    'Something waits for staff, or is not as it should be. Who may see it asks for it by its id.',
    z.strictObject({
      kind: z.enum(['WITHDRAWAL_WAITING', 'DEPOSIT_UNDER_REVIEW', 'RETURN_ALERT', 'UNIFORMITY_ALERT']),
      id: Id.meta({ description: 'Of the withdrawal or deposit; of an alert the game.' }),
    }),
  ),
} as const;

export type EventName = keyof typeof EVENTS;
export type EventData<N extends EventName> = z.input<(typeof EVENTS)[N]['data']>;

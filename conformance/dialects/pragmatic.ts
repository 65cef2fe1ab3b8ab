import { createHash, randomBytes, randomInt } from 'node:crypto';
import { fieldsOf, fixed, fromUnits, toUnits } from '../amounts.ts';
import type { Call, Dialect, Message, Move, Signing } from '../dialect.ts';

const PLACES = 2;
const PATHS: Partial<Record<Move['type'], string>> = {
  bet: '/bet.html',
  win: '/result.html',
  rollback: '/refund.html',
  freeSpins: '/bonusWin.html',
  jackpot: '/jackpotWin.html',
  promo: '/promoWin.html',
  adjustment: '/adjustment.html',
};

type Fields = Record<string, string>;

/** Pragmatic Play's seamless wallet: forms with an MD5 hash, decimal amounts, a separate call for the end of a round. */
export const pragmatic: Dialect = {
  name: 'pragmatic',
  letter: 'P',
  slug: 'sandbox-pragmatic',
  secret: 'sandbox-pragmatic-secret',
  base: (slug) => `/webhooks/games/${slug}`,
  newId: () => randomBytes(12).toString('hex'),
  newRound: () => String(randomInt(1e12, 9e12)),
  calls(message, signing) {
    const { moves, closes } = message;
    const [move] = moves;
    if (!move && !closes) return [signed('/balance.html', common(message), signing)];
    return [
      ...(move ? [signed(PATHS[move.type]!, fieldsFor(message, move), signing)] : []),
      ...(closes ? [signed('/endRound.html', played(message), signing)] : []),
    ];
  },
  read({ status, body }) {
    const { error, code, cash, transactionId } = fieldsOf(body);
    return {
      code: status === 200 ? String(error) : `${status} ${String(code ?? '')}`,
      ...(typeof cash === 'string' ? { balance: fromUnits(toUnits(cash)) } : {}),
      ids: typeof transactionId === 'string' ? [transactionId] : [],
    };
  },
  codes: {
    OK: '0',
    INVALID: '7',
    TOKEN: '4',
    TOKEN_ENDED: '4',
    NO_PLAYER: '2',
    BLOCKED: '6',
    EXCLUDED: '6',
    LIMIT: '50',
    GAME: '8',
    FUNDS: '1',
    CLOSED: '120',
    NOT_FOUND: '120',
    CONFLICT: '7',
    ROLLED_BACK: '120',
    SIGNATURE: '5',
    NO_PROVIDER: '404 PROVIDER_NOT_FOUND',
    RETRY: '100',
  },
};

const common = ({ seat }: Message): Fields => ({
  userId: seat.playerId,
  providerId: 'sandbox',
  ...(seat.token ? { token: seat.token } : {}),
});

const played = (message: Message): Fields => ({
  ...common(message),
  gameId: message.seat.gameCode,
  roundId: message.round,
});

function fieldsFor(message: Message, { type, id, amount, reference, promo, isFree }: Move): Fields {
  const timestamp = String(Date.now());
  // A refund has no id of its own. It references the bet.
  if (type === 'rollback') return { ...common(message), reference: reference!, timestamp };
  return {
    ...played(message),
    reference: id,
    amount: amount === 'too fine' ? '1.001' : fixed(amount, PLACES),
    timestamp,
    ...(type === 'bet' || type === 'win' ? { roundDetails: 'spin' } : {}),
    ...(type === 'promo' ? { campaignId: '7', campaignType: 'T' } : {}),
    ...(isFree ? { bonusCode: 'free-round' } : {}),
    ...(promo
      ? {
          promoWinAmount: fixed(promo.amount, PLACES),
          promoWinReference: promo.id,
          promoCampaignID: '7',
          promoCampaignType: 'T',
        }
      : {}),
  };
}

/** Hashes the fields sorted by name, without the hash itself, followed by the secret. */
export function hashPragmatic(fields: Readonly<Fields>, secret: string): string {
  const names = Object.keys(fields).sort((a, b) => (a < b ? -1 : 1));
  const text = names.map((name) => `${name}=${fields[name]}`).join('&');
  return createHash('md5').update(`${text}${secret}`).digest('hex');
}

function signed(path: string, fields: Fields, { secret, fault }: Signing): Call {
  const hash = hashPragmatic(fields, fault === 'secret' ? 'nobody-knows-this-one' : secret);
  const sent = fault === 'space' ? { ...fields, userId: `${fields.userId} ` } : fields;
  return {
    path,
    body: new URLSearchParams({ ...sent, hash }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  };
}

/**
 * A small platform wallet for tests, with players, balances, and the rules for duplicate ids, rollbacks and closed rounds that all
 * protocols share. It supports all five protocols and verifies signatures independently.
 */
import { createHash, createHmac, createVerify } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Kind = 'BET' | 'WIN' | 'ROLLBACK' | 'END' | 'READ';
type Act = {
  kind: Kind;
  id: string;
  player: string;
  amount: bigint;
  round: string;
  reference?: string;
  closes: boolean;
};
type Said = { word: Word; balance: bigint };
type Word = 'OK' | 'FUNDS' | 'CONFLICT' | 'NOT_FOUND' | 'CLOSED' | 'ROLLED_BACK' | 'SIGNATURE';
type Wire = { status: number; body: object };
type Protocol = {
  isSigned(path: string, headers: Record<string, unknown>, body: string): boolean;
  read(path: string, body: string): Act[];
  say(said: Said): Wire;
};

const DECIMALS = 18;
export const FUNDS = 1000n * 10n ** 18n;
const amountOf = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'));
};
const units = (count: unknown, decimals: number) =>
  BigInt(String(count)) * 10n ** BigInt(DECIMALS - decimals);
const plain = (amount: bigint) => `${amount / 10n ** 18n}.${String(amount % 10n ** 18n).padStart(18, '0')}`;
const WORDS: Record<string, Record<Word, string>> = {
  G: {
    OK: 'OK',
    FUNDS: 'INSUFFICIENT_FUNDS',
    CONFLICT: 'TRANSACTION_CONFLICT',
    NOT_FOUND: 'TRANSACTION_NOT_FOUND',
    CLOSED: 'ROUND_CLOSED',
    ROLLED_BACK: 'TRANSACTION_CONFLICT',
    SIGNATURE: '',
  },
  H: {
    OK: 'RS_OK',
    FUNDS: 'RS_ERROR_NOT_ENOUGH_MONEY',
    CONFLICT: 'RS_ERROR_DUPLICATE_TRANSACTION',
    NOT_FOUND: 'RS_ERROR_TRANSACTION_DOES_NOT_EXIST',
    CLOSED: 'RS_ERROR_UNKNOWN',
    ROLLED_BACK: 'RS_ERROR_TRANSACTION_ROLLED_BACK',
    SIGNATURE: 'RS_ERROR_INVALID_SIGNATURE',
  },
  S: {
    OK: '200',
    FUNDS: '100',
    CONFLICT: '400',
    NOT_FOUND: '404',
    CLOSED: '400',
    ROLLED_BACK: '200',
    SIGNATURE: '403',
  },
  P: {
    OK: '0',
    FUNDS: '1',
    CONFLICT: '7',
    NOT_FOUND: '120',
    CLOSED: '120',
    ROLLED_BACK: '120',
    SIGNATURE: '5',
  },
};

const ACTIONS: Record<string, Kind> = { bet: 'BET', win: 'WIN', rollback: 'ROLLBACK' };

const GENERIC: Protocol = {
  isSigned(_, headers, body) {
    const [, t, mac] = /^t=(\d+),v1=(\w+)$/.exec(String(headers['x-signature'])) ?? [];
    return createHmac('sha256', 'sandbox-games-secret').update(`${t}.${body}`).digest('hex') === mac;
  },
  read(_, body) {
    const { action, playerId, transactionId, amount, winAmount, roundId, ...more } = JSON.parse(body);
    const { referenceTransactionId, roundClosed } = more;
    const about = { id: transactionId, player: playerId, round: roundId, closes: roundClosed === true };
    if (action === 'BET_WIN')
      return [
        { ...about, kind: 'BET', amount: amountOf(amount), closes: false },
        { ...about, kind: 'WIN', id: `${transactionId}:win`, amount: amountOf(winAmount) },
      ];
    const kind = ['BET', 'WIN', 'ROLLBACK'].includes(action) ? action : 'READ';
    return [{ kind, ...about, amount: amountOf(amount ?? '0'), reference: referenceTransactionId }];
  },
  say: ({ word, balance }) =>
    word === 'SIGNATURE'
      ? { status: 401, body: { code: 'SIGNATURE_INVALID' } }
      : { status: 200, body: { status: WORDS.G![word], balance: plain(balance) } },
};

const hub88Of = (supplierKey: string): Protocol => ({
  isSigned: (_, headers, body) =>
    createVerify('sha256').update(body).verify(supplierKey, String(headers['x-hub88-signature']), 'base64'),
  read(path, body) {
    const input = JSON.parse(body);
    const kind = ACTIONS[path.split('transaction/')[1] ?? ''] ?? 'READ';
    const about = { id: input.transaction_uuid, player: input.user, round: input.round };
    const reference = kind === 'ROLLBACK' ? input.reference_transaction_uuid : undefined;
    return [
      {
        kind,
        ...about,
        amount: units(input.amount ?? 0, 5),
        closes: input.round_closed === true,
        reference,
      },
    ];
  },
  say: ({ word, balance }) => ({
    status: 200,
    body: { status: WORDS.H![word], balance: Number(balance / 10n ** 13n) },
  }),
});

const SOFTSWISS: Protocol = {
  isSigned: (_, headers, body) =>
    createHmac('sha256', 'sandbox-softswiss-token').update(body).digest('hex') === headers['x-request-sign'],
  read(_, body) {
    const { user_id: player, game_id: round, finished, actions = [] } = JSON.parse(body);
    if (actions.length === 0)
      return [
        { kind: finished ? 'END' : 'READ', id: '', player, amount: 0n, round, closes: finished === true },
      ];
    return actions.map((one: Record<string, string>, at: number) => ({
      kind: ACTIONS[one.action!]!,
      id: one.action_id!,
      player,
      amount: units(one.amount ?? 0, 2),
      round,
      reference: one.original_action_id,
      closes: finished === true && at === actions.length - 1,
    }));
  },
  say: ({ word, balance }) => ({
    status: word === 'OK' || word === 'ROLLED_BACK' ? 200 : word === 'SIGNATURE' ? 403 : 412,
    body: { code: Number(WORDS.S![word]), balance: Number(balance / 10n ** 16n) },
  }),
};

const PRAGMATIC: Protocol = {
  isSigned(_, __, body) {
    const { hash, ...fields } = Object.fromEntries(new URLSearchParams(body));
    const names = Object.keys(fields).sort((a, b) => (a < b ? -1 : 1));
    const base = names.map((name) => `${name}=${fields[name]}`).join('&');
    return createHash('md5').update(`${base}sandbox-pragmatic-secret`).digest('hex') === hash;
  },
  read(path, body) {
    const form = Object.fromEntries(new URLSearchParams(body)) as Record<string, string>;
    const kinds: Record<string, Kind> = { bet: 'BET', result: 'WIN', refund: 'ROLLBACK', endRound: 'END' };
    const kind = kinds[/(\w+)\.html$/.exec(path)![1]!] ?? 'READ';
    const id = kind === 'ROLLBACK' ? `refund ${form.reference}` : (form.reference ?? '');
    const about = {
      id,
      player: form.userId ?? '42',
      round: form.roundId ?? '',
      reference: form.reference!,
    };
    return [{ kind, ...about, amount: amountOf(form.amount ?? '0'), closes: kind === 'END' }];
  },
  say: ({ word, balance }) => ({
    status: 200,
    body: { error: Number(WORDS.P![word]), description: word, cash: Number(plain(balance)) },
  }),
};

type State = {
  balances: Map<string, bigint>;
  known: Map<string, { act: Act; word: Word; isUndone: boolean }>;
  rounds: Map<string, 'OPEN' | 'CLOSED'>;
};

function apply(state: State, provider: string, act: Act): Said {
  const { balances, known, rounds } = state;
  const owner = `${provider} ${act.player}`;
  const round = `${owner} ${act.round}`;
  const key = `${provider} ${act.id}`;
  const said = (word: Word): Said => ({ word, balance: balances.get(owner) ?? FUNDS });
  if (act.kind === 'END') rounds.set(round, 'CLOSED');
  if (act.kind === 'READ' || act.kind === 'END') return said('OK');
  const before = known.get(key);
  if (before) return said(repeated(before, act));
  if (act.kind === 'ROLLBACK') {
    takeBack(state, owner, `${provider} ${act.reference}`);
    known.set(key, { act, word: 'OK', isUndone: false });
    return said('OK');
  }
  if (rounds.get(round) === 'CLOSED') return said('CLOSED');
  if (act.kind === 'WIN' && !rounds.has(round)) return said('NOT_FOUND');
  const cash = balances.get(owner) ?? FUNDS;
  const after = act.kind === 'BET' ? cash - act.amount : cash + act.amount;
  const word = after < 0n ? 'FUNDS' : 'OK';
  known.set(key, { act, word, isUndone: false });
  if (word !== 'OK') return said(word);
  balances.set(owner, after);
  rounds.set(round, act.closes ? 'CLOSED' : 'OPEN');
  return said('OK');
}

function repeated({ act, word }: { act: Act; word: Word }, again: Act): Word {
  const isSame = act.amount === again.amount && act.round === again.round && act.kind === again.kind;
  return word === 'ROLLED_BACK' || isSame ? word : 'CONFLICT';
}

/** Rolls back a transaction. If the transaction has not arrived yet, it can never be booked afterwards. */
function takeBack({ balances, known }: State, owner: string, target: string): void {
  const original = known.get(target);
  if (!original) {
    const act: Act = { kind: 'BET', id: '', player: '', amount: 0n, round: '', closes: false };
    known.set(target, { act, word: 'ROLLED_BACK', isUndone: true });
  } else if (!original.isUndone && original.word === 'OK') {
    original.isUndone = true;
    const { kind, amount } = original.act;
    balances.set(owner, (balances.get(owner) ?? FUNDS) + (kind === 'BET' ? amount : -amount));
  }
}

/** `faults` is called for each message. It can end the connection before or after the message is processed, or respond with an error. */
export async function startWallet(
  supplierKey: string,
  faults: () => 'none' | 'before' | 'after' | 'error' = () => 'none',
) {
  const protocols: Readonly<Record<string, Protocol>> = {
    sandbox: GENERIC,
    'sandbox-hub88': hub88Of(supplierKey),
    'sandbox-softswiss': SOFTSWISS,
    'sandbox-pragmatic': PRAGMATIC,
  };
  const state: State = { balances: new Map(), known: new Map(), rounds: new Map() };
  const messages: { path: string; headers: Record<string, unknown>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const { url: path = '', headers } = request;
    messages.push({ path, headers, body });
    const fault = faults();
    if (fault === 'before') return void request.socket.destroy();
    if (fault === 'error') return void response.writeHead(500).end();
    const provider = /\/webhooks\/games\/([\w-]+)/.exec(path)?.[1] ?? '';
    const protocol = protocols[provider]!;
    const said: Said[] = protocol.isSigned(path, headers, body)
      ? protocol.read(path, body).map((act) => apply(state, provider, act))
      : [{ word: 'SIGNATURE', balance: 0n }];
    if (fault === 'after') return void request.socket.destroy();
    const { status, body: answer } = protocol.say(said.find(({ word }) => word !== 'OK') ?? said.at(-1)!);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    balanceOf: (provider: string, player = '42'): bigint =>
      state.balances.get(`${provider} ${player}`) ?? FUNDS,
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

import { expect } from 'vitest';
import { typeOf } from '../../../src/modules/backoffice/accounting/rules.ts';
import type { Kind } from '../../../src/modules/money/ledger/kinds.ts';
import { type Posted, post } from '../../../src/modules/money/ledger/post.ts';
import type { Posting } from '../../../src/modules/money/ledger/rules.ts';
import type { Entry } from '../../../src/modules/money/ledger/write.ts';
import { transaction } from '../../../src/platform/database/db.ts';
import { formatUnits, parseRate, units } from '../../../src/platform/money.ts';
import { betOnDice, type Player, type TestApp } from '../app.ts';

export type Move = [
  kind: string,
  debit: Posting['debit'],
  credit: Posting['credit'],
  amount: string,
  currencyId?: string,
];
type Head = Partial<Entry> & { userId: number; key: string };

/** Posts an entry for one user. */
export async function book(app: TestApp, { userId, ...head }: Head, moves: Move[]): Promise<Posted> {
  const postings = moves.map(
    ([kind, debit, credit, amount, currencyId = 'USDT']): Posting => ({
      userId,
      kind: kind as Kind,
      debit,
      credit,
      currencyId,
      amount: units(amount),
    }),
  );
  const entry = { kind: moves[0]![0], postings, ...head };
  return (await transaction(app.services.db, (tx) => post(tx, [entry])))[0]!;
}

/** Creates every kind of ledger entry, for several players. */
export async function makeHistory(
  app: TestApp,
  players: readonly Player[],
  staff: { id: number },
): Promise<void> {
  const history: [string, Move[], Partial<Entry>?][] = [
    ['deposit:BTC:f00d:1', [['deposit', 'treasury', 'cash', '2', 'BTC']]],
    ['deposit:BTC:f00d:1:claims', [['claim.recovery', 'cash', 'claims', '0.5', 'BTC']]],
    ['vault:1', [['vault.to', 'cash', 'vault', '30']]],
    ['withdrawal:w1:hold:1', [['withdraw.hold', 'cash', 'hold', '40']]],
    [
      'withdrawal:w1:sent:1',
      [
        ['withdraw.sent', 'hold', 'treasury', '39'],
        ['withdraw.fee', 'hold', 'fees', '1'],
      ],
    ],
    [
      'adjustment:1',
      [['admin.adjustment', 'adjustments', 'cash', '5']],
      { actorId: staff.id, memo: 'lost in a draw' },
    ],
    ['rakeback:1', [['rakeback.claim', 'rakeback', 'cash', '0.00000001']]],
    ['skins:s1', [['skins.deposit', 'treasury', 'cash', '7.5', 'EUR']]],
    ['promo:1', [['promo.grant', 'promo', 'bonus', '10']]],
    ['test', [['test.unheard', 'house', 'cash', '1']]],
    ['skins:s1:reversal', [['skins.deposit.reversal', 'cash', 'treasury', '7.5', 'EUR']]],
  ];
  for (const player of players) {
    for (const [key, moves, head = {}] of history)
      await book(app, { ...head, userId: player.id, key: keyFor(key, player, players[0]!) }, moves);
    for (let i = 0; i < 6; i++) expect((await betOnDice(player)).status).toBe(201);
    const toVault = { body: { currencyId: 'USDT', amount: '1' } };
    expect((await player.call('POST', '/accounting/to-vault', toVault)).status).toBe(201);
  }
}

/** Returns the key of an entry for a player. The keys of all players except the first contain the player's id. */
function keyFor(key: string, { id }: Player, first: Player): string {
  if (id === first.id) return key;
  return key.includes(':') ? key.replace(/:(\w+)/, `:$1${id}`) : `${key}${id}`;
}

export type Row = Record<string, any>;

/** Computes the statement in the simplest way: both sides of every posting, newest first. */
export async function everyMovement(app: TestApp): Promise<Row[]> {
  const postings = await app.db.selectFrom('ledger_lines').selectAll().orderBy('id', 'desc').execute();
  const heads = await app.db.selectFrom('ledger_entries').selectAll().execute();
  const names = new Map(
    (await app.db.selectFrom('users').selectAll().execute()).map((u) => [u.id, u.username]),
  );
  const rates = new Map(
    (await app.db.selectFrom('exchange_rates').selectAll().execute()).map((r) => [r.currency_id, r.usd_rate]),
  );
  rates.set('USD', parseRate('1')!);
  const wallets: Record<number, string> = { 1: 'CASH', 2: 'VAULT', 3: 'BONUS', 4: 'HOLD' };
  return postings.flatMap((posting) => {
    const head = heads.find((h) => h.id === posting.entry_id);
    const parts = head ? head.key.split(':') : ['bet', String(posting.entry_id)];
    const length = parts[0] === 'deposit' ? 4 : 2;
    const usd = (posting.amount * rates.get(posting.currency_id)!) / 10n ** 12n;
    const of = (direction: 'IN' | 'OUT', account: number, after: bigint | null) => ({
      id: `${posting.id}-${direction}`,
      type: typeOf(posting.kind),
      direction,
      userId: posting.user_id,
      currencyId: posting.currency_id,
      amount: formatUnits(posting.amount),
      usdAmount: formatUnits(usd),
      balanceBefore: formatUnits(after! + (direction === 'IN' ? -posting.amount : posting.amount)),
      balanceAfter: formatUnits(after!),
      wallet: wallets[account],
      referenceType: parts.length > 1 ? parts[0] : null,
      referenceId: parts.length > 1 ? parts.slice(1, length).join(':') : null,
      actorId: head?.actor_id === posting.user_id ? null : (head?.actor_id ?? null),
      note: head?.memo ?? null,
      createdAt: posting.created_at.toISOString(),
      username: names.get(posting.user_id),
      usd,
    });
    return [
      ...(posting.credit < 100 ? [of('IN', posting.credit, posting.credit_after)] : []),
      ...(posting.debit < 100 ? [of('OUT', posting.debit, posting.debit_after)] : []),
    ];
  });
}
/** Removes the fields that only filters use, because the API does not return them. */
export const shown = (rows: readonly Row[]) => rows.map(({ username: _, usd: __, ...row }) => row);

const SEARCH = '/admin/accounting/transactions';
export const LATEST = { sortBy: 'createdAt', sortOrder: 'desc', page: 1, take: 100 };

/** Returns the rows of all pages of the statement, without their players. */
export async function pagesOf(staff: Player, body: Row, take = 7): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page++) {
    const answer = await staff.call('POST', SEARCH, { body: { ...LATEST, ...body, page, take } });
    expect(answer.status, answer.text).toBe(200);
    if (answer.body.data.length === 0) return rows;
    for (const { user, ...row } of answer.body.data) {
      expect(user.id).toBe(row.userId);
      rows.push(row);
    }
    expect(answer.body).toMatchObject({ page, take, totalPages: Math.ceil(answer.body.total / take) });
  }
}

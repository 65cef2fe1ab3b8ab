import { Amount, Usd, When } from '../../kit/amount.tsx';
import { words } from '../../kit/page.tsx';
import { lastMonth, POSTINGS } from '../drill.ts';
import { listPage } from '../list/list-page.tsx';
import { choice, period, player, type View } from '../list/spec.ts';
import { UserLink } from '../user-link.tsx';
import { useCurrencies } from './choices.ts';

const WALLETS = ['CASH', 'VAULT', 'BONUS', 'HOLD'] as const;
const TYPES = [
  'BET',
  'PAYOUT',
  'BET_ROLLBACK',
  'PAYOUT_ROLLBACK',
  'DEPOSIT',
  'DEPOSIT_REVERSAL',
  'WITHDRAW',
  'WITHDRAW_RETURN',
  'TO_VAULT',
  'FROM_VAULT',
  'PROMO_GRANT',
  'PROMO_CONVERSION',
  'PROMO_FORFEIT',
  'RAKEBACK',
  'LEADERBOARD_PRIZE',
  'CHALLENGE_REWARD',
  'CHALLENGE_ROLLBACK',
  'AFFILIATE_CLAIM',
  'TIP_SENT',
  'TIP_RECEIVED',
  'ADMIN_TIP',
  'ADMIN_DEDUCTION',
  'ADMIN_ADJUSTMENT',
  'CRM_FUNDS',
  'CORRECTION',
] as const;

/** Postings of the last month. Computed on each read, because a tab can stay open for days. */
const ofLastMonth = (name: string, type: keyof typeof POSTINGS): View => ({
  name,
  get query() {
    return { ...POSTINGS[type], ...lastMonth() };
  },
});

/** Every ledger posting of players' money, one per line. */
export const Statement = listPage({
  list: 'ledger',
  title: 'Ledger',
  op: 'POST /admin/accounting/transactions',
  file: 'ledger',
  input: ({ text, number, moment }) => ({
    body: {
      sortBy: text<'createdAt' | 'amount' | 'usdAmount'>('sortBy') ?? 'createdAt',
      sortOrder: text<'asc' | 'desc'>('sortOrder') ?? 'desc',
      where: {
        userId: number('userId'),
        username: text('username'),
        type: text<(typeof TYPES)[number]>('type'),
        direction: text<'IN' | 'OUT'>('direction'),
        wallet: text<(typeof WALLETS)[number]>('wallet'),
        currencyId: text('currencyId'),
        startDate: moment('startDate'),
        endDate: moment('endDate'),
      },
    },
  }),
  keyOf: ({ id }) => id,
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'username', label: 'Username' },
  filters: [
    player(),
    choice('type', 'Type', TYPES),
    period(),
    choice('wallet', 'Wallet', WALLETS),
    choice('direction', 'Direction', ['IN', 'OUT']),
    choice('currencyId', 'Currency', useCurrencies),
  ],
  views: [
    { name: 'All', query: {} },
    ofLastMonth('Deposits last month', 'DEPOSIT'),
    ofLastMonth('Paid out last month', 'WITHDRAW'),
  ],
  columns: [
    {
      name: 'createdAt',
      head: 'Time',
      of: ({ createdAt }) => <When at={createdAt} />,
      sort: 'createdAt',
      isMain: true,
    },
    {
      name: 'userId',
      fields: ['userId', 'user.username'],
      head: 'Player',
      of: ({ userId, user }) => <UserLink of={user ?? { id: userId }} />,
    },
    { name: 'type', head: 'Type', of: ({ type }) => words(type) },
    { name: 'wallet', head: 'Wallet', of: ({ wallet }) => words(wallet) },
    {
      name: 'amount',
      fields: ['direction', 'amount', 'currencyId'],
      head: 'Amount',
      of: (t) => (
        <span className="nowrap">
          {t.direction === 'OUT' ? '−' : '+'}
          <Amount of={t.amount} in={t.currencyId} />
        </span>
      ),
      end: true,
      sort: 'amount',
      isMain: true,
    },
    {
      name: 'usdAmount',
      head: 'Value',
      of: ({ usdAmount }) => <Usd of={usdAmount} />,
      end: true,
      sort: 'usdAmount',
    },
    {
      name: 'balanceBefore',
      head: 'Before',
      of: ({ balanceBefore }) => <Amount of={balanceBefore} />,
      end: true,
    },
    {
      name: 'balanceAfter',
      head: 'After',
      of: ({ balanceAfter }) => <Amount of={balanceAfter} />,
      end: true,
    },
    {
      name: 'referenceId',
      fields: ['referenceType', 'referenceId'],
      head: 'Reference',
      of: (t) => [t.referenceType && words(t.referenceType), t.referenceId].filter(Boolean).join(' '),
    },
    { name: 'note', head: 'Note', of: ({ note }) => note, wide: true },
  ],
  empty: 'Movements of players’ money appear here',
  art: 'no-money',
});

import { type Outbound, Unanswered } from '../../../../../../platform/net/outbound.ts';
import type { ReportedTransaction } from '../../../engine/rules.ts';
import { unitsOfText } from '../amounts/rules.ts';
import { type Currencies, LIST_BYTES, reported } from '../client.ts';
import { type FeedRow, readFeed } from './rules.ts';

const TYPES = new Map(
  Object.entries({
    B: 'BET',
    W: 'WIN',
    R: 'ROLLBACK',
    F: 'FREE_SPIN_WIN',
    P: 'PROMO_WIN',
    J: 'JACKPOT',
    A: 'ADJUSTMENT',
  }),
);
/** Beyond so many requests for one report the feed does not get on. */
const MOST_PAGES = 200;

type Source = { books: Outbound; login: string; password: string; currencies: Currencies };

/** The transactions of a time, read page by page: each says where the next one begins. Throws Unanswered, NotSent. */
export async function readReport(source: Source, from: Date, to: Date): Promise<ReportedTransaction[]> {
  const found = new Map<string, ReportedTransaction>();
  let timepoint = from.getTime();
  for (let page = 0; timepoint < to.getTime(); page++) {
    if (page === MOST_PAGES) throw new Unanswered('has a data feed that does not end');
    const feed = await readPage(source, timepoint);
    for (const row of feed.rows) {
      const one = transactionOf(row, source.currencies);
      if (one.at >= from && one.at < to) found.set(`${one.type} ${one.transactionId}`, one);
    }
    if (feed.rows.length === 0 || feed.timepoint <= timepoint) break;
    timepoint = feed.timepoint;
  }
  return [...found.values()];
}

async function readPage({ books, login, password }: Source, timepoint: number) {
  const query = new URLSearchParams({ login, password, timepoint: String(timepoint) });
  const path = `/DataFeeds/transactions/?${query}`;
  const answer = await books.ask({
    method: 'GET',
    path,
    headers: { accept: 'text/csv' },
    limitBytes: LIST_BYTES,
  });
  const feed = answer.status === 200 ? readFeed(answer.text) : undefined;
  if (!feed) throw new Unanswered(`answered ${answer.status} without a data feed`);
  return feed;
}

function transactionOf(row: FeedRow, currencies: Currencies): ReportedTransaction {
  const { referenceID: id = '', type = '', currency: code = '', timestamp = '', roundStatus } = row;
  const currency = currencies.byCode(code);
  const amount = unitsOfText(row.amount ?? '', { factor: currency?.factor ?? '1', decimals: 2 });
  const at = /^\d{1,15}$/.test(timestamp) ? new Date(Number(timestamp)) : undefined;
  if (!at || !id) throw new Unanswered('reports a transaction without its time or reference');
  const isRefund = type === 'R';
  return {
    // As the wallet keeps it: a refund's reference is that of its bet.
    transactionId: isRefund && !id.startsWith('refund:') ? `refund:${row.originalReferenceID || id}` : id,
    type: TYPES.get(type) ?? type,
    playerId: row.extPlayerID ?? '',
    currencyId: currency?.ours ?? code,
    amount: reported(amount, id),
    round: row.roundID || null,
    gameCode: row.gameID || null,
    at,
    state: row.status === 'UNDONE' ? 'UNDONE' : 'DONE',
    isRoundClosed: roundStatus ? roundStatus === 'CLOSED' : null,
    reference: row.originalReferenceID || null,
    // The feed does not tell bets of free rounds from others.
    isFree: null,
  };
}

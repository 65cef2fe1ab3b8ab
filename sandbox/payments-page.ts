import { escapeHtml, hiddenFields, page } from './page.ts';
import type { Books } from './payments-books.ts';

const SHOWN = 50;

/** Returns the page at /payments, with forms to send coins and tables of the books. `problem` is the error of the previous action. */
export function paymentsPage(books: Books, problem?: string): string {
  const { deposits, payouts, totals } = books.read();
  const addresses = books.accounts().toReversed().slice(0, SHOWN);
  return page(
    'Payments',
    `${problem ? `<p id="problem">${escapeHtml(problem)}</p>` : ''}
<h2>Deposit</h2>
${
  addresses.length > 0
    ? `<form method="post" id="coins">
<label>To <select name="to">${addresses.map(option).join('\n')}</select></label>
<label>Amount <input name="amount" value="1" required></label>
<label>Final status <select name="status"><option>COMPLETED</option><option>CONFIRMING</option><option>DETECTED</option></select></label>
<button id="pay" name="do" value="coins">Pay</button>
</form>`
    : '<p id="empty">No address yet: a player asks the platform for one.</p>'
}
<h2>Totals</h2>
${table(
  'totals',
  ['Currency', 'In', 'Out'],
  Object.entries(totals).map(([id, sum]) => [id, sum.in, sum.out].map(escapeHtml)),
)}
<h2>Deposits</h2>
${table(
  'deposits',
  ['Amount', 'Status', 'Transaction', ''],
  newest(deposits).map(({ amount, currencyId, networkId, status, txHash, outputIndex }) => [
    escapeHtml(`${amount} ${currencyId} (${networkId})`),
    escapeHtml(status),
    `<code title="${escapeHtml(txHash)}">${escapeHtml(short(txHash))}</code>`,
    status === 'REVERSED' ? '' : button('reorg', { txHash, outputIndex: String(outputIndex) }, 'Reverse'),
  ]),
)}
<h2>Payouts</h2>
${table(
  'payouts',
  ['Amount', 'To', 'Status', ''],
  newest(payouts).map(({ reference, amount, currencyId, networkId, address, memo, status }) => [
    escapeHtml(`${amount} ${currencyId} (${networkId})`),
    `<code title="${escapeHtml(address)}">${escapeHtml(short(address))}${memo ? ` ${escapeHtml(memo)}` : ''}</code>`,
    escapeHtml(status),
    ['SENT', 'COMPLETED', 'FAILED'].map((to) => button('settle', { reference, status: to }, to)).join(' '),
  ]),
)}
<p><a href="/payments/deliveries">Webhooks</a> · <a href="/payments/books">Books</a> · <a href="/">Sandbox</a></p>`,
  );
}

type Account = ReturnType<Books['accounts']>[number];

/** Returns the HTML option for an address, with the value that the form submits. */
const option = ({ address, memo, currencyId, networkId, reference }: Account) =>
  `<option value="${escapeHtml(JSON.stringify({ address, memo, currencyId, networkId }))}">${escapeHtml(
    `${currencyId} (${networkId}) ${short(address)}${memo ? ` ${memo}` : ''}: ${reference}`,
  )}</option>`;

const newest = <T>(records: readonly T[]): T[] => records.slice(-SHOWN).reverse();
const short = (text: string) => (text.length > 20 ? `${text.slice(0, 8)}…${text.slice(-6)}` : text);

function button(action: string, fields: Record<string, string>, label: string): string {
  return `<form method="post">${hiddenFields(Object.entries(fields))}<button name="do" value="${action}">${label}</button></form>`;
}

/** Returns a table. `rows` contain HTML. */
function table(id: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return `<p id="${id}">None.</p>`;
  return `<table id="${id}">
<tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr>
${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}
</table>`;
}

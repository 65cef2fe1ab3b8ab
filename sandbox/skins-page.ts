import { escapeHtml, page } from './page.ts';

export type Item = { name: string; priceUsd: string };

/** A sale of skins. `reference` is the platform's deposit id. */
export type Trade = {
  reference: string;
  transactionId: string;
  status: string;
  items: readonly Item[];
  usdAmount: string | null;
  request: Record<string, unknown>;
  expiresAt: string;
};

/** Items that every player can sell. */
export const CATALOGUE: readonly Item[] = [
  { name: 'AK-47 | Redline (Field-Tested)', priceUsd: '24.90' },
  { name: 'AWP | Asiimov (Battle-Scarred)', priceUsd: '96.15' },
  { name: '★ Karambit | Doppler (Factory New)', priceUsd: '1180.00' },
  { name: 'Glock-18 | Water Elemental (Minimal Wear)', priceUsd: '7.35' },
  { name: 'Sticker | Crown (Foil)', priceUsd: '0.03' },
];

/** Returns the total price with two decimals. */
export function priceOf(items: readonly Item[]): string {
  const cents = items.reduce((sum, { priceUsd }) => sum + Math.round(Number(priceUsd) * 100), 0);
  return (cents / 100).toFixed(2);
}

/** Returns the page of a trade, with its items and with buttons that advance the trade. */
export function tradePage(trade: Trade, statuses: readonly string[]): string {
  const { status, usdAmount, items, request } = trade;
  const sold = items.map(({ name, priceUsd }) => `<li>${escapeHtml(name)}: $${escapeHtml(priceUsd)}</li>`);
  const choices = CATALOGUE.map(
    ({ name, priceUsd }) =>
      `<label><input type="checkbox" name="item" value="${escapeHtml(name)}"> ${escapeHtml(name)}: $${priceUsd}</label>`,
  );
  const buttons = statuses.map((one) => `<button name="status" value="${one}">${one}</button>`);
  return page(
    'Sell skins',
    `<p>Status: <b id="status">${escapeHtml(status)}</b>${usdAmount === null ? '' : `, $${escapeHtml(usdAmount)}`}.
Goes to <code>${escapeHtml(String(request.tradeLink))}</code>.</p>
<ul>${sold.join('\n')}</ul>
<form method="post" id="items">
${choices.join('\n')}
<button id="sell" name="sell" value="1">Sell</button> <button id="cancel" name="cancel" value="1">Cancel</button>
</form>
<h2>Next status</h2>
<form method="post" id="next">
<label>Risk of this player, 0 to 100 <input name="score" type="number" value="10"></label>
${buttons.join(' ')}
</form>`,
  );
}

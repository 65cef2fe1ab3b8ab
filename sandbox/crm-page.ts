import { escapeHtml, page } from './page.ts';

/** A message from the platform, keyed by its `x-event-id`. */
export type Told = {
  id: string;
  type: string;
  userId: string;
  body: Record<string, unknown>;
  /** Number of times the message was received. */
  times: number;
  receivedAt: string;
};

/** The rule for the CRM's automatic credit. After this number of completed deposits, the CRM credits a player with cash or a promotion. */
export type Rule = { afterDeposits: number; amount: string; currency: string; bonusCode: string | null };

/** A call to the platform and its response. */
export type Call = { path: string; userId: string; status: number; answer: string };

const SHOWN = 100;

type Shown = {
  told: readonly Told[];
  calls: readonly Call[];
  rule: Rule | undefined;
  mode: string;
  modes: readonly string[];
  refused: number;
};

/** Returns the page at /crm: received messages, newest first, and the CRM's calls. */
export function crmPage({ told, calls, rule, mode, modes, refused }: Shown): string {
  const rows = told
    .slice(-SHOWN)
    .toReversed()
    .map(
      ({ id, type, userId, body, times }) =>
        `<tr><td><code>${escapeHtml(id)}</code>${times > 1 ? ` ×${times}` : ''}</td><td>${escapeHtml(type)}</td><td>${escapeHtml(userId)}</td>
<td><code>${escapeHtml(JSON.stringify(body))}</code></td></tr>`,
    );
  const done = calls
    .slice(-SHOWN)
    .toReversed()
    .map(
      ({ path, userId, status, answer }) =>
        `<li>${escapeHtml(path)} for ${escapeHtml(userId)}: ${status} <code>${escapeHtml(answer)}</code></li>`,
    );
  const buttons = modes.map((one) => `<button name="mode" value="${one}">${one}</button>`);
  return page(
    'CRM',
    `<p>Behaviour for events: <b id="mode">${escapeHtml(mode)}</b>. Rejected because of the signature: <b id="refused">${refused}</b>.</p>
<form method="post" id="modes">${buttons.join(' ')}</form>
<p id="rule">${rule ? `After ${rule.afterDeposits} deposits of a player: ${escapeHtml(gift(rule))}.` : 'No rule (POST /crm/rule).'}</p>
<h2>Events</h2>
${
  rows.length > 0
    ? `<table id="events"><tr><th>Id</th><th>Type</th><th>User</th><th>Body</th></tr>\n${rows.join('\n')}\n</table>`
    : '<p id="empty">None yet.</p>'
}
<h2>Credits</h2>
<ul id="calls">${done.join('\n')}</ul>
<p><a href="/">Sandbox</a></p>`,
  );
}

const gift = ({ amount, currency, bonusCode }: Rule) =>
  bonusCode === null ? `${amount} ${currency}` : `promotion ${bonusCode}`;

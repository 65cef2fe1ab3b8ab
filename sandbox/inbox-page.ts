import { escapeHtml, page } from './page.ts';

/** An email as received. `to` and `from` are those of the envelope. Header names are in lower case. */
export type Mail = {
  id: string;
  to: string[];
  from: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
  at: string;
};

/** Returns the page with the list of emails. */
export function inboxPage(mails: readonly Mail[]): string {
  const rows = mails.map(
    ({ id, to, subject, at }) => `<tr>
<td><a href="/inbox/${id}">${escapeHtml(subject || '(no subject)')}</a></td>
<td>${escapeHtml(to.join(', '))}</td>
<td><time>${at.replace('T', ' ').slice(0, 19)}</time></td>
</tr>`,
  );
  const list =
    rows.length > 0
      ? `<table id="mails">
<tr><th>Subject</th><th>To</th><th>Arrived (UTC)</th></tr>
${rows.join('\n')}
</table>`
      : '<p id="empty">No mail yet.</p>';
  return page(
    'Inbox',
    `${list}
<form method="post" action="/inbox/clear"><p><button id="clear">Delete all</button></p></form>
<p><a href="/">Sandbox</a></p>`,
  );
}

/**
 * Returns the page of one email. The email's HTML cannot run scripts. Only its links can navigate the window. The frame has the page's
 * origin, which is harmless without scripts. A frame with another origin would run in its own process, and browsers that are controlled by
 * tests would then click at the wrong position.
 */
export function mailPage({ subject, from, to, at, html, text }: Mail): string {
  return page(
    subject || '(no subject)',
    `<p>From <span id="from">${escapeHtml(from)}</span> to <span id="to">${escapeHtml(to.join(', '))}</span>,
<time>${at}</time></p>
${html && `<h2>HTML</h2>\n<iframe id="html" sandbox="allow-same-origin allow-top-navigation" srcdoc="${escapeHtml(inFrame(html))}"></iframe>`}
<h2>Text</h2>
<pre id="text">${withLinks(text)}</pre>
<p><a href="/inbox">Inbox</a></p>`,
  );
}

/** Links navigate the whole window, regardless of the link target in the email, because a sandboxed frame cannot open another window. */
const inFrame = (html: string) =>
  `<base target="_top">${html.replace(/\starget=("[^"]*"|'[^']*'|\w+)/gi, '')}`;

function withLinks(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/)
    .map((part, index) =>
      index % 2 === 1 ? `<a href="${escapeHtml(part)}">${escapeHtml(part)}</a>` : escapeHtml(part),
    )
    .join('');
}

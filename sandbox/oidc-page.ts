import { escapeHtml, page } from './page.ts';

/** Returns the sign-in form, which requires no password. */
export const loginPage = ({ client_id: client, login_hint: hint }: Record<string, unknown>): string =>
  page(
    'Sign in',
    `<p><b>${escapeHtml(String(client))}</b> requests your identity. The sandbox accepts any input.</p>
<form method="post" id="sign-in-form">
<label>E-mail <input id="email" name="email" type="email" required value="${escapeHtml(String(hint ?? ''))}"></label>
<label><input id="email-verified" name="email_verified" type="checkbox" checked> the e-mail is verified</label>
<label>Display name <input id="name" name="name"></label>
<label>Locale <input id="locale" name="locale" value="en"></label>
<button id="sign-in" name="sign_in" value="1">Sign in</button>
<button id="cancel" name="cancel" value="1" formnovalidate>Cancel</button>
</form>`,
  );

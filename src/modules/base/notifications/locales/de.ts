import { type Facts, moment, type Texts } from './texts.ts';

const LIMITS = { DEPOSIT: 'Einzahlungen', WAGER: 'Einsätze', LOSS: 'Verluste', SESSION: 'Spielzeit' };
const PERIODS = { DAY: 'Tag', WEEK: 'Woche', MONTH: 'Monat' };
const TIERS = {
  BASIC: 'Angaben zur Person',
  IDENTITY: 'Identität',
  ADDRESS: 'Adresse',
  SOURCE_OF_FUNDS: 'Herkunft der Mittel',
};
const limitOf = ({ limit, period }: Pick<Facts['limit.active'], 'limit' | 'period'>) =>
  `${LIMITS[limit]} je ${PERIODS[period]}`;
const amountOf = ({ limit, amount }: { limit: keyof typeof LIMITS; amount: string }) =>
  limit === 'SESSION' ? `${amount} Minuten` : `${amount} USD`;
const money = ({ amount, currencyId }: { amount: string; currencyId: string }) => `${amount} ${currencyId}`;

export const de: Texts = {
  'deposit.completed': {
    title: 'Einzahlung erhalten',
    body: (f) => `${money(f)} wurden Ihrem Guthaben gutgeschrieben.`,
  },
  'deposit.held': {
    title: 'Einzahlung angehalten',
    body: (f) => `Ihre Einzahlung von ${money(f)} wird geprüft.`,
  },
  'deposit.reversed': {
    title: 'Einzahlung zurückgenommen',
    body: (f) => `Ihre Einzahlung von ${money(f)} wurde von ihrer Herkunft zurückgenommen.`,
  },
  'withdraw.sent': {
    title: 'Auszahlung gesendet',
    body: (f) => `${money(f)} sind auf dem Weg zu Ihnen.`,
  },
  'withdraw.completed': {
    title: 'Auszahlung abgeschlossen',
    body: (f) => `${money(f)} sind angekommen.`,
  },
  'withdraw.rejected': {
    title: 'Auszahlung abgelehnt',
    body: (f) =>
      `Ihre Auszahlung von ${money(f)} wurde abgelehnt und ist wieder in Ihrem Guthaben: ${f.reason}`,
  },
  'withdraw.failed': {
    title: 'Auszahlung fehlgeschlagen',
    body: (f) =>
      `Ihre Auszahlung von ${money(f)} konnte nicht ausgeführt werden und ist wieder in Ihrem Guthaben.`,
  },
  'kyc.approved': { title: 'Prüfung bestanden', body: (f) => `Bestätigt: ${TIERS[f.tier]}.` },
  'kyc.rejected': { title: 'Prüfung nicht bestanden', body: (f) => `Nicht anerkannt: ${TIERS[f.tier]}.` },
  'kyc.resubmit': {
    title: 'Prüfung: bitte noch einmal',
    body: (f) => `Wir brauchen Ihre Unterlagen noch einmal: ${TIERS[f.tier]}.`,
  },
  'kyc.expired': {
    title: 'Prüfung abgelaufen',
    body: (f) => `Eine Unterlage ist zu alt. Bitte zeigen Sie eine neue: ${TIERS[f.tier]}.`,
  },
  'security.new-device': {
    title: 'Ein neues Gerät hat sich angemeldet',
    body: 'Ihr Konto wurde auf einem Gerät benutzt, das wir noch nicht kannten. Falls Sie es nicht waren, ändern Sie sofort Ihr Passwort.',
  },
  'security.sign-in-failures': {
    title: 'Jemand kennt vielleicht Ihr Passwort',
    body: 'Das richtige Passwort wurde dreimal eingegeben, der zweite Faktor nie. Falls Sie es nicht waren, ändern Sie Ihr Passwort.',
  },
  'security.password-changed': {
    title: 'Passwort geändert',
    body: 'Das Passwort Ihres Kontos wurde geändert. Falls Sie es nicht waren, schreiben Sie sofort unserem Kundendienst.',
  },
  'security.mfa-enabled': {
    title: 'Zwei-Faktor-Anmeldung eingeschaltet',
    body: 'Ihr Konto ist jetzt durch einen zweiten Faktor geschützt.',
  },
  'security.mfa-disabled': {
    title: 'Zwei-Faktor-Anmeldung ausgeschaltet',
    body: 'Ihr Konto ist nicht mehr durch einen zweiten Faktor geschützt.',
  },
  'security.mfa-reset': {
    title: 'Zwei-Faktor-Anmeldung zurückgesetzt',
    body: 'Der zweite Faktor Ihres Kontos wurde entfernt. Richten Sie einen neuen ein.',
  },
  'security.mfa-recovery-code-used': {
    title: 'Ein Wiederherstellungscode wurde benutzt',
    body: 'Einer Ihrer Wiederherstellungscodes hat den zweiten Faktor ersetzt. Jeder Code gilt einmal.',
  },
  'limit.active': { title: 'Limit in Kraft', body: (f) => `Ihr Limit für ${limitOf(f)}: ${amountOf(f)}.` },
  'limit.removed': {
    title: 'Limit aufgehoben',
    body: (f) => `Ihr Limit für ${limitOf(f)} wurde aufgehoben.`,
  },
  'limit.waiting': {
    title: 'Änderung eines Limits gewünscht',
    body: (f) =>
      `Ihr Limit für ${limitOf(f)} bleibt, wie es ist, bis Sie die Änderung bestätigen: ab ${moment(f.confirmableFrom)}.`,
  },
  'exclusion.started': {
    title: 'Sie sind vom Spiel ausgeschlossen',
    body: (f) => `Bis ${moment(f.expiresAt)}. Ihr Geld können Sie jederzeit auszahlen.`,
  },
  'exclusion.ended': {
    title: 'Ihr Ausschluss ist zu Ende',
    body: 'Ihr Konto ist wieder für das Spiel offen.',
  },
};

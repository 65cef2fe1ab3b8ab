import type { Texts } from './texts.ts';

const hours = (n: number) => (n === 1 ? '1 Stunde' : `${n} Stunden`);
const minutes = (n: number) => (n === 1 ? '1 Minute' : `${n} Minuten`);

export const de: Texts = {
  labels: {
    at: 'Zeit',
    passkey: 'Passkey',
    address: 'Neue Adresse',
    device: 'Gerät',
    browser: 'Browser',
    os: 'System',
    country: 'Land',
    ip: 'IP-Adresse',
    game: 'Spiel',
    bets: 'Wetten',
    actual: 'Auszahlungsquote',
    band: '95-%-Band',
    rounds: 'Runden',
    chance: 'Wahrscheinlichkeit',
  },
  orCopy: 'Falls die Schaltfläche nicht funktioniert, kopieren Sie diese Adresse in Ihren Browser:',
  automatic:
    'Diese Nachricht wurde automatisch verschickt. Wir fragen nie per E-Mail nach Ihrem Passwort oder Ihren Codes.',
  mails: {
    'verify-email': {
      subject: ({ brand }) => `Bestätigen Sie Ihre E-Mail-Adresse für ${brand}`,
      preview: 'Ein Klick, und Ihre Adresse ist bestätigt.',
      title: 'Bestätigen Sie Ihre E-Mail-Adresse',
      body: ({ brand }) =>
        `Bitte bestätigen Sie, dass diese Adresse Ihnen und zu Ihrem Konto bei ${brand} gehört.`,
      button: 'Adresse bestätigen',
      expiry: (f) => `Der Link gilt einmal und ${hours(f.hours)} lang.`,
      notYou:
        'Falls Sie das nicht angefordert haben, beachten Sie diese Nachricht nicht: Ohne den Link geschieht nichts.',
      why: ({ brand }) =>
        `Sie erhalten diese Nachricht, weil diese Adresse bei einem Konto von ${brand} angegeben wurde.`,
    },
    'reset-password': {
      subject: ({ brand }) => `Setzen Sie Ihr Passwort für ${brand} zurück`,
      preview: 'Hier ist der Link für ein neues Passwort.',
      title: 'Wählen Sie ein neues Passwort',
      body: ({ brand }) =>
        `Jemand möchte das Passwort Ihres Kontos bei ${brand} zurücksetzen. Falls Sie es waren, geht es hier weiter.`,
      button: 'Neues Passwort wählen',
      expiry: (f) => `Der Link gilt einmal und ${minutes(f.minutes)} lang.`,
      notYou:
        'Falls Sie es nicht waren, beachten Sie diese Nachricht nicht: Ihr Passwort bleibt, wie es ist. Geben Sie den Link niemandem.',
      why: ({ brand }) =>
        `Sie erhalten diese Nachricht, weil für Ihr Konto bei ${brand} ein neues Passwort angefordert wurde.`,
    },
    'new-device': {
      subject: ({ brand }) => `Neue Anmeldung bei Ihrem Konto von ${brand}`,
      preview: 'Ihr Konto wurde auf einem Gerät benutzt, das wir noch nicht kannten.',
      title: 'Ein neues Gerät hat sich angemeldet',
      body: 'Ihr Konto wurde auf einem Gerät benutzt, das wir noch nicht kannten. Falls Sie es waren, ist nichts zu tun.',
      notYou:
        'Falls Sie es nicht waren: Ändern Sie sofort Ihr Passwort, beenden Sie in den Einstellungen die anderen Sitzungen und schalten Sie die Zwei-Faktor-Anmeldung ein.',
      why: ({ brand }) =>
        `Sie erhalten diese Nachricht, weil wir jedes neue Gerät an Ihrem Konto bei ${brand} melden.`,
    },
    'mfa-changed': {
      subject: ({ brand, change }) => `${MFA_TITLE[change]} – ${brand}`,
      preview: 'Der Schutz Ihres Kontos hat sich geändert.',
      title: ({ change }) => MFA_TITLE[change],
      body: ({ change }) => MFA_BODY[change],
      notYou:
        'Falls Sie es nicht waren: Setzen Sie sofort Ihr Passwort zurück, beenden Sie in den Einstellungen die anderen Sitzungen und schreiben Sie unserem Kundendienst.',
      why: ({ brand }) =>
        `Sie erhalten diese Nachricht, weil wir jede Änderung am Schutz Ihres Kontos bei ${brand} melden.`,
    },
    'email-change-old': {
      subject: ({ brand }) => `Erlauben Sie die Änderung Ihrer E-Mail-Adresse bei ${brand}`,
      preview: 'Ihr Konto soll eine andere Adresse bekommen. Ohne Sie ändert sich nichts.',
      title: 'Erlauben Sie die Änderung Ihrer Adresse',
      body: ({ brand }) =>
        `Jemand, der das Passwort Ihres Kontos bei ${brand} kennt, möchte ihm statt dieser Adresse eine andere geben. Falls Sie es waren, erlauben Sie es hier und folgen Sie dem Link, den wir an die neue Adresse geschickt haben.`,
      button: 'Änderung erlauben',
      expiry: (f) =>
        `Der Link gilt ${hours(f.hours)} lang. Die Adresse ändert sich, sobald beide bestätigt sind.`,
      notYou:
        'Falls Sie es nicht waren: Folgen Sie dem Link nicht, setzen Sie sofort Ihr Passwort zurück, was auch die Änderung aufhält, und schreiben Sie unserem Kundendienst.',
      why: ({ brand }) =>
        `Sie erhalten diese Nachricht, weil dies die Adresse eines Kontos bei ${brand} ist.`,
    },
    'email-change-new': {
      subject: ({ brand }) => `Bestätigen Sie Ihre neue E-Mail-Adresse für ${brand}`,
      preview: 'Ein Klick, und diese Adresse ist bestätigt.',
      title: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
      body: ({ brand }) =>
        `Bitte bestätigen Sie, dass diese Adresse die Ihres Kontos bei ${brand} werden soll.`,
      button: 'Adresse bestätigen',
      expiry: (f) => `Der Link gilt ${hours(f.hours)} lang.`,
      notYou:
        'Falls Sie das nicht verlangt haben, ignorieren Sie diese Nachricht: Ohne den Link geschieht nichts.',
      why: ({ brand }) =>
        `Sie erhalten diese Nachricht, weil ein Konto bei ${brand} diese Adresse angegeben hat.`,
    },
    'email-changed': {
      subject: ({ brand }) => `Ihre E-Mail-Adresse bei ${brand} wurde geändert`,
      preview: 'Die Adresse Ihres Kontos wurde geändert.',
      title: 'Ihre E-Mail-Adresse wurde geändert',
      body: 'Ihr Konto hat von nun an eine andere E-Mail-Adresse. Falls Sie es waren, ist nichts zu tun.',
      notYou: 'Falls Sie es nicht waren, schreiben Sie sofort unserem Kundendienst.',
      why: ({ brand }) =>
        `Sie erhalten diese Nachricht, weil wir jede Änderung am Schutz Ihres Kontos bei ${brand} melden.`,
    },
    'already-registered': {
      subject: ({ brand }) => `Sie haben schon ein Konto bei ${brand}`,
      preview: 'Jemand wollte Ihre Adresse für ein Konto verwenden.',
      title: 'Sie haben schon ein Konto',
      body: ({ brand }) =>
        `Jemand wollte Ihre E-Mail-Adresse für ein Konto bei ${brand} verwenden. Sie haben schon eines: Melden Sie sich damit an.`,
      signIn: 'Anmelden',
      forgot: 'Sie wissen Ihr Passwort nicht mehr?',
      reset: 'Neues Passwort wählen',
      notYou: 'Falls Sie es nicht waren, ist nichts zu tun: Kein anderes Konto hat Ihre Adresse.',
      why: ({ brand }) =>
        `Sie erhalten diese Nachricht, weil diese Adresse zu einem Konto bei ${brand} gehört.`,
    },
    'password-changed': {
      subject: ({ brand }) => `Ihr Passwort bei ${brand} wurde geändert`,
      preview: 'Das Passwort Ihres Kontos wurde geändert.',
      title: 'Ihr Passwort wurde geändert',
      body: 'Das Passwort Ihres Kontos wurde geändert. Falls Sie es waren, ist nichts zu tun.',
      notYou:
        'Falls Sie es nicht waren: Setzen Sie sofort Ihr Passwort zurück und schreiben Sie unserem Kundendienst.',
      why: ({ brand }) =>
        `Sie erhalten diese Nachricht, weil wir jede Änderung am Schutz Ihres Kontos bei ${brand} melden.`,
    },
    'sign-in-failures': {
      subject: ({ brand }) => `Jemand kennt Ihr Passwort bei ${brand}`,
      preview: 'Dreimal wurde das richtige Passwort eingegeben, aber nicht der zweite Faktor.',
      title: 'Jemand kennt vielleicht Ihr Passwort',
      body: 'Dreimal wurde das richtige Passwort Ihres Kontos eingegeben, aber nie der zweite Faktor. Niemand kam hinein. Falls Sie es waren, ist nichts zu tun.',
      button: 'Neues Passwort wählen',
      notYou:
        'Falls Sie es nicht waren, kennt jemand Ihr Passwort: Wählen Sie ein neues, hier und überall sonst, wo Sie es benutzen.',
      why: ({ brand }) =>
        `Sie erhalten diese Nachricht, weil wir verdächtige Anmeldungen bei Ihrem Konto von ${brand} melden.`,
    },
    'return-alert': {
      subject: ({ brand, game }) => `${brand}: Die Auszahlungsquote von ${game} stimmt nicht`,
      preview: 'Die Auszahlungsquote eines Spiels liegt außerhalb dessen, was die Theorie zulässt.',
      title: 'Ein Spiel zahlt anders aus, als es sollte',
      body: ({ game }) =>
        `Die Wetten auf ${game} wurden mit einer Auszahlungsquote abgerechnet, die sich durch Zufall kaum erklären lässt. Das Fenster endet zur unten genannten Zeit.`,
      next: 'Sehen Sie sich die Quoten des Spiels an, rechnen Sie seine Wetten mit dem Befehl reconcile nach und halten Sie es im Zweifel mit seinem Notschalter an.',
      why: ({ brand }) => `Sie erhalten diese Nachricht, weil diese Adresse Warnungen von ${brand} erhält.`,
    },
    'uniformity-alert': {
      subject: ({ brand, game }) => `${brand}: Die Ergebnisse von ${game} sind ungleich verteilt`,
      preview: 'Zwei Prüfungen in Folge ergaben, dass manche Ergebnisse eines Spiels zu häufig sind.',
      title: 'Die Ergebnisse eines Spiels sind ungleich verteilt',
      body: ({ game }) =>
        `Alle Ergebnisse von ${game} sollten gleich wahrscheinlich sein. Zwei Prüfungen in Folge fanden Häufigkeiten, die der Zufall in weniger als einer von hundert Prüfungen hervorbringt. Die Runden wurden vor der unten genannten Zeit gespielt.`,
      next: 'Rechnen Sie die Wetten des Spiels mit dem Befehl reconcile nach, prüfen Sie, woher seine Seeds kommen, und halten Sie es im Zweifel mit seinem Notschalter an.',
      why: ({ brand }) => `Sie erhalten diese Nachricht, weil diese Adresse Warnungen von ${brand} erhält.`,
    },
  },
};

const MFA_TITLE = {
  enabled: 'Zwei-Faktor-Anmeldung eingeschaltet',
  disabled: 'Zwei-Faktor-Anmeldung ausgeschaltet',
  reset: 'Zwei-Faktor-Anmeldung zurückgesetzt',
  'recovery-code-used': 'Ein Wiederherstellungscode wurde benutzt',
  'passkey-added': 'Ein Passkey wurde hinzugefügt',
  'passkey-removed': 'Ein Passkey wurde entfernt',
  'passkey-copied': 'Ein Passkey wurde vielleicht kopiert',
};
const MFA_BODY = {
  enabled:
    'Ihr Konto ist jetzt durch einen zweiten Faktor geschützt. Bewahren Sie Ihre Wiederherstellungscodes sicher auf.',
  disabled: 'Ihr Konto ist nicht mehr durch einen zweiten Faktor geschützt: Das Passwort allein öffnet es.',
  reset: 'Der zweite Faktor Ihres Kontos wurde entfernt. Richten Sie in den Einstellungen einen neuen ein.',
  'recovery-code-used':
    'Einer Ihrer Wiederherstellungscodes wurde anstelle des zweiten Faktors benutzt. Jeder Code gilt einmal.',
  'passkey-added':
    'Ihrem Konto wurde ein Passkey hinzugefügt. Er meldet für sich allein an, und nach dem Passwort wird nach ihm gefragt. Bewahren Sie Ihre Wiederherstellungscodes sicher auf.',
  'passkey-removed': 'Ein Passkey Ihres Kontos wurde entfernt. Er meldet nicht mehr an.',
  'passkey-copied':
    'Einer Ihrer Passkeys wurde auf eine Weise benutzt, die zeigt, dass es eine Kopie von ihm gibt. Wir haben ihn abgewiesen. Entfernen Sie diesen Passkey in den Einstellungen und fügen Sie einen neuen hinzu.',
};

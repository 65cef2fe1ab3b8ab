import { message, messages } from '../../base/notifications/notify.ts';

export const authMessages = messages({
  'security.new-device': message<{
    device: string | null;
    browser: string | null;
    os: string | null;
    country: string | null;
  }>('SECURITY', {
    en: {
      title: 'A new device signed in',
      body: 'Someone signed in to your account on a device that we have not seen before. If it was not you, change your password immediately.',
    },
    de: {
      title: 'Ein neues Gerät hat sich angemeldet',
      body: 'Ihr Konto wurde auf einem Gerät benutzt, das wir noch nicht kannten. Falls Sie es nicht waren, ändern Sie sofort Ihr Passwort.',
    },
    es: {
      title: 'Un dispositivo nuevo inició sesión',
      body: 'Su cuenta se usó en un dispositivo que no conocíamos. Si no fue usted, cambie su contraseña de inmediato.',
    },
  }),
  'security.sign-in-failures': message('SECURITY', {
    en: {
      title: 'Someone may know your password',
      body: 'The correct password was entered three times without the second factor. If it was not you, change your password.',
    },
    de: {
      title: 'Jemand kennt vielleicht Ihr Passwort',
      body: 'Das richtige Passwort wurde dreimal eingegeben, der zweite Faktor nie. Falls Sie es nicht waren, ändern Sie Ihr Passwort.',
    },
    es: {
      title: 'Es posible que alguien conozca su contraseña',
      body: 'Se introdujo tres veces la contraseña correcta, pero nunca el segundo factor. Si no fue usted, cambie su contraseña.',
    },
  }),
  'security.password-changed': message('SECURITY', {
    en: {
      title: 'Password changed',
      body: 'The password of your account was changed. If it was not you, contact our support immediately.',
    },
    de: {
      title: 'Passwort geändert',
      body: 'Das Passwort Ihres Kontos wurde geändert. Falls Sie es nicht waren, schreiben Sie sofort unserem Kundendienst.',
    },
    es: {
      title: 'Contraseña cambiada',
      body: 'Se cambió la contraseña de su cuenta. Si no fue usted, escriba de inmediato a nuestro servicio de ayuda.',
    },
  }),
  'security.mfa-enabled': message('SECURITY', {
    en: {
      title: 'Two-factor authentication turned on',
      body: 'Your account is now protected by a second factor.',
    },
    de: {
      title: 'Zwei-Faktor-Anmeldung eingeschaltet',
      body: 'Ihr Konto ist jetzt durch einen zweiten Faktor geschützt.',
    },
    es: {
      title: 'Verificación en dos pasos activada',
      body: 'Su cuenta está ahora protegida por un segundo factor.',
    },
  }),
  'security.mfa-disabled': message('SECURITY', {
    en: {
      title: 'Two-factor authentication turned off',
      body: 'Your account is no longer protected by a second factor.',
    },
    de: {
      title: 'Zwei-Faktor-Anmeldung ausgeschaltet',
      body: 'Ihr Konto ist nicht mehr durch einen zweiten Faktor geschützt.',
    },
    es: {
      title: 'Verificación en dos pasos desactivada',
      body: 'Su cuenta ya no está protegida por un segundo factor.',
    },
  }),
  'security.mfa-reset': message('SECURITY', {
    en: {
      title: 'Two-factor authentication reset',
      body: 'The second factor of your account was removed. Set up a new one.',
    },
    de: {
      title: 'Zwei-Faktor-Anmeldung zurückgesetzt',
      body: 'Der zweite Faktor Ihres Kontos wurde entfernt. Richten Sie einen neuen ein.',
    },
    es: {
      title: 'Verificación en dos pasos restablecida',
      body: 'Se eliminó el segundo factor de su cuenta. Configure uno nuevo.',
    },
  }),
  'security.mfa-recovery-code-used': message('SECURITY', {
    en: {
      title: 'A recovery code was used',
      body: 'A recovery code was used instead of your second factor. Each code works once.',
    },
    de: {
      title: 'Ein Wiederherstellungscode wurde benutzt',
      body: 'Einer Ihrer Wiederherstellungscodes hat den zweiten Faktor ersetzt. Jeder Code gilt einmal.',
    },
    es: {
      title: 'Se usó un código de recuperación',
      body: 'Uno de sus códigos de recuperación sustituyó al segundo factor. Cada código sirve una vez.',
    },
  }),
  'security.passkey-added': message<{ name: string }>('SECURITY', {
    en: {
      title: 'Passkey added',
      body: ({ name }) =>
        `The passkey “${name}” was added to your account. If it was not you, contact our support immediately.`,
    },
    de: {
      title: 'Passkey hinzugefügt',
      body: ({ name }) =>
        `Ihrem Konto wurde der Passkey „${name}“ hinzugefügt. Falls Sie es nicht waren, schreiben Sie sofort unserem Kundendienst.`,
    },
    es: {
      title: 'Llave de acceso añadida',
      body: ({ name }) =>
        `Se añadió la llave de acceso «${name}» a su cuenta. Si no fue usted, escriba de inmediato a nuestro servicio de ayuda.`,
    },
  }),
  'security.passkey-removed': message<{ name: string }>('SECURITY', {
    en: {
      title: 'Passkey removed',
      body: ({ name }) =>
        `The passkey “${name}” was removed from your account and can no longer be used to sign in.`,
    },
    de: {
      title: 'Passkey entfernt',
      body: ({ name }) => `Der Passkey „${name}“ Ihres Kontos wurde entfernt: Er meldet nicht mehr an.`,
    },
    es: {
      title: 'Llave de acceso eliminada',
      body: ({ name }) => `Se eliminó la llave de acceso «${name}» de su cuenta: ya no inicia sesión.`,
    },
  }),
  'security.passkey-copied': message<{ name: string }>('SECURITY', {
    en: {
      title: 'A passkey may have been copied',
      body: ({ name }) =>
        `Your passkey “${name}” seems to have been copied. We rejected the sign-in. Remove this passkey and add a new one.`,
    },
    de: {
      title: 'Ein Passkey wurde vielleicht kopiert',
      body: ({ name }) =>
        `Von Ihrem Passkey „${name}“ gibt es anscheinend eine Kopie. Wir haben ihn abgewiesen. Entfernen Sie ihn und fügen Sie einen neuen hinzu.`,
    },
    es: {
      title: 'Es posible que se haya copiado una llave de acceso',
      body: ({ name }) =>
        `Parece que existe una copia de su llave de acceso «${name}». La rechazamos. Elimine esta llave y añada una nueva.`,
    },
  }),
  'security.email-change-requested': message<{ address: string }>('SECURITY', {
    en: {
      title: 'Email address change requested',
      body: ({ address }) =>
        `A change of your email address to ${address} was requested. If it was not you, cancel the change and choose another password.`,
    },
    de: {
      title: 'Änderung Ihrer E-Mail-Adresse verlangt',
      body: ({ address }) =>
        `Ihr Konto soll die Adresse ${address} bekommen. Falls Sie es nicht waren, brechen Sie die Änderung ab und wählen Sie ein anderes Passwort.`,
    },
    es: {
      title: 'Se pidió cambiar su dirección de correo electrónico',
      body: ({ address }) =>
        `Su cuenta va a tener la dirección ${address}. Si no fue usted, cancele el cambio y elija otra contraseña.`,
    },
  }),
  'security.email-changed': message<{ address: string }>('SECURITY', {
    en: {
      title: 'Email address changed',
      body: ({ address }) =>
        `The email address of your account is now ${address}. If it was not you, contact our support immediately.`,
    },
    de: {
      title: 'E-Mail-Adresse geändert',
      body: ({ address }) =>
        `Die Adresse Ihres Kontos ist jetzt ${address}. Falls Sie es nicht waren, schreiben Sie sofort unserem Kundendienst.`,
    },
    es: {
      title: 'Dirección de correo electrónico cambiada',
      body: ({ address }) =>
        `La dirección de su cuenta es ahora ${address}. Si no fue usted, escriba de inmediato a nuestro servicio de ayuda.`,
    },
  }),
});

import { message } from '../../base/notifications/message.ts';

export const messages = {
  'security.new-device': message<{
    device: string | null;
    browser: string | null;
    os: string | null;
    country: string | null;
  }>('SECURITY', {
    en: {
      title: 'A new device signed in',
      body: 'Your account was used on a device that we have not seen before. If it was not you, change your password at once.',
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
      title: 'Somebody may know your password',
      body: 'The right password was entered three times, but never the second factor. If it was not you, change your password.',
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
      body: 'The password of your account was changed. If it was not you, write to our support at once.',
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
      title: 'Two-factor sign-in switched on',
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
      title: 'Two-factor sign-in switched off',
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
      title: 'Two-factor sign-in was reset',
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
      body: 'One of your recovery codes took the place of your second factor. Each code works once.',
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
};

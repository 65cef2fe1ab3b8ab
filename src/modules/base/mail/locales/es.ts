import type { Texts } from './texts.ts';

const hours = (n: number) => (n === 1 ? '1 hora' : `${n} horas`);
const minutes = (n: number) => (n === 1 ? '1 minuto' : `${n} minutos`);

export const es: Texts = {
  labels: {
    at: 'Hora',
    passkey: 'Llave de acceso',
    address: 'Dirección nueva',
    device: 'Dispositivo',
    browser: 'Navegador',
    os: 'Sistema',
    country: 'País',
    ip: 'Dirección IP',
    game: 'Juego',
    bets: 'Apuestas',
    actual: 'Retorno',
    band: 'Banda del 95 %',
    rounds: 'Rondas',
    chance: 'Probabilidad',
  },
  orCopy: 'Si el botón no funciona, copie esta dirección en su navegador:',
  automatic:
    'Este mensaje se envió automáticamente. Nunca le pedimos su contraseña ni sus códigos por correo.',
  mails: {
    'verify-email': {
      subject: ({ brand }) => `Confirme su correo electrónico para ${brand}`,
      preview: 'Un clic y su dirección queda confirmada.',
      title: 'Confirme su correo electrónico',
      body: ({ brand }) => `Confirme que esta dirección es suya y que pertenece a su cuenta en ${brand}.`,
      button: 'Confirmar dirección',
      expiry: (f) => `El enlace funciona una sola vez, durante ${hours(f.hours)}.`,
      notYou: 'Si usted no lo ha pedido, ignore este mensaje: sin el enlace no ocurre nada.',
      why: ({ brand }) => `Recibe este mensaje porque una cuenta de ${brand} indicó esta dirección.`,
    },
    'reset-password': {
      subject: ({ brand }) => `Restablezca su contraseña de ${brand}`,
      preview: 'Aquí está el enlace para elegir una contraseña nueva.',
      title: 'Elija una contraseña nueva',
      body: ({ brand }) =>
        `Alguien pidió restablecer la contraseña de su cuenta en ${brand}. Si fue usted, continúe aquí.`,
      button: 'Elegir contraseña nueva',
      expiry: (f) => `El enlace funciona una sola vez, durante ${minutes(f.minutes)}.`,
      notYou: 'Si no fue usted, ignore este mensaje: su contraseña no cambia. No dé el enlace a nadie.',
      why: ({ brand }) =>
        `Recibe este mensaje porque se pidió una contraseña nueva para su cuenta en ${brand}.`,
    },
    'new-device': {
      subject: ({ brand }) => `Nuevo acceso a su cuenta de ${brand}`,
      preview: 'Su cuenta se usó en un dispositivo que no conocíamos.',
      title: 'Un dispositivo nuevo ha accedido',
      body: 'Su cuenta se usó en un dispositivo que no conocíamos. Si fue usted, no tiene que hacer nada.',
      notYou:
        'Si no fue usted: cambie su contraseña ahora mismo, cierre las demás sesiones en los ajustes y active la verificación en dos pasos.',
      why: ({ brand }) =>
        `Recibe este mensaje porque avisamos de cada dispositivo nuevo en su cuenta de ${brand}.`,
    },
    'mfa-changed': {
      subject: ({ brand, change }) => `${MFA_TITLE[change]} – ${brand}`,
      preview: 'La protección de su cuenta ha cambiado.',
      title: ({ change }) => MFA_TITLE[change],
      body: ({ change }) => MFA_BODY[change],
      notYou:
        'Si no fue usted: restablezca su contraseña ahora mismo, cierre las demás sesiones en los ajustes y escriba a nuestro servicio de atención.',
      why: ({ brand }) =>
        `Recibe este mensaje porque avisamos de cada cambio en la protección de su cuenta de ${brand}.`,
    },
    'email-change-old': {
      subject: ({ brand }) => `Permita el cambio de su dirección de correo electrónico en ${brand}`,
      preview: 'Su cuenta va a tener otra dirección. Sin usted no cambia nada.',
      title: 'Permita el cambio de su dirección',
      body: ({ brand }) =>
        `Alguien que conoce la contraseña de su cuenta en ${brand} pidió cambiar esta dirección por otra. Si fue usted, permítalo aquí y abra el enlace que enviamos a la dirección nueva.`,
      button: 'Permitir el cambio',
      expiry: (f) =>
        `El enlace funciona durante ${hours(f.hours)}. La dirección cambia cuando ambas están confirmadas.`,
      notYou:
        'Si no fue usted: no abra el enlace, restablezca su contraseña ahora mismo, lo que también detiene el cambio, y escriba a nuestro servicio de atención.',
      why: ({ brand }) => `Recibe este mensaje porque esta es la dirección de una cuenta en ${brand}.`,
    },
    'email-change-new': {
      subject: ({ brand }) => `Confirme su nueva dirección de correo electrónico para ${brand}`,
      preview: 'Un clic, y esta dirección queda confirmada.',
      title: 'Confirme su nueva dirección de correo electrónico',
      body: ({ brand }) => `Confirme que esta dirección va a ser la de su cuenta en ${brand}.`,
      button: 'Confirmar la dirección',
      expiry: (f) => `El enlace funciona durante ${hours(f.hours)}.`,
      notYou: 'Si no lo pidió, ignore este mensaje: sin el enlace no sucede nada.',
      why: ({ brand }) => `Recibe este mensaje porque una cuenta en ${brand} indicó esta dirección.`,
    },
    'email-changed': {
      subject: ({ brand }) => `Se cambió su dirección de correo electrónico en ${brand}`,
      preview: 'Se cambió la dirección de su cuenta.',
      title: 'Se cambió su dirección de correo electrónico',
      body: 'Su cuenta tiene a partir de ahora otra dirección de correo electrónico. Si fue usted, no hay nada que hacer.',
      notYou: 'Si no fue usted, escriba ahora mismo a nuestro servicio de atención.',
      why: ({ brand }) =>
        `Recibe este mensaje porque avisamos de cada cambio en la protección de su cuenta en ${brand}.`,
    },
    'already-registered': {
      subject: ({ brand }) => `Ya tiene una cuenta en ${brand}`,
      preview: 'Alguien quiso usar su dirección para una cuenta.',
      title: 'Ya tiene una cuenta',
      body: ({ brand }) =>
        `Alguien quiso usar su correo electrónico para una cuenta en ${brand}. Usted ya tiene una: acceda con ella.`,
      signIn: 'Acceder',
      forgot: '¿No recuerda su contraseña?',
      reset: 'Elija una nueva',
      notYou: 'Si no fue usted, no tiene que hacer nada: ninguna otra cuenta tiene su dirección.',
      why: ({ brand }) => `Recibe este mensaje porque esta dirección pertenece a una cuenta de ${brand}.`,
    },
    'password-changed': {
      subject: ({ brand }) => `Su contraseña de ${brand} ha cambiado`,
      preview: 'La contraseña de su cuenta ha cambiado.',
      title: 'Su contraseña ha cambiado',
      body: 'La contraseña de su cuenta ha cambiado. Si fue usted, no tiene que hacer nada.',
      notYou:
        'Si no fue usted: restablezca su contraseña ahora mismo y escriba a nuestro servicio de atención.',
      why: ({ brand }) =>
        `Recibe este mensaje porque avisamos de cada cambio en la protección de su cuenta de ${brand}.`,
    },
    'sign-in-failures': {
      subject: ({ brand }) => `Alguien conoce su contraseña de ${brand}`,
      preview: 'La contraseña correcta se introdujo tres veces, pero no el segundo factor.',
      title: 'Puede que alguien conozca su contraseña',
      body: 'La contraseña correcta de su cuenta se introdujo tres veces, pero nunca el segundo factor. Nadie ha entrado. Si fue usted, no tiene que hacer nada.',
      button: 'Elegir contraseña nueva',
      notYou:
        'Si no fue usted, alguien conoce su contraseña: elija una nueva, aquí y en cualquier otro sitio donde la use.',
      why: ({ brand }) =>
        `Recibe este mensaje porque avisamos de accesos sospechosos a su cuenta de ${brand}.`,
    },
    'return-alert': {
      subject: ({ brand, game }) => `${brand}: el retorno de ${game} no es el debido`,
      preview: 'El retorno de un juego queda fuera de lo que permite la teoría.',
      title: 'Un juego no devuelve lo que debería',
      body: ({ game }) =>
        `Las apuestas de ${game} se liquidaron con un retorno que el azar apenas explica. La ventana termina a la hora indicada abajo.`,
      next: 'Revise los retornos del juego, vuelva a jugar sus apuestas con el comando reconcile y, en caso de duda, deténgalo con su interruptor de emergencia.',
      why: ({ brand }) => `Recibe este mensaje porque esta dirección recibe las alertas de ${brand}.`,
    },
    'uniformity-alert': {
      subject: ({ brand, game }) => `${brand}: los resultados de ${game} no son uniformes`,
      preview: 'Dos pruebas seguidas indican que algunos resultados de un juego salen demasiado.',
      title: 'Los resultados de un juego no son uniformes',
      body: ({ game }) =>
        `Todos los resultados de ${game} deberían ser igual de probables. Dos pruebas seguidas hallaron frecuencias que el azar produce en menos de una de cada cien pruebas. Las rondas se jugaron antes de la hora indicada abajo.`,
      next: 'Vuelva a jugar las apuestas del juego con el comando reconcile, revise de dónde vienen sus semillas y, en caso de duda, deténgalo con su interruptor de emergencia.',
      why: ({ brand }) => `Recibe este mensaje porque esta dirección recibe las alertas de ${brand}.`,
    },
  },
};

const MFA_TITLE = {
  enabled: 'Verificación en dos pasos activada',
  disabled: 'Verificación en dos pasos desactivada',
  reset: 'Verificación en dos pasos restablecida',
  'recovery-code-used': 'Se usó un código de recuperación',
  'passkey-added': 'Se añadió una llave de acceso',
  'passkey-removed': 'Se eliminó una llave de acceso',
  'passkey-copied': 'Es posible que se haya copiado una llave de acceso',
};
const MFA_BODY = {
  enabled:
    'Su cuenta está ahora protegida por un segundo factor. Guarde sus códigos de recuperación en un lugar seguro.',
  disabled: 'Su cuenta ya no está protegida por un segundo factor: la contraseña sola la abre.',
  reset: 'Se eliminó el segundo factor de su cuenta. Configure uno nuevo en los ajustes.',
  'recovery-code-used':
    'Se usó uno de sus códigos de recuperación en lugar del segundo factor. Cada código funciona una sola vez.',
  'passkey-added':
    'Se añadió una llave de acceso a su cuenta. Inicia sesión por sí sola y se pide después de la contraseña. Guarde sus códigos de recuperación en un lugar seguro.',
  'passkey-removed': 'Se eliminó una llave de acceso de su cuenta. Ya no inicia sesión.',
  'passkey-copied':
    'Una de sus llaves de acceso se usó de una manera que muestra que existe una copia. La rechazamos. Elimine esta llave en sus ajustes y añada una nueva.',
};

import { type Facts, moment, type Texts } from './texts.ts';

const LIMITS = { DEPOSIT: 'depósitos', WAGER: 'apuestas', LOSS: 'pérdidas', SESSION: 'tiempo de juego' };
const PERIODS = { DAY: 'día', WEEK: 'semana', MONTH: 'mes' };
const TIERS = {
  BASIC: 'datos personales',
  IDENTITY: 'identidad',
  ADDRESS: 'dirección',
  SOURCE_OF_FUNDS: 'origen de los fondos',
};
const limitOf = ({ limit, period }: Pick<Facts['limit.active'], 'limit' | 'period'>) =>
  `${LIMITS[limit]} por ${PERIODS[period]}`;
const amountOf = ({ limit, amount }: { limit: keyof typeof LIMITS; amount: string }) =>
  limit === 'SESSION' ? `${amount} minutos` : `${amount} USD`;
const money = ({ amount, currencyId }: { amount: string; currencyId: string }) => `${amount} ${currencyId}`;

export const es: Texts = {
  'deposit.completed': {
    title: 'Depósito recibido',
    body: (f) => `Se han añadido ${money(f)} a su saldo.`,
  },
  'deposit.held': {
    title: 'Depósito retenido',
    body: (f) => `Estamos revisando su depósito de ${money(f)}.`,
  },
  'deposit.reversed': {
    title: 'Depósito anulado',
    body: (f) => `Su depósito de ${money(f)} fue anulado por su origen.`,
  },
  'withdraw.sent': { title: 'Retiro enviado', body: (f) => `${money(f)} están en camino.` },
  'withdraw.completed': { title: 'Retiro completado', body: (f) => `${money(f)} han llegado.` },
  'withdraw.rejected': {
    title: 'Retiro rechazado',
    body: (f) => `Su retiro de ${money(f)} fue rechazado y está de nuevo en su saldo: ${f.reason}`,
  },
  'withdraw.failed': {
    title: 'Retiro fallido',
    body: (f) => `Su retiro de ${money(f)} no pudo pagarse y está de nuevo en su saldo.`,
  },
  'kyc.approved': { title: 'Verificación aprobada', body: (f) => `Verificado: ${TIERS[f.tier]}.` },
  'kyc.rejected': { title: 'Verificación rechazada', body: (f) => `No aceptado: ${TIERS[f.tier]}.` },
  'kyc.resubmit': {
    title: 'Verificación: inténtelo de nuevo',
    body: (f) => `Necesitamos sus documentos otra vez: ${TIERS[f.tier]}.`,
  },
  'kyc.expired': {
    title: 'Verificación caducada',
    body: (f) => `Un documento es demasiado antiguo. Muestre uno nuevo: ${TIERS[f.tier]}.`,
  },
  'security.new-device': {
    title: 'Un dispositivo nuevo inició sesión',
    body: 'Su cuenta se usó en un dispositivo que no conocíamos. Si no fue usted, cambie su contraseña de inmediato.',
  },
  'security.sign-in-failures': {
    title: 'Es posible que alguien conozca su contraseña',
    body: 'Se introdujo tres veces la contraseña correcta, pero nunca el segundo factor. Si no fue usted, cambie su contraseña.',
  },
  'security.password-changed': {
    title: 'Contraseña cambiada',
    body: 'Se cambió la contraseña de su cuenta. Si no fue usted, escriba de inmediato a nuestro servicio de ayuda.',
  },
  'security.mfa-enabled': {
    title: 'Verificación en dos pasos activada',
    body: 'Su cuenta está ahora protegida por un segundo factor.',
  },
  'security.mfa-disabled': {
    title: 'Verificación en dos pasos desactivada',
    body: 'Su cuenta ya no está protegida por un segundo factor.',
  },
  'security.mfa-reset': {
    title: 'Verificación en dos pasos restablecida',
    body: 'Se eliminó el segundo factor de su cuenta. Configure uno nuevo.',
  },
  'security.mfa-recovery-code-used': {
    title: 'Se usó un código de recuperación',
    body: 'Uno de sus códigos de recuperación sustituyó al segundo factor. Cada código sirve una vez.',
  },
  'limit.active': { title: 'Límite en vigor', body: (f) => `Su límite de ${limitOf(f)}: ${amountOf(f)}.` },
  'limit.removed': { title: 'Límite eliminado', body: (f) => `Se eliminó su límite de ${limitOf(f)}.` },
  'limit.waiting': {
    title: 'Cambio de límite solicitado',
    body: (f) =>
      `Su límite de ${limitOf(f)} sigue igual hasta que confirme el cambio, a partir del ${moment(f.confirmableFrom)}.`,
  },
  'exclusion.started': {
    title: 'Está excluido del juego',
    body: (f) => `Hasta el ${moment(f.expiresAt)}. Puede retirar su dinero en cualquier momento.`,
  },
  'exclusion.ended': {
    title: 'Su exclusión ha terminado',
    body: 'Su cuenta vuelve a estar abierta para jugar.',
  },
};

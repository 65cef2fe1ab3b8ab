import { message, messages } from '../../base/notifications/notify.ts';

/** `amount` is an exact decimal string. */
type Money = { amount: string; currencyId: string };

const money = ({ amount, currencyId }: Money) => `${amount} ${currencyId}`;

export const paymentMessages = messages({
  'deposit.completed': message<Money & { depositId: string }>('DEPOSIT', {
    en: {
      title: 'Deposit received',
      body: (f) => `${money(f)} have been added to your balance.`,
    },
    de: {
      title: 'Einzahlung erhalten',
      body: (f) => `${money(f)} wurden Ihrem Guthaben gutgeschrieben.`,
    },
    es: {
      title: 'Depósito recibido',
      body: (f) => `Se han añadido ${money(f)} a su saldo.`,
    },
  }),
  'deposit.held': message<Money & { depositId: string }>('DEPOSIT', {
    en: {
      title: 'Deposit on hold',
      body: (f) => `We are reviewing your deposit of ${money(f)}.`,
    },
    de: {
      title: 'Einzahlung angehalten',
      body: (f) => `Ihre Einzahlung von ${money(f)} wird geprüft.`,
    },
    es: {
      title: 'Depósito retenido',
      body: (f) => `Estamos revisando su depósito de ${money(f)}.`,
    },
  }),
  'deposit.reversed': message<Money & { depositId: string }>('DEPOSIT', {
    en: {
      title: 'Deposit reversed',
      body: (f) => `Your deposit of ${money(f)} was reversed by its sender or network.`,
    },
    de: {
      title: 'Einzahlung zurückgenommen',
      body: (f) => `Ihre Einzahlung von ${money(f)} wurde von ihrer Herkunft zurückgenommen.`,
    },
    es: {
      title: 'Depósito anulado',
      body: (f) => `Su depósito de ${money(f)} fue anulado por su origen.`,
    },
  }),
  'withdraw.sent': message<Money & { withdrawalId: string }>('WITHDRAW', {
    en: { title: 'Withdrawal sent', body: (f) => `${money(f)} are on their way to you.` },
    de: {
      title: 'Auszahlung gesendet',
      body: (f) => `${money(f)} sind auf dem Weg zu Ihnen.`,
    },
    es: { title: 'Retiro enviado', body: (f) => `${money(f)} están en camino.` },
  }),
  'withdraw.completed': message<Money & { withdrawalId: string }>('WITHDRAW', {
    en: { title: 'Withdrawal completed', body: (f) => `${money(f)} have arrived.` },
    de: {
      title: 'Auszahlung abgeschlossen',
      body: (f) => `${money(f)} sind angekommen.`,
    },
    es: { title: 'Retiro completado', body: (f) => `${money(f)} han llegado.` },
  }),
  'withdraw.rejected': message<Money & { withdrawalId: string; reason: string }>('WITHDRAW', {
    en: {
      title: 'Withdrawal rejected',
      body: (f) => `Your withdrawal of ${money(f)} was rejected and is back in your balance: ${f.reason}`,
    },
    de: {
      title: 'Auszahlung abgelehnt',
      body: (f) =>
        `Ihre Auszahlung von ${money(f)} wurde abgelehnt und ist wieder in Ihrem Guthaben: ${f.reason}`,
    },
    es: {
      title: 'Retiro rechazado',
      body: (f) => `Su retiro de ${money(f)} fue rechazado y está de nuevo en su saldo: ${f.reason}`,
    },
  }),
  'withdraw.failed': message<Money & { withdrawalId: string }>('WITHDRAW', {
    en: {
      title: 'Withdrawal failed',
      body: (f) => `Your withdrawal of ${money(f)} could not be paid out and is back in your balance.`,
    },
    de: {
      title: 'Auszahlung fehlgeschlagen',
      body: (f) =>
        `Ihre Auszahlung von ${money(f)} konnte nicht ausgeführt werden und ist wieder in Ihrem Guthaben.`,
    },
    es: {
      title: 'Retiro fallido',
      body: (f) => `Su retiro de ${money(f)} no pudo pagarse y está de nuevo en su saldo.`,
    },
  }),
});

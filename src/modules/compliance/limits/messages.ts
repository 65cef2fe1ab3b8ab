import type { Language } from '../../base/mail/languages.ts';
import { message, messages, moment } from '../../base/notifications/notify.ts';

type Limit = { limit: 'DEPOSIT' | 'WAGER' | 'LOSS' | 'SESSION'; period: 'DAY' | 'WEEK' | 'MONTH' };

/** US dollars, or minutes for SESSION. */
type LimitAmount = Limit & { amount: string };

const LIMITS = {
  en: { DEPOSIT: 'deposits', WAGER: 'wagers', LOSS: 'losses', SESSION: 'play time' },
  de: { DEPOSIT: 'Einzahlungen', WAGER: 'Einsätze', LOSS: 'Verluste', SESSION: 'Spielzeit' },
  es: { DEPOSIT: 'depósitos', WAGER: 'apuestas', LOSS: 'pérdidas', SESSION: 'tiempo de juego' },
};

const PERIODS = {
  en: { DAY: 'day', WEEK: 'week', MONTH: 'month' },
  de: { DAY: 'Tag', WEEK: 'Woche', MONTH: 'Monat' },
  es: { DAY: 'día', WEEK: 'semana', MONTH: 'mes' },
};

const PER = { en: 'per', de: 'je', es: 'por' };

const MINUTES = { en: 'minutes', de: 'Minuten', es: 'minutos' };

const limitOf = (language: Language, { limit, period }: Limit) =>
  `${LIMITS[language][limit]} ${PER[language]} ${PERIODS[language][period]}`;

const amountOf = (language: Language, { limit, amount }: LimitAmount) =>
  limit === 'SESSION' ? `${amount} ${MINUTES[language]}` : `${amount} USD`;

export const limitMessages = messages({
  'limit.active': message<LimitAmount>('LIMIT', {
    en: { title: 'Limit active', body: (f) => `Your limit on ${limitOf('en', f)}: ${amountOf('en', f)}.` },
    de: { title: 'Limit in Kraft', body: (f) => `Ihr Limit für ${limitOf('de', f)}: ${amountOf('de', f)}.` },
    es: { title: 'Límite en vigor', body: (f) => `Su límite de ${limitOf('es', f)}: ${amountOf('es', f)}.` },
  }),
  'limit.removed': message<Limit>('LIMIT', {
    en: { title: 'Limit removed', body: (f) => `Your limit on ${limitOf('en', f)} was removed.` },
    de: {
      title: 'Limit aufgehoben',
      body: (f) => `Ihr Limit für ${limitOf('de', f)} wurde aufgehoben.`,
    },
    es: { title: 'Límite eliminado', body: (f) => `Se eliminó su límite de ${limitOf('es', f)}.` },
  }),
  'limit.waiting': message<Limit & { amount: string | null; confirmableFrom: string; lapsesAt: string }>(
    'LIMIT',
    {
      en: {
        title: 'Limit change requested',
        body: (f) =>
          `Your limit on ${limitOf('en', f)} stays the same until you confirm the change, which is possible from ${moment(f.confirmableFrom)}.`,
      },
      de: {
        title: 'Änderung eines Limits gewünscht',
        body: (f) =>
          `Ihr Limit für ${limitOf('de', f)} bleibt, wie es ist, bis Sie die Änderung bestätigen: ab ${moment(f.confirmableFrom)}.`,
      },
      es: {
        title: 'Cambio de límite solicitado',
        body: (f) =>
          `Su límite de ${limitOf('es', f)} sigue igual hasta que confirme el cambio, a partir del ${moment(f.confirmableFrom)}.`,
      },
    },
  ),
  'exclusion.started': message<{ expiresAt: string }>('LIMIT', {
    en: {
      title: 'You are excluded from play',
      body: (f) => `Until ${moment(f.expiresAt)}. You can withdraw your money at any time.`,
    },
    de: {
      title: 'Sie sind vom Spiel ausgeschlossen',
      body: (f) => `Bis ${moment(f.expiresAt)}. Ihr Geld können Sie jederzeit auszahlen.`,
    },
    es: {
      title: 'Está excluido del juego',
      body: (f) => `Hasta el ${moment(f.expiresAt)}. Puede retirar su dinero en cualquier momento.`,
    },
  }),
  'exclusion.ended': message('LIMIT', {
    en: { title: 'Your exclusion has ended', body: 'You can play again.' },
    de: {
      title: 'Ihr Ausschluss ist zu Ende',
      body: 'Ihr Konto ist wieder für das Spiel offen.',
    },
    es: {
      title: 'Su exclusión ha terminado',
      body: 'Su cuenta vuelve a estar abierta para jugar.',
    },
  }),
});

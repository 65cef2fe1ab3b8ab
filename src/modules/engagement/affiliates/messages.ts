import { message, messages } from '../../base/notifications/notify.ts';

/** `amount` is an exact decimal string. */
type Claimed = { claimId: string; amount: string; currencyId: string };

export const affiliateMessages = messages({
  'affiliate.claimed': message<Claimed>('AFFILIATE', {
    en: {
      title: 'Commission paid out',
      body: (f) => `${f.amount} ${f.currencyId} of commission have been added to your balance.`,
    },
    de: {
      title: 'Provision ausgezahlt',
      body: (f) => `${f.amount} ${f.currencyId} Provision wurden Ihrem Guthaben gutgeschrieben.`,
    },
    es: {
      title: 'Comisión pagada',
      body: (f) => `Se han añadido ${f.amount} ${f.currencyId} de comisión a su saldo.`,
    },
  }),
  'affiliate.code-deleted': message<{ code: string }>('AFFILIATE', {
    en: {
      title: 'Affiliate code deleted',
      body: (f) =>
        `Your code ${f.code} is no longer valid. Players who signed up with it stay your referrals.`,
    },
    de: {
      title: 'Empfehlungscode gelöscht',
      body: (f) =>
        `Ihr Code ${f.code} gilt nicht mehr. Wer über ihn gekommen ist, bleibt von Ihnen geworben.`,
    },
    es: {
      title: 'Código de afiliado eliminado',
      body: (f) =>
        `Su código ${f.code} ya no es válido. Quienes llegaron con él siguen siendo sus referidos.`,
    },
  }),
});

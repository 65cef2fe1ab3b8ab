import { message, messages } from '../../base/notifications/notify.ts';

type Tier = { tier: 'BASIC' | 'IDENTITY' | 'ADDRESS' | 'SOURCE_OF_FUNDS' };

const TIERS = {
  en: {
    BASIC: 'personal data',
    IDENTITY: 'identity',
    ADDRESS: 'address',
    SOURCE_OF_FUNDS: 'source of funds',
  },
  de: {
    BASIC: 'Angaben zur Person',
    IDENTITY: 'Identität',
    ADDRESS: 'Adresse',
    SOURCE_OF_FUNDS: 'Herkunft der Mittel',
  },
  es: {
    BASIC: 'datos personales',
    IDENTITY: 'identidad',
    ADDRESS: 'dirección',
    SOURCE_OF_FUNDS: 'origen de los fondos',
  },
};

export const kycMessages = messages({
  'kyc.approved': message<Tier>('KYC', {
    en: { title: 'Verification approved', body: (f) => `Verified: ${TIERS.en[f.tier]}.` },
    de: { title: 'Prüfung bestanden', body: (f) => `Bestätigt: ${TIERS.de[f.tier]}.` },
    es: { title: 'Verificación aprobada', body: (f) => `Verificado: ${TIERS.es[f.tier]}.` },
  }),
  'kyc.rejected': message<Tier>('KYC', {
    en: { title: 'Verification rejected', body: (f) => `Not accepted: ${TIERS.en[f.tier]}.` },
    de: { title: 'Prüfung nicht bestanden', body: (f) => `Nicht anerkannt: ${TIERS.de[f.tier]}.` },
    es: { title: 'Verificación rechazada', body: (f) => `No aceptado: ${TIERS.es[f.tier]}.` },
  }),
  'kyc.resubmit': message<Tier>('KYC', {
    en: {
      title: 'Verification: please try again',
      body: (f) => `Please submit your documents again: ${TIERS.en[f.tier]}.`,
    },
    de: {
      title: 'Prüfung: bitte noch einmal',
      body: (f) => `Wir brauchen Ihre Unterlagen noch einmal: ${TIERS.de[f.tier]}.`,
    },
    es: {
      title: 'Verificación: inténtelo de nuevo',
      body: (f) => `Necesitamos sus documentos otra vez: ${TIERS.es[f.tier]}.`,
    },
  }),
  'kyc.expired': message<Tier>('KYC', {
    en: {
      title: 'Verification expired',
      body: (f) => `A document has expired. Please submit a new one: ${TIERS.en[f.tier]}.`,
    },
    de: {
      title: 'Prüfung abgelaufen',
      body: (f) => `Eine Unterlage ist zu alt. Bitte zeigen Sie eine neue: ${TIERS.de[f.tier]}.`,
    },
    es: {
      title: 'Verificación caducada',
      body: (f) => `Un documento es demasiado antiguo. Muestre uno nuevo: ${TIERS.es[f.tier]}.`,
    },
  }),
});

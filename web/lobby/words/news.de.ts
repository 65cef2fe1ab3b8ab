import type { news as en } from './news.en.ts';

export const news: typeof en = {
  title: 'Mitteilungen',
  none: 'Alles gelesen',
  noneHint: 'Hier erscheinen Einzahlungen, Prämien und Sicherheitshinweise.',
  fresh: 'neu',
  see: 'Alle als gelesen markieren',
  allSeen: 'Alle als gelesen markiert',
  delete: 'Alle löschen',
  deleted: 'Mitteilungen gelöscht',
  confirmDelete: 'Alle Mitteilungen löschen?',
  types: {
    SYSTEM: 'System',
    SECURITY: 'Sicherheit',
    DEPOSIT: 'Einzahlung',
    WITHDRAW: 'Auszahlung',
    PROMO: 'Aktion',
    RAKEBACK: 'Rakeback',
    AFFILIATE: 'Freunde einladen',
    TIP: 'Trinkgeld',
    VIP: 'VIP-Club',
    KYC: 'Verifizierung',
    LIMIT: 'Limit',
    LEADERBOARD: 'Rangliste',
    CHALLENGE: 'Challenge',
  },
};

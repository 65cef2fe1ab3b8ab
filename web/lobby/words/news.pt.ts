import type { news as en } from './news.en.ts';

export const news: typeof en = {
  title: 'Notificações',
  none: 'Tudo em dia',
  noneHint: 'Depósitos, recompensas e avisos de segurança aparecem aqui.',
  fresh: 'nova',
  see: 'Marcar tudo como lido',
  allSeen: 'Tudo marcado como lido',
  delete: 'Excluir tudo',
  deleted: 'Notificações excluídas',
  confirmDelete: 'Excluir todas as notificações?',
  types: {
    SYSTEM: 'Sistema',
    SECURITY: 'Segurança',
    DEPOSIT: 'Depósito',
    WITHDRAW: 'Saque',
    PROMO: 'Promoção',
    RAKEBACK: 'Rakeback',
    AFFILIATE: 'Indique um amigo',
    TIP: 'Gorjeta',
    VIP: 'Clube VIP',
    KYC: 'Verificação',
    LIMIT: 'Limite',
    LEADERBOARD: 'Ranking',
    CHALLENGE: 'Desafio',
  },
};

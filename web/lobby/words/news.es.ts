import type { news as en } from './news.en.ts';

export const news: typeof en = {
  title: 'Notificaciones',
  none: 'Está al día',
  noneHint: 'Aquí aparecen depósitos, recompensas y avisos de seguridad.',
  fresh: 'nueva',
  see: 'Marcar todo como leído',
  allSeen: 'Todo marcado como leído',
  delete: 'Eliminar todo',
  deleted: 'Notificaciones eliminadas',
  confirmDelete: '¿Eliminar todas las notificaciones?',
  types: {
    SYSTEM: 'Sistema',
    SECURITY: 'Seguridad',
    DEPOSIT: 'Depósito',
    WITHDRAW: 'Retiro',
    PROMO: 'Promoción',
    RAKEBACK: 'Rakeback',
    AFFILIATE: 'Invitar a un amigo',
    TIP: 'Propina',
    VIP: 'Club VIP',
    KYC: 'Verificación',
    LIMIT: 'Límite',
    LEADERBOARD: 'Clasificación',
    CHALLENGE: 'Desafío',
  },
};

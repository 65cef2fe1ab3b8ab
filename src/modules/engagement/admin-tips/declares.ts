import { errors } from '../../../platform/errors.ts';
import { message } from '../../base/notifications/message.ts';

export const adminTipErrors = errors({
  ADMIN_TIP_LIMIT: [
    403,
    'The amount exceeds your limit per call or per day; see details. Ask a superadmin to make the payment.',
  ],
  TURNOVER_NOT_ENDABLE: [
    409,
    'The player is not self-excluded, or has no open turnover from promotional cash or tips.',
  ],
});

/** `amount`: decimal text. */
type Received = { tipId: string; amount: string; currencyId: string };

const money = ({ amount, currencyId }: Received) => `${amount} ${currencyId}`;

export const declares = {
  about: 'tips from staff to players, and deductions of cash',
  tags: {
    'Admin Tips':
      'Tips that staff give to players, and deductions. Players can list the tips that they received.',
  },
  permissions: {
    'tip.read': 'View the tips and deductions of all staff',
    'tip.pay': 'Give tips to players and deduct their cash',
  },
  messages: {
    'admin-tip.received': message<Received>('TIP', {
      en: { title: 'Tip received', body: (f) => `${money(f)} have been added to your balance as a tip.` },
      de: {
        title: 'Trinkgeld erhalten',
        body: (f) => `${money(f)} Trinkgeld wurden Ihrem Guthaben gutgeschrieben.`,
      },
      es: { title: 'Propina recibida', body: (f) => `Se han añadido ${money(f)} de propina a su saldo.` },
    }),
  },
  kinds: { 'admin.tip': 'ADMIN_TIP', 'admin.deduction': 'ADMIN_DEDUCTION' },
} as const;

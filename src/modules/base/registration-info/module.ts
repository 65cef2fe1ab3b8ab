import { defineModule } from '../../../http/module.ts';
import { getRegistrationInfo } from './get.ts';

export const registrationInfo = defineModule({
  name: 'registration-info',
  tags: {
    'Admin Registration Info': 'How and from where accounts were opened.',
    'Registration Info': 'How and from where accounts were opened.',
  },
  operations: [getRegistrationInfo],
  backoffice: { operations: [getRegistrationInfo], without: '/admin', tag: 'Registration Info' },
});

import { defineModule } from '../../../http/module.ts';
import { getRegistrationInfo } from './get.ts';

export const registrationInfo = defineModule({
  name: 'registration-info',
  operations: [getRegistrationInfo],
  backoffice: { operations: [getRegistrationInfo], without: '/admin', tag: 'Registration Info' },
});

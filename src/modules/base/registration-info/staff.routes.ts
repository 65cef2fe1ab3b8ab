import { route } from '../../../http/route.ts';
import { sightOf } from '../users/service.ts';
import { registrationErrors } from './errors.ts';
import { RegistrationInfo, RegistrationPath } from './schemas.ts';
import type { RegistrationInfos } from './service.ts';

export const registrationInfoStaffRoutes = (infos: RegistrationInfos) => [
  route({
    method: 'GET',
    path: '/admin/registration-info/{userId}',
    tag: 'Admin Registration Info',
    access: 'superadmin',
    summary: 'How and from where a user registered',
    params: RegistrationPath,
    response: RegistrationInfo,
    errors: [registrationErrors.REGISTRATION_INFO_NOT_FOUND],
    handler: ({ params, by }) => infos.get(params.userId, sightOf(by.user)),
  }),
];

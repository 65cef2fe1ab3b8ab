import { errors } from '../../../platform/errors.ts';

export const vipApplicationErrors = errors({
  VIP_APPLICATION_OPEN: [409, 'An application is open already; wait for the decision.'],
  VIP_APPLICATION_NOT_FOUND: [404, 'No such application, or no such image of it.'],
  VIP_APPLICATION_NOT_NEW: [
    409,
    'The application is being looked at or decided: images are taken before that.',
  ],
  VIP_APPLICATION_IMAGES_FULL: [409, 'The application has as many images as it can have.'],
  VIP_APPLICATION_DECIDED: [409, 'The application is decided; see details.status.'],
  VIP_LEVEL_REQUIRED: [400, 'An approval grants a `vipLevel` that is not below the present one.'],
});

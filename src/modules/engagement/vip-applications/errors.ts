import { errors } from '../../../platform/errors.ts';
export const vipApplicationErrors = errors({
  VIP_APPLICATION_OPEN: [409, 'You already have an open application. Wait for the decision.'],
  VIP_APPLICATION_NOT_FOUND: [404, 'Application or image not found.'],
  VIP_APPLICATION_NOT_NEW: [409, 'Images can only be added before the review of the application starts.'],
  VIP_APPLICATION_IMAGES_FULL: [409, 'The application already has the maximum number of images.'],
  VIP_APPLICATION_DECIDED: [409, 'This application has already been decided; see details.status.'],
  VIP_LEVEL_REQUIRED: [400, "An approval needs a `vipLevel` that is not below the player's current level."],
});

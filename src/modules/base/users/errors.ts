import { errors } from '../../../platform/errors.ts';

export const userErrors = errors({
  AUTH_USER_EXISTS: [409, 'This email or username is taken.'],
  USERNAME_RESERVED: [409, 'This username is reserved. Choose another one.'],
  PASSWORD_BREACHED: [
    400,
    'This password appeared in a data breach. Choose another one, and change it wherever you use it.',
  ],
  USER_NOT_FOUND: [404, 'This user does not exist.'],
  STAFF_NAME_FIXED: [
    403,
    "Only a superadmin can change a staff member's username. Use PATCH /admin/user/{id}.",
  ],
  BOT_ACCOUNT: [409, 'This is a bot account. Bots cannot receive money, permissions or API keys.'],
  NOTHING_TO_CHANGE: [400, 'There is nothing to change. Send at least one field or an image.'],
  AVATAR_NOT_UPLOADED: [
    400,
    'Upload the avatar as multipart/form-data in the field `image`; URLs are not accepted.',
  ],
});

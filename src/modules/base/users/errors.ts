import { errors } from '../../../platform/errors.ts';

export const userErrors = errors({
  AUTH_USER_EXISTS: [409, 'This email or username is taken.'],
  USERNAME_RESERVED: [409, 'This username is kept for the house: choose another.'],
  PASSWORD_BREACHED: [
    400,
    'This password is known from a breach of some other site, and others try it: choose another one, and change it wherever you use it.',
  ],
  USER_NOT_FOUND: [404, 'No such user.'],
  STAFF_NAME_FIXED: [
    403,
    'Rights are granted by name: the name of a member of staff is changed by a superadmin only (PATCH /admin/user/{id}).',
  ],
  BOT_ACCOUNT: [
    409,
    'This is the account of a bot, which takes part in nothing: it is given no money, no rights and no key (PATCH /admin/bot-activity/bot-toggle).',
  ],
  NOTHING_TO_CHANGE: [400, 'Send at least one field to change, or an image.'],
  AVATAR_NOT_UPLOADED: [
    400,
    'An avatar is uploaded as multipart/form-data in the field `image`; no address of an image is taken.',
  ],
});

import { route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { userErrors } from './errors.ts';
import type { Users } from './profile.ts';
import { PublicUser, UpdateUser } from './schemas.ts';

export const userRoutes = (users: Users) => [
  route({
    method: 'GET',
    path: '/user/me',
    tag: 'User',
    access: 'auth',
    summary: 'Own profile; also tells whether a session is valid',
    response: PublicUser,
    handler: ({ user }) => users.me(user.id),
  }),
  route({
    method: 'PATCH',
    path: '/user/me',
    tag: 'User',
    access: 'auth',
    gate: 'none',
    summary: 'Changes the own profile; an avatar is uploaded as multipart/form-data',
    multipart: 'image',
    body: UpdateUser,
    response: PublicUser,
    errors: [
      userErrors.NOTHING_TO_CHANGE,
      userErrors.AVATAR_NOT_UPLOADED,
      userErrors.AUTH_USER_EXISTS,
      userErrors.STAFF_NAME_FIXED,
      userErrors.USERNAME_RESERVED,
      commonErrors.IMAGE_INVALID,
    ],
    handler: ({ user, body, file }) => users.update(user.id, body, file),
  }),
];

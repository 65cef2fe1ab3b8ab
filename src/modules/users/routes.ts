import { route } from '../../http/route.ts';
import { PublicUser } from './schemas.ts';
import type { Users } from './service.ts';

export const userRoutes = (users: Users) => [
  route({
    method: 'GET',
    path: '/user/me',
    tag: 'User',
    access: 'auth',
    summary: 'Own profile; also tells whether a session is valid',
    status: 200,
    response: PublicUser,
    handler: ({ user }) => users.me(user.id),
  }),
];

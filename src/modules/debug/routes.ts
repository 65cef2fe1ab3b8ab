import { route } from '../../http/route.ts';
import { AuthSessionTokens } from '../auth/schemas.ts';
import { sessionCookies } from '../auth/service.ts';
import { userErrors } from '../users/errors.ts';
import { UserDto } from '../users/schemas.ts';
import { debugErrors } from './errors.ts';
import { CreateTestUser, GiveAdminQuery, GiveMoneyQuery, LoginPath } from './schemas.ts';
import type { Debug } from './service.ts';

export const debugRoutes = (debug: Debug) => [
  route({
    method: 'GET',
    path: '/debug/me/give-admin',
    tag: 'Debug',
    access: 'auth',
    summary: 'Become SuperAdmin',
    query: GiveAdminQuery,
    status: 200,
    response: UserDto,
    errors: [debugErrors.DEBUG_TOKEN_WRONG],
    handler: ({ user, query }) => debug.giveAdmin(user.id, query.debug_token),
  }),
  route({
    method: 'GET',
    path: '/debug/me/give-money',
    tag: 'Debug',
    access: 'auth',
    summary: 'Receive play money: US dollars, credited in USDT',
    query: GiveMoneyQuery,
    status: 200,
    handler: ({ user, query }) => debug.giveMoney(user.id, query.amount),
  }),
  route({
    method: 'POST',
    path: '/debug/user/create',
    tag: 'Debug',
    access: 'anonymous',
    gate: 'none',
    summary: 'Create a test user',
    body: CreateTestUser,
    status: 201,
    response: UserDto,
    errors: [userErrors.AUTH_USER_EXISTS],
    handler: ({ body }) => debug.createUser(body),
  }),
  route({
    method: 'POST',
    path: '/debug/auth/login/{username}',
    tag: 'Debug',
    access: 'anonymous',
    gate: 'none',
    summary: 'Register or sign in by name alone',
    params: LoginPath,
    status: 201,
    response: AuthSessionTokens,
    handler: async ({ params, ip, userAgent, cookies, setCookie }) => {
      const tokens = await debug.login(params.username, { ip, userAgent, cookie: cookies.access_token });
      for (const cookie of sessionCookies(tokens)) setCookie(cookie);
      return tokens;
    },
  }),
];

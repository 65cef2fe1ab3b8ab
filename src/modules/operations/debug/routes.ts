import { route } from '../../../http/route.ts';
import { brokerErrors } from '../../../platform/broker/broker.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { deviceOf, withCookies } from '../../accounts/auth/cookies.ts';
import { AuthSessionTokens } from '../../accounts/auth/schemas.ts';
import { Notification, SendNotification } from '../../base/notifications/schemas.ts';
import { userErrors } from '../../base/users/errors.ts';
import { UserDto } from '../../base/users/schemas.ts';
import { Deposit } from '../../money/payments/deposits/schemas.ts';
import { paymentErrors } from '../../money/payments/errors.ts';
import { DepositWebhook } from '../../money/payments/providers/schemas.ts';
import { debugErrors } from './errors.ts';
import {
  CreateTestUser,
  DepositUserPath,
  EventMessage,
  ExecuteTestUserAction,
  GatewayReceipt,
  GiveAdminQuery,
  GiveMoneyQuery,
  LoginPath,
  TestUserActionResult,
  TokenHeaders,
} from './schemas.ts';
import type { Debug } from './service.ts';

const tag = 'Debug';
const mine = { method: 'GET', tag, access: 'auth', hasSideEffect: true } as const;
const anybody = { method: 'POST', tag, access: 'anonymous', gate: 'none' } as const;

export const debugRoutes = (debug: Debug) => [
  route({
    ...mine,
    path: '/debug/me/give-admin',
    summary: 'Become SuperAdmin',
    query: GiveAdminQuery,
    response: UserDto,
    errors: [debugErrors.DEBUG_TOKEN_WRONG],
    handler: ({ user, query, ip, requestId }) => debug.giveAdmin({ user, ip, requestId }, query.debug_token),
  }),
  route({
    ...mine,
    path: '/debug/me/give-money',
    summary: 'Receive play money: US dollars, credited in USDT',
    query: GiveMoneyQuery,
    errors: [commonErrors.AMOUNT_OUT_OF_RANGE],
    handler: ({ user, query }) => debug.giveMoney(user.id, query.amount),
  }),
  route({
    ...anybody,
    path: '/debug/user/create',
    summary: 'Create a test user',
    description:
      'With roles or permissions only with the header x-debug-token: the DEBUG_TOKEN of the environment.',
    body: CreateTestUser,
    headers: TokenHeaders,
    response: UserDto,
    errors: [
      debugErrors.DEBUG_TOKEN_WRONG,
      userErrors.AUTH_USER_EXISTS,
      userErrors.USERNAME_RESERVED,
      commonErrors.CURRENCY_NOT_FOUND,
      commonErrors.AMOUNT_OUT_OF_RANGE,
    ],
    handler: ({ body, headers }) => debug.createUser(body, headers['x-debug-token']),
  }),
  route({
    ...anybody,
    path: '/debug/user/action',
    summary: 'Put a test user into a state',
    description:
      '`params`: SET_BALANCE { currencyId, amount }, SET_VIP_LEVEL { level }, SET_KYC_LEVEL { level }, ' +
      'SET_COUNTRY { country }; none for the others.',
    body: ExecuteTestUserAction,
    response: TestUserActionResult,
    errors: [
      userErrors.USER_NOT_FOUND,
      userErrors.BOT_ACCOUNT,
      commonErrors.CURRENCY_NOT_FOUND,
      commonErrors.AMOUNT_OUT_OF_RANGE,
    ],
    handler: ({ body }) => debug.act(body),
  }),
  route({
    ...anybody,
    path: '/debug/notification/send',
    summary: 'Tell a user something',
    body: SendNotification,
    response: Notification,
    errors: [userErrors.USER_NOT_FOUND],
    handler: ({ body }) => debug.sendNotification(body),
  }),
  route({
    ...anybody,
    path: '/debug/deposit/{userId}',
    summary: 'Do what a notice about a deposit says, for this user whatever payAddress says',
    params: DepositUserPath,
    body: DepositWebhook,
    response: Deposit,
    errors: [
      userErrors.USER_NOT_FOUND,
      userErrors.BOT_ACCOUNT,
      paymentErrors.DEPOSIT_NOT_FOUND,
      commonErrors.AMOUNT_OUT_OF_RANGE,
    ],
    handler: ({ params, body }) => debug.deposit(params.userId, body),
  }),
  route({
    ...anybody,
    path: '/debug/deposit/emulate-success/{userId}',
    summary: 'Complete the newest open deposit of a user, or else one of 100 USDT',
    params: DepositUserPath,
    response: Deposit,
    errors: [userErrors.USER_NOT_FOUND, userErrors.BOT_ACCOUNT],
    handler: ({ params }) => debug.completeDeposit(params.userId),
  }),
  route({
    ...anybody,
    path: '/debug/gateway/emit',
    summary: 'Emit an event to sockets',
    body: EventMessage,
    errors: [brokerErrors.BROKER_UNAVAILABLE],
    handler: ({ body }) => debug.emit(body),
  }),
  route({
    ...anybody,
    path: '/debug/gateway/send',
    summary: 'Send an event to sockets and wait for their acknowledgements',
    body: EventMessage,
    response: GatewayReceipt,
    errors: [
      brokerErrors.BROKER_REFUSED,
      brokerErrors.BROKER_NO_RESPONDER,
      brokerErrors.BROKER_TIMEOUT,
      brokerErrors.BROKER_UNAVAILABLE,
    ],
    handler: ({ body }) => debug.send(body),
  }),
  route({
    ...anybody,
    path: '/debug/auth/login/{username}',
    summary: 'Register or sign in by name alone',
    description: 'As staff only with the header x-debug-token: the DEBUG_TOKEN of the environment.',
    params: LoginPath,
    headers: TokenHeaders,
    response: AuthSessionTokens,
    errors: [commonErrors.UNAUTHORIZED, debugErrors.DEBUG_TOKEN_WRONG, userErrors.USERNAME_RESERVED],
    handler: async (context) => {
      const { params, headers } = context;
      const tokens = await debug.login(params.username, deviceOf(context), headers['x-debug-token']);
      return withCookies(context, tokens);
    },
  }),
];

import { z } from 'zod';
import type { Permission } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { object } from '../../../http/schemas.ts';
import type { Db } from '../../../platform/database/db.ts';
import { ShortPrivateUser, UserId, userErrors } from '../../base/users/schemas.ts';
import { getUser, holds, sightOf, toShortPrivateUser, usersById } from '../../base/users/service.ts';
import { isSamePerson, SIGNALS, type Signal, strengthOf } from '../../engagement/persons/rules.ts';
import { connectionsOf } from '../../engagement/persons/signals.ts';

const UserConnection = object('UserConnection', {
  user: ShortPrivateUser,
  signals: z.array(z.enum(SIGNALS)),
  isSamePerson: z.boolean().meta({
    description: 'True if the accounts count as one person for benefits that are given once per person.',
  }),
  isBanned: z.boolean(),
});

const UserConnections = object('UserConnections', {
  connections: z.array(UserConnection),
  total: z.number().int(),
  totalIsExact: z.boolean().meta({
    description:
      'False if an address is shared by more than 1,000 accounts or sessions, or the user had more than 50 addresses. Only that many were read.',
  }),
  hidden: z.array(z.enum(SIGNALS)).meta({
    description: 'The signals that the caller may not see. Accounts that share only these are not listed.',
  }),
});

/** A network may be shared by thousands of accounts. */
const MAX_SHOWN = 50;
/** How much is read: rows for each address, and addresses of the user. */
const LIMITS = { most: 1000, mostAddresses: 50 };

/** The permissions with which staff can see the data behind each signal elsewhere. */
const NEEDED: Readonly<Record<Signal, Permission>> = {
  NETWORK: 'user.pii',
  DEVICE: 'user.pii',
  MAILBOX: 'user.pii',
  PAYOUT_ADDRESS: 'withdraw.read',
  IDENTITY: 'kyc.read',
};

/** Returns false if no signal is left, or only a shared browser. Such a browser would show that there is a hidden signal. */
const isShown = (visible: ReadonlySet<Signal>): boolean => [...visible].some((signal) => signal !== 'DEVICE');

export const listUserConnections = operation({
  method: 'GET',
  path: '/admin/users/{id}/connections',
  tag: 'Admin User',
  access: { permission: 'user.read' },
  summary: 'List accounts that may belong to the same person',
  description:
    'The strongest connections first, at most 50. `NETWORK` is a shared IP address of a session or the sign-up, `DEVICE` a shared ' +
    'browser, which counts only together with another signal, `PAYOUT_ADDRESS` the recipient of a withdrawal, `MAILBOX` an email ' +
    'address with the same mailbox, and `IDENTITY` the same verified person. `NETWORK`, `DEVICE` and `MAILBOX` require the ' +
    'permission `user.pii`, `PAYOUT_ADDRESS` requires `withdraw.read`, and `IDENTITY` requires `kyc.read`.',
  params: z.object({ id: UserId }),
  response: UserConnections,
  errors: [userErrors.USER_NOT_FOUND],
  handler: async ({ reads }: { reads: Db }, { by, params: { id } }) => {
    await getUser(reads, id);
    const hidden = SIGNALS.filter((signal) => !holds(by.user, NEEDED[signal]));
    const { signals: all, isCut } = await connectionsOf(reads, { userId: id, ...LIMITS });
    const found = [...all].flatMap(([userId, signals]) => {
      const visible = new Set([...signals].filter((signal) => !hidden.includes(signal)));
      return isShown(visible) ? [[userId, visible] as const] : [];
    });
    const shown = found
      .sort(([a, one], [b, other]) => strengthOf(other) - strengthOf(one) || b - a)
      .slice(0, MAX_SHOWN);
    const users = await usersById(
      reads,
      shown.map(([userId]) => userId),
    );
    const connections = shown.map(([userId, signals]) => {
      const user = users.get(userId)!;
      return {
        user: toShortPrivateUser(user, sightOf(by.user)),
        signals: [...signals],
        isSamePerson: isSamePerson(signals),
        isBanned: user.banned_at !== null,
      };
    });
    return { connections, total: found.length, totalIsExact: !isCut, hidden };
  },
});

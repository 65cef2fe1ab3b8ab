import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object } from '../../../http/schemas.ts';
import type { Db } from '../../../platform/database/db.ts';
import { ShortPrivateUser, UserId, userErrors } from '../../base/users/schemas.ts';
import { getUser, sightOf, toShortPrivateUser, usersById } from '../../base/users/service.ts';
import { isSamePerson, SIGNALS, strengthOf } from '../../engagement/persons/rules.ts';
import { signalsAmong } from '../../engagement/persons/signals.ts';

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
});

/** A network may be shared by thousands of accounts. */
const MAX_SHOWN = 50;

export const listUserConnections = operation({
  method: 'GET',
  path: '/admin/users/{id}/connections',
  tag: 'Admin User',
  access: { permission: 'user.read' },
  summary: 'List accounts that may belong to the same person',
  description:
    'The strongest connections first, at most 50. `NETWORK` is a shared IP address of a session or the sign-up, `DEVICE` a shared ' +
    'browser, which counts only together with another signal, `PAYOUT_ADDRESS` the recipient of a withdrawal, `MAILBOX` an email ' +
    'address with the same mailbox, and `IDENTITY` the same verified person.',
  params: z.object({ id: UserId }),
  response: UserConnections,
  errors: [userErrors.USER_NOT_FOUND],
  handler: async ({ reads }: { reads: Db }, { by, params: { id } }) => {
    await getUser(reads, id);
    const found = [...(await signalsAmong(reads, id))];
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
    return { connections, total: found.length };
  },
});

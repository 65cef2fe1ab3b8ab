import { defineModule } from '../../../http/module.ts';
import { DAY_SECONDS, purgeJob } from '../../../platform/jobs/purge.ts';
import { createUsers } from './me.ts';
import { getProfile, type UserDeps, updateProfile } from './profile.ts';
import { userEvents } from './schemas.ts';

export const users = defineModule({
  name: 'users',
  tags: {
    User: 'Profiles, settings and statistics. In the backoffice: users, staff, roles and permissions.',
  },
  events: userEvents,
  create: (before: Parameters<typeof createUsers>[0]) => ({ users: createUsers(before) }),
  operations: [getProfile, updateProfile],
  jobs: ({ db, config }: UserDeps) => [
    purgeJob(db, {
      // Makes names available again that players gave up long ago. Former names of staff stay reserved.
      name: 'usernames.purge',
      everyMs: 3_600_000,
      expiries: [
        {
          table: 'freed_usernames',
          after: 'freed_at',
          keepSeconds: config.USERNAMES_KEEP_DAYS * DAY_SECONDS,
          where: 'not is_for_ever',
        },
      ],
    }),
  ],
});

import { defineModule } from '../../../http/module.ts';
import { DAY_SECONDS, purgeJob } from '../../../platform/jobs/purge.ts';
import { getProfile, type UserDeps, updateProfile } from './profile.ts';

export const users = defineModule<UserDeps>({
  name: 'users',
  operations: [getProfile, updateProfile],
  jobs: ({ db, config }) => [
    purgeJob(db, {
      // Releases names that players gave up long ago. Former names of staff stay reserved.
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

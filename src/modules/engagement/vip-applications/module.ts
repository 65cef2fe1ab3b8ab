import { defineModule } from '../../../http/module.ts';
import { overdueOf } from '../../../platform/jobs/purge.ts';
import type { VipApplicationDeps } from './applications.ts';
import { apply, listOwnApplications } from './apply.ts';
import { decideApplication, vipApplicationMessages } from './decide.ts';
import { addImage, deleteImages, getImage, getOwnImage, IMAGES_EXPIRY } from './images.ts';
import { changeApplication, getApplication, listApplications } from './review.ts';

export const vipApplications = defineModule({
  name: 'vip-applications',
  tags: {
    VipApplication: 'Apply for a VIP level with proof of play on another platform.',
    VipApplicationAdmin: 'Review VIP applications and decide on them.',
  },
  messages: vipApplicationMessages,
  operations: [
    apply,
    listOwnApplications,
    addImage,
    getOwnImage,
    listApplications,
    getApplication,
    getImage,
    changeApplication,
    decideApplication,
  ],
  jobs: (deps: VipApplicationDeps) => [
    {
      name: 'vip-applications.images',
      everyMs: 3_600_000,
      run: () => deleteImages(deps),
      overdue: [overdueOf(IMAGES_EXPIRY)],
    },
  ],
});

import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import type { Upload } from '../../../http/route.ts';
import type { Config } from '../../../platform/config.ts';
import { type ApplyDeps, apply, getOwn, type ImageUrl, listOwn } from './apply.ts';
import { addImage, deleteImages, type ImageDeps, readImage } from './images.ts';
import { change, decide, detail, list, type ReviewDeps } from './review.ts';
import type {
  ApplicationChange,
  ApplicationDecision,
  ApplicationQuery,
  VipApplicationRequest,
} from './schemas.ts';

export type VipApplications = ReturnType<typeof createVipApplications>;

type Deps = { config: Config } & Omit<ApplyDeps & ImageDeps & ReviewDeps, 'imageUrl' | 'maxPixels'>;

/** Players who are VIPs elsewhere apply for a level here; staff looks at it and decides. */
export function createVipApplications(given: Deps) {
  const { PUBLIC_API_URL, UPLOAD_LIMIT_PIXELS: maxPixels } = given.config;
  const imageUrl: ImageUrl = (imageId, { isForStaff }) =>
    `${PUBLIC_API_URL}${isForStaff ? '/admin' : ''}/vip-application/image/${imageId}`;
  const deps = { ...given, imageUrl, maxPixels };
  return {
    apply: (userId: number, request: z.output<typeof VipApplicationRequest>) => apply(deps, userId, request),
    own: (userId: number) => listOwn(deps, userId),
    async addImage(userId: number, applicationId: string, file: Upload | undefined) {
      await addImage(deps, { userId, applicationId }, file);
      return getOwn(deps, userId, applicationId);
    },
    ownImage: (userId: number, imageId: string) => readImage(deps, { imageId, userId }),

    list: (by: StaffCall, query: z.output<typeof ApplicationQuery>) => list(deps, by, query),
    detail: (by: StaffCall, id: string) => detail(deps, by, id),
    image: (imageId: string) => readImage(deps, { imageId }),
    change: (by: StaffCall, id: string, to: z.output<typeof ApplicationChange>) =>
      change(deps, by, { id, ...to }),
    decide: (
      by: StaffCall,
      id: string,
      decision: z.output<typeof ApplicationDecision> & { key: string | undefined },
    ) => decide(deps, by, { id, ...decision }),

    /** Deletes images whose time has come. */
    deleteImages: () => deleteImages(deps),
  };
}

import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { Webp } from '../../../http/schemas.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { vipApplicationErrors } from './errors.ts';
import { ApplicationPath, ImagePath, VipApplication, VipApplicationRequest } from './schemas.ts';
import type { VipApplications } from './service.ts';

const tag = 'VipApplication';

export const vipApplicationRoutes = (applications: VipApplications) => [
  route({
    method: 'POST',
    path: '/vip-application',
    tag,
    access: 'auth',
    gate: 'none',
    summary: 'Apply for a VIP level by what was played elsewhere',
    body: VipApplicationRequest,
    response: VipApplication,
    errors: [gateErrors.USER_BANNED, gateErrors.SELF_EXCLUDED, vipApplicationErrors.VIP_APPLICATION_OPEN],
    handler: ({ user, body }) => applications.apply(user.id, body),
  }),
  route({
    method: 'GET',
    path: '/vip-application',
    tag,
    access: 'auth',
    summary: 'The last 50 own applications, newest first',
    response: VipApplication.array(),
    handler: ({ user }) => applications.own(user.id),
  }),
  route({
    method: 'POST',
    path: '/vip-application/{id}/image',
    tag,
    access: 'auth',
    gate: 'none',
    summary: 'Add an image to an application that nobody looks at yet',
    description:
      'Five at most. It is drawn anew, at most 2,000 pixels wide and high, without anything else that the file carried, and deleted 180 days after the decision.',
    multipart: 'image',
    body: z.strictObject({}),
    params: ApplicationPath,
    response: VipApplication,
    errors: [
      commonErrors.IMAGE_INVALID,
      vipApplicationErrors.VIP_APPLICATION_NOT_FOUND,
      vipApplicationErrors.VIP_APPLICATION_NOT_NEW,
      vipApplicationErrors.VIP_APPLICATION_IMAGES_FULL,
    ],
    handler: ({ user, params, file }) => applications.addImage(user.id, params.id, file),
  }),
  route({
    method: 'GET',
    path: '/vip-application/image/{imageId}',
    tag,
    access: 'auth',
    summary: 'An image of an own application',
    params: ImagePath,
    response: Webp,
    errors: [vipApplicationErrors.VIP_APPLICATION_NOT_FOUND],
    handler: ({ user, params }) => applications.ownImage(user.id, params.imageId),
  }),
];

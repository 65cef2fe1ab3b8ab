import { z } from 'zod';
import {
  Decimal,
  line,
  object,
  PageNumber,
  page,
  SortOrder,
  strictObject,
  Timestamp,
  take,
  text,
} from '../../../http/schemas.ts';
import { ShortPrivateUser, UserId, UserNote } from '../../base/users/schemas.ts';
import { UserAdminStats } from '../user-stats/schemas.ts';
import { CONTACT_METHODS, STATUSES } from './rules.ts';

const Status = z.enum(STATUSES);
const ContactMethod = z.enum(CONTACT_METHODS);
const Level = z.number().int().min(0).max(32_767);

// ---------------------------------------------------------------- players

export const VipApplicationRequest = strictObject('VipApplicationRequest', {
  platformName: line(100),
  platformUsername: line(100),
  totalWageredUsd: z
    .string()
    .max(20)
    .regex(/^(0|[1-9]\d{0,9})(\.\d{1,8})?$/, 'needs to be a decimal number such as "12.5"'),
  rank: line(100),
  contactMethod: ContactMethod,
  contactUsername: line(100),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'needs a code of two capital letters such as DE')
    .optional(),
  note: text(2000).optional(),
  howDidYouHear: text(500).optional(),
});

/** What the player has stated. */
const stated = {
  platformName: z.string(),
  platformUsername: z.string(),
  totalWageredUsd: Decimal,
  rank: z.string(),
  contactMethod: ContactMethod,
  contactUsername: z.string(),
  country: z.string().nullable(),
  note: z.string().nullable(),
  howDidYouHear: z.string().nullable(),
};
const Images = z.array(z.string()).meta({
  description: 'Addresses of the images; they open for the player and for staff alone, with a session.',
});

export const VipApplication = object('VipApplication', {
  id: z.string(),
  status: Status,
  ...stated,
  publicComment: z.string().nullable(),
  grantedVipLevel: z.number().nullable(),
  images: Images,
  createdAt: Timestamp,
  decidedAt: Timestamp.nullable(),
});

export const ApplicationPath = z.object({ id: z.uuid() });
export const ImagePath = z.object({ imageId: z.string().regex(/^[\w-]{22}$/) });

// ---------------------------------------------------------------- staff

export const VipApplicationAdmin = object('VipApplicationAdmin', {
  id: z.string(),
  status: Status,
  userId: z.number().int(),
  user: ShortPrivateUser,
  ...stated,
  tag: z.string().nullable(),
  staffNote: z.string().nullable(),
  assignee: ShortPrivateUser.nullable(),
  publicComment: z.string().nullable(),
  reason: z.string().nullable(),
  grantedVipLevel: z.number().nullable(),
  promoGrantId: z.string().nullable(),
  images: Images,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  decidedAt: Timestamp.nullable(),
  userStats: UserAdminStats.optional().meta({ description: 'Of one application; not in lists.' }),
  riskNotes: z
    .array(UserNote)
    .optional()
    .meta({ description: 'The newest notes with a risk level; not in lists.' }),
});
export const VipApplicationAdminPage = page(VipApplicationAdmin);

export const ApplicationQuery = z.strictObject({
  status: Status.optional(),
  search: z.string().min(1).max(50).optional(),
  assigneeId: UserId.optional(),
  sortBy: z.enum(['createdAt', 'updatedAt', 'totalWageredUsd']).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(20),
});

/** An empty text takes one away. */
export const ApplicationChange = z
  .strictObject({
    status: Status.extract(['IN_REVIEW']).optional(),
    tag: text(50).optional(),
    note: text(2000).optional().meta({ description: 'The note of staff, for staff.' }),
    assigneeId: UserId.nullable().optional().meta({ description: 'Null: nobody.' }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'changes nothing');

export const ApplicationDecision = z
  .strictObject({
    approve: z.boolean(),
    reason: text(500)
      .refine((reason) => reason.trim() !== '', 'says why')
      .meta({ description: 'For staff.' }),
    vipLevel: Level.optional().meta({
      description: 'Needed for an approval; never below the present level.',
    }),
    promoId: z
      .string()
      .regex(/^[1-9]\d{0,17}$/, 'needs the id of a promotion')
      .optional(),
    publicComment: text(500).optional().meta({ description: 'For the player.' }),
  })
  .superRefine(({ approve, vipLevel, promoId }, context) => {
    if (approve) return;
    for (const [name, value] of Object.entries({ vipLevel, promoId }))
      if (value !== undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'is for approvals only' });
  });

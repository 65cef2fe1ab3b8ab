import { errors } from '../../../platform/errors.ts';

export const noteErrors = errors({
  NOTE_NOT_FOUND: [404, 'No such note; GET /admin/user-notes lists them.'],
});

import { errors } from '../../../platform/errors.ts';

export const noteErrors = errors({
  NOTE_NOT_FOUND: [404, 'Note not found. GET /admin/user-notes lists all notes.'],
});

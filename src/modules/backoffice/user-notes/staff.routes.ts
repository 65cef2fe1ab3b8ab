import { route } from '../../../http/route.ts';
import { page } from '../../../http/schemas.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { UserNote } from '../../base/users/schemas.ts';
import { sightOf } from '../../base/users/service.ts';
import { noteErrors } from './errors.ts';
import { NewNote, NoteChange, NotePath, NoteQuery } from './schemas.ts';
import type { UserNotes } from './service.ts';

const tag = 'Admin User';
const reading = { method: 'GET', tag, access: { permission: 'note.read' } } as const;
const writing = { tag, access: { permission: 'note.write' }, gate: 'none', response: UserNote } as const;
const changing = {
  ...writing,
  errors: [noteErrors.NOTE_NOT_FOUND, commonErrors.OWN_ACCOUNT],
} as const;

export const userNoteStaffRoutes = (notes: UserNotes) => [
  route({
    ...writing,
    method: 'POST',
    path: '/admin/user-notes',
    summary: 'Write a note about a user',
    body: NewNote,
    errors: [userErrors.USER_NOT_FOUND, commonErrors.OWN_ACCOUNT],
    handler: ({ by, body }) => notes.create(by, body),
  }),
  route({
    ...reading,
    path: '/admin/user-notes',
    summary: 'Notes; the search matches their text and the username, id and e-mail of the user',
    description:
      'The total counts up to 10,000 and pages end there. The search finds parts of texts, usernames and (permission `user.pii`, ' +
      'otherwise whole ones) of e-mail addresses; a search without three letters or digits in a row finds the notes about the first ' +
      '1,000 users whose name begins with it.',
    query: NoteQuery,
    response: page(UserNote),
    handler: ({ query, by }) => notes.list(query, sightOf(by.user)),
  }),
  route({
    ...changing,
    method: 'PATCH',
    path: '/admin/user-notes',
    summary: 'Change a note or its risk level',
    body: NoteChange,
    handler: ({ by, body }) => notes.update(by, body),
  }),
  route({
    ...reading,
    path: '/admin/user-notes/{id}',
    summary: 'One note',
    params: NotePath,
    response: UserNote,
    errors: [noteErrors.NOTE_NOT_FOUND],
    handler: ({ params, by }) => notes.get(params.id, sightOf(by.user)),
  }),
  route({
    ...changing,
    method: 'DELETE',
    path: '/admin/user-notes/{id}',
    summary: 'Delete a note; the audit records what it said',
    params: NotePath,
    handler: ({ by, params }) => notes.remove(by, params.id),
  }),
];

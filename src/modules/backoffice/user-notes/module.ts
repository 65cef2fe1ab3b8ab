import { defineModule } from '../../../http/module.ts';
import { createUserNote, deleteUserNote, getUserNote, listUserNotes, updateUserNote } from './notes.ts';
import { changeTags, listTags } from './tags.ts';

export const userNotes = defineModule({
  name: 'user-notes',
  operations: [
    createUserNote,
    listUserNotes,
    updateUserNote,
    getUserNote,
    deleteUserNote,
    listTags,
    changeTags,
  ],
});

import { defineModule } from '../../../http/module.ts';
import { createUserNote, deleteUserNote, updateUserNote } from './edit.ts';
import { getUserNote, listUserNotes } from './read.ts';

export const userNotes = defineModule({
  name: 'user-notes',
  operations: [createUserNote, listUserNotes, updateUserNote, getUserNote, deleteUserNote],
});

import { defineModule } from '../../../http/module.ts';
import { getSavedViews, putSavedViews } from './views.ts';

export const savedViews = defineModule({
  name: 'saved-views',
  tags: { Console: "Staff members' own settings of the console." },
  operations: [getSavedViews, putSavedViews],
});

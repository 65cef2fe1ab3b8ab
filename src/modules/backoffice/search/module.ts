import { defineModule } from '../../../http/module.ts';
import { search } from './search.ts';

export const adminSearch = defineModule({
  name: 'admin-search',
  tags: { 'Admin Search': 'One search over players, payments, bets, games and promotions.' },
  operations: [search],
});

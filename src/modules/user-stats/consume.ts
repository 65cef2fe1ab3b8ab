import type { Db } from '../../platform/db.ts';
import { createFollower, type Reader } from '../bets/follow.ts';
import { addBets, CURSOR } from './queries.ts';

/** Takes settled bets into the sums of their players. */
export const READER: Reader = { name: CURSOR, add: addBets };

export const createConsumer = (db: Db) => createFollower(db, READER);

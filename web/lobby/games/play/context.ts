import { createContext } from 'react';
import type { words } from '../../words.ts';

export type Name = keyof typeof words.games;

/** The slug of the game on the page. */
export const GameName = createContext('');

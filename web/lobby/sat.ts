import { createContext } from 'react';
import type { Sat } from './sitting.ts';

/** The playing session, for pages. Undefined until it is known. */
export const SatContext = createContext<Sat | undefined>(undefined);

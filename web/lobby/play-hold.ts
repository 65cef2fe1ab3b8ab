import { createStore } from '../kit/store.ts';
import { isExcluded } from './exclusion.ts';

/** True while the reality check waits for an answer. */
export const isCheckOpen = createStore(false);

/**
 * Returns true while the reality check waits for an answer, or while the player is excluded. Excluded players may only finish an open
 * round.
 */
export const isPlayHeld = (isFinishing = false) => isCheckOpen.get() || (!isFinishing && isExcluded());

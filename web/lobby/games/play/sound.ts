import { local } from '../../../kit/storage.ts';
import { createStore } from '../../../kit/store.ts';
import type { Sound } from './synth.ts';

const KEY = 'sound';
const isOn = createStore(local.get(KEY) === 'true');
export const useSound = isOn.use;

/** The synthesizer is loaded when the player first turns the sound on. */
const load = () => import('./synth.ts');

export function toggleSound(): void {
  isOn.set(!isOn.get());
  local.set(KEY, String(isOn.get()));
  if (isOn.get()) void load().then(({ playSound }) => playSound('press'));
}

/** Plays a sound if the player has turned sound on and the page is visible. `pan`: from −1 (left) to 1 (right). */
export function sound(name: Sound, { semitones = 0, pan = 0 } = {}): void {
  if (!isOn.get() || document.hidden) return;
  void load().then(
    ({ playSound }) => playSound(name, semitones, pan),
    () => undefined,
  );
}

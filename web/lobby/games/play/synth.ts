/** One tone. It glides from one frequency to another. Times are in seconds. */
type Tone = readonly [
  wave: OscillatorType,
  fromHz: number,
  toHz: number,
  length: number,
  gain: number,
  delay: number,
];

/** The sounds of the games. They are synthesized, so there are no files. */
const RECIPES = {
  press: [['triangle', 420, 300, 0.04, 0.12, 0]],
  /** A peg, a pocket of the wheel or a step of a counter. */
  tick: [['square', 1500, 900, 0.018, 0.05, 0]],
  /** A card or the marker of dice. */
  slide: [['sine', 220, 340, 0.16, 0.08, 0]],
  reveal: [['triangle', 520, 780, 0.09, 0.14, 0]],
  step: [['sine', 300, 460, 0.11, 0.16, 0]],
  /** A loss, a push, or a payout that is not above the bet amount. */
  settle: [['sine', 240, 180, 0.12, 0.1, 0]],
  trap: [
    ['sawtooth', 160, 50, 0.28, 0.16, 0],
    ['square', 90, 40, 0.2, 0.08, 0.02],
  ],
  win: [
    ['triangle', 660, 660, 0.1, 0.16, 0],
    ['triangle', 880, 880, 0.16, 0.16, 0.09],
  ],
  big: [
    ['triangle', 523, 523, 0.12, 0.16, 0],
    ['triangle', 659, 659, 0.12, 0.16, 0.1],
    ['triangle', 784, 784, 0.12, 0.16, 0.2],
    ['triangle', 1047, 1047, 0.34, 0.18, 0.3],
    ['sine', 2093, 2093, 0.3, 0.05, 0.34],
  ],
  cash: [
    ['triangle', 880, 1175, 0.08, 0.16, 0],
    ['triangle', 1175, 1175, 0.16, 0.14, 0.07],
  ],
  /** The reality check: two calm, falling notes. */
  time: [
    ['sine', 440, 440, 0.35, 0.12, 0],
    ['sine', 330, 330, 0.45, 0.12, 0.4],
  ],
} as const satisfies Readonly<Record<string, readonly Tone[]>>;

export type Sound = keyof typeof RECIPES;

/** The highest pitch of a series of sounds that rise. */
const MOST_SEMITONES = 12;
/** The gain rises within this time, because a sudden start clicks. */
const ATTACK = 0.006;
const SILENCE = 0.0001;
let context: AudioContext | undefined;

export function playSound(name: Sound, semitones = 0, pan = 0): void {
  context ??= new AudioContext();
  // The browser starts the context only after a press of the player.
  void context.resume();
  const pitch = 2 ** (Math.min(semitones, MOST_SEMITONES) / 12);
  const side = new StereoPannerNode(context, { pan });
  side.connect(context.destination);
  for (const tone of RECIPES[name]) playTone(context, side, tone, pitch);
}

function playTone(on: AudioContext, out: AudioNode, tone: Tone, pitch: number): void {
  const [type, fromHz, toHz, length, gain, delay] = tone;
  const at = on.currentTime + delay;
  const oscillator = new OscillatorNode(on, { type });
  oscillator.frequency.setValueAtTime(fromHz * pitch, at);
  oscillator.frequency.exponentialRampToValueAtTime(toHz * pitch, at + length);
  const volume = new GainNode(on, { gain: 0 });
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(gain, at + ATTACK);
  volume.gain.exponentialRampToValueAtTime(SILENCE, at + length);
  oscillator.connect(volume).connect(out);
  oscillator.start(at);
  oscillator.stop(at + length + 0.02);
}

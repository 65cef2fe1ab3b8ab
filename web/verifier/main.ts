/** The verifier page: reads a bet from fields or from pasted API data and computes it in the browser. It sends no requests. */
import { check, type Hashes } from '../../src/modules/games/house-games/verify/check.ts';
import {
  type Claim,
  FIELDS,
  type Field,
  isUnreadable,
  readFields,
  readProof,
  seedFields,
  type Unreadable,
} from '../../src/modules/games/house-games/verify/read.ts';
import { el } from './element.ts';
import { showVerdict } from './show.ts';

const byId = (id: string) => document.getElementById(id)!;
const form = byId('form') as HTMLFormElement;
const pasted = byId('pasted') as HTMLTextAreaElement;
const game = byId('game') as HTMLSelectElement;

const bytes = (text: string) => new TextEncoder().encode(text);
const hex = (buffer: ArrayBuffer) =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
const hashes: Hashes = {
  sha256: async (text) => hex(await crypto.subtle.digest('SHA-256', bytes(text))),
  async hmac(key, text) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const imported = await crypto.subtle.importKey('raw', bytes(key), algorithm, false, ['sign']);
    return hex(await crypto.subtle.sign('HMAC', imported, bytes(text)));
  },
};

game.append(...Object.keys(FIELDS).map((slug) => el('option', { value: slug }, slug)));
game.addEventListener('change', () => ask({}));
pasted.addEventListener('input', takePasted);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void answer();
});
window.addEventListener('hashchange', takeLink);
takeLink();

/** Shows the fields of the selected game, with the known values. */
function ask(known: Readonly<Record<string, string>>): void {
  const fill = (fields: readonly Field[]) => fields.map((field) => inputOf(field, known[field.name]));
  const [chain, seeds] = partition(seedFields(game.value), ({ name }) => name === 'commitment');
  byId('seeds').replaceChildren(...fill(seeds));
  // The chain has its own field, because pasted data does not contain it.
  byId('chain').replaceChildren(...fill(chain));
  byId('inputs').replaceChildren(...fill(FIELDS[game.value]!));
}

function partition<T>(list: readonly T[], isIn: (item: T) => boolean): [T[], T[]] {
  return [list.filter(isIn), list.filter((item) => !isIn(item))];
}

function inputOf({ name, label, form: kind, choices, example, isOptional }: Field, known = example): Element {
  const attributes = {
    name,
    id: `field-${name}`,
    autocomplete: 'off',
    spellcheck: 'false',
    required: !isOptional,
  };
  const options = kind === 'boolean' ? ['true', 'false'] : choices;
  const input = options
    ? el(
        'select',
        attributes,
        ...options.map((value) => el('option', { value, selected: value === known }, value)),
      )
    : el('input', { ...attributes, value: known, inputmode: kind === 'number' ? 'decimal' : 'text' });
  return el('label', {}, el('span', {}, label), input);
}

/** Reads a link: #bet=<JSON of the response>, or the fields by name: #game=dice&serverSeed=… */
function takeLink(): void {
  const known = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (known.bet !== undefined) {
    pasted.value = known.bet;
    takePasted();
    void answer();
    return;
  }
  pasted.value = '';
  takePasted();
  if (Object.hasOwn(FIELDS, known.game ?? '')) game.value = known.game!;
  ask(known);
  if (known.serverSeed !== undefined) void answer();
}

/** While the paste field contains data, that data is used instead of the other fields, and these show its values. */
function takePasted(): void {
  (byId('fields') as HTMLFieldSetElement).disabled = pasted.value.trim() !== '';
  const claim = readPasted();
  if (!claim || isUnreadable(claim)) return;
  game.value = claim.game;
  const { serverSeed, serverSeedHash, clientSeed, nonce, rtpBp, inputs } = claim;
  const facts = { serverSeed, serverSeedHash, clientSeed, nonce, rtp: rtpBp / 100, ...inputs };
  ask(Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, textOf(value)])));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns the pasted bet, an explanation if it cannot be read, or undefined if nothing is pasted. */
function readPasted(commitment?: string): Claim | Unreadable | undefined {
  if (pasted.value.trim() === '') return undefined;
  try {
    return readProof(JSON.parse(pasted.value), commitment);
  } catch {
    return { why: 'The pasted text is not JSON.', isSecret: false };
  }
}

async function answer(): Promise<void> {
  const result = byId('result');
  const texts = Object.fromEntries(Array.from(new FormData(form), ([name, value]) => [name, String(value)]));
  const claim = readPasted(texts.commitment?.trim()) ?? readFields(game.value, texts);
  if (isUnreadable(claim)) return void result.replaceChildren(refusal(claim.why));
  if (!globalThis.crypto?.subtle) {
    const why =
      'Browsers hash only on pages that came by https or from a file: save this page and open the file.';
    return void result.replaceChildren(refusal(why));
  }
  const bar = el('progress', { max: 1, value: 0 });
  result.replaceChildren(el('p', {}, 'Computing … ', bar));
  const progress = (done: number) => {
    bar.value = done;
  };
  const verdict = await check(claim, { ...hashes, progress });
  result.replaceChildren(...showVerdict(claim, verdict));
}

function refusal(why: string): Element {
  return el('p', { class: 'banner different', role: 'alert' }, why);
}

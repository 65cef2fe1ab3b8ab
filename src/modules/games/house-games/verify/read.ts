import { hundredths } from '../../betting/rules.ts';
import { ALGORITHM_VERSION, isClientSeed } from '../../fairness/rules.ts';
import { ACTIONS } from '../blackjack/table/rules.ts';
import { KENO_RISKS } from '../keno/rules.ts';
import { DIFFICULTIES } from '../monkey-run/rules.ts';
import { PLINKO_RISKS } from '../plinko/rules.ts';
import { HAS_RTP } from '../rules.ts';
import { COLORS } from '../speed-roulette/rules.ts';

/** One input of a bet as a string: a field of the page's form and an option of the command. */
export type Field = {
  name: string;
  label: string;
  /** `numbers` and `words` are separated by commas. `json` has the form of the API response. */
  form: 'text' | 'number' | 'boolean' | 'choice' | 'numbers' | 'words' | 'json';
  choices?: readonly string[];
  /** Initial value in the form. */
  example: string;
  isOptional?: boolean;
};

export type Facts = Record<string, unknown>;

const OPTIONAL = { example: '', isOptional: true };

/** The inputs of each game, by slug. */
export const FIELDS: Readonly<Record<string, readonly Field[]>> = {
  dice: [
    { name: 'threshold', label: 'Threshold', form: 'number', example: '50' },
    { name: 'above', label: 'Above it', form: 'boolean', example: 'true' },
  ],
  limbo: [{ name: 'multiplier', label: 'Target multiplier', form: 'number', example: '2' }],
  keno: [
    { name: 'risk', label: 'Risk', form: 'choice', choices: KENO_RISKS, example: 'CLASSIC' },
    { name: 'selected', label: 'Selected numbers', form: 'numbers', example: '1,2,3' },
  ],
  plinko: [
    { name: 'risk', label: 'Risk', form: 'choice', choices: PLINKO_RISKS, example: 'LOW' },
    { name: 'rowsCount', label: 'Rows', form: 'number', example: '16' },
  ],
  mines: [
    { name: 'gridCellsCount', label: 'Cells of the grid', form: 'number', example: '25' },
    { name: 'bombsCount', label: 'Bombs', form: 'number', example: '3' },
    { name: 'cellIndices', label: 'Cells in order of opening, from 0', form: 'numbers', example: '0,1,2' },
  ],
  'monkey-run': [
    { name: 'difficulty', label: 'Difficulty', form: 'choice', choices: DIFFICULTIES, example: 'EASY' },
    { name: 'steps', label: 'Tiles run for, in order', form: 'numbers', example: '1,2,3' },
  ],
  roulette: [
    {
      name: 'bets',
      label: 'Bets',
      form: 'json',
      example: '[{"type":"RED","amount":"1"},{"type":"STRAIGHT","numbers":[17],"amount":"1"}]',
    },
  ],
  'speed-roulette': [{ name: 'color', label: 'Color', form: 'choice', choices: COLORS, example: 'RED' }],
  blackjack: [
    { name: 'betAmount', label: 'Bet in US dollars', form: 'text', example: '1' },
    { ...OPTIONAL, name: 'sideBetAmount', label: 'Side bet in US dollars, if any', form: 'text' },
    {
      ...OPTIONAL,
      name: 'actions',
      label: `Actions in order: ${ACTIONS.join(', ')}`,
      form: 'words',
      example: 'STAND',
    },
  ],
};

/** Names of a game's seeds. Speed-roulette has one stream per round instead of one per player. */
export function seedFields(game: string): Field[] {
  const text = { form: 'text', example: '' } as const;
  const isOptional = true;
  if (game === 'speed-roulette')
    return [
      { name: 'serverSeed', label: 'Seed of the round', ...text },
      { name: 'serverSeedHash', label: 'Hash of the seed, shown before', ...text, isOptional },
      { name: 'clientSeed', label: 'Public seed (publicBlockHash)', ...text },
      { name: 'nonce', label: 'Position in the chain', form: 'number', example: '1' },
      { name: 'commitment', label: 'Commitment of the chain', ...text, isOptional },
    ];
  return [
    { name: 'serverSeed', label: 'Server seed', ...text },
    { name: 'serverSeedHash', label: 'Server seed hash, shown before', ...text, isOptional },
    { name: 'clientSeed', label: 'Client seed', ...text },
    { name: 'nonce', label: 'Nonce', form: 'number', example: '0' },
    ...(HAS_RTP.has(game) ? [RTP] : []),
  ];
}

const RTP: Field = { name: 'rtp', label: 'Return to the player, percent', form: 'number', example: '99' };

/**
 * A claim about a bet. In speed-roulette the server seed is the round's seed, the client seed is the public seed, and the nonce is the
 * position in the chain.
 */
export type Claim = {
  game: string;
  serverSeed: string;
  /** Null if no hash was given. */
  serverSeedHash: string | null;
  clientSeed: string;
  /** Who chose the client seed; null if unknown, or for a round that all players share. */
  clientSeedOrigin: 'PLAYER' | 'SERVER' | null;
  nonce: number;
  rtpBp: number;
  inputs: Facts;
  /** Null if no outcome was given, so there is nothing to compare. */
  outcome: Facts | null;
  /** The end of the speed-roulette chain. Null if it was not given or the game is another one. */
  commitment: string | null;
};

/** Explains why there is no claim. `isSecret`: the bet is valid, but its seed is not revealed yet. */
export type Unreadable = { why: string; isSecret: boolean };

type Read = Claim | Unreadable;

export const isUnreadable = (read: Read): read is Unreadable => 'why' in read;

const unreadable = (why: string): Unreadable => ({ why, isSecret: false });

const STILL_SECRET = {
  round: 'The seed of this round is still secret: it is revealed with the result.',
  bet: 'The server seed of this bet is still secret: it is revealed when its player rotates their seeds.',
};

/** Reads the response of GET /fairness/bets/{betId}, which does not contain the commitment. An empty commitment is treated as missing. */
export function readProof(proof: unknown, commitment?: string): Read {
  if (!isFacts(proof))
    return unreadable('This is not the answer of GET /fairness/bets/{betId}: it has to be one JSON object.');
  const { game, inputs, outcome, algorithmVersion, rtpBp, round } = proof;
  if (typeof game !== 'string' || !isKnown(game))
    return unreadable(`The game ${JSON.stringify(game)} is not known here.`);
  if (algorithmVersion !== ALGORITHM_VERSION)
    return unreadable(
      `The bet was made by version ${JSON.stringify(algorithmVersion)} of the algorithm; this is version "${ALGORITHM_VERSION}".`,
    );
  if (!isFacts(inputs) || !isFacts(outcome)) return unreadable('inputs and outcome have to be objects.');
  const seeds = isFacts(round) ? seedsOfRound(round) : proof;
  if (seeds.serverSeed == null || seeds.clientSeed == null)
    return { why: isFacts(round) ? STILL_SECRET.round : STILL_SECRET.bet, isSecret: true };
  const { serverSeed, serverSeedHash, clientSeed, clientSeedOrigin, nonce } = seeds;
  return validated({
    game,
    serverSeed,
    serverSeedHash: serverSeedHash ?? null,
    clientSeed,
    clientSeedOrigin:
      clientSeedOrigin === 'PLAYER' || clientSeedOrigin === 'SERVER' ? clientSeedOrigin : null,
    nonce,
    rtpBp,
    inputs,
    outcome,
    commitment: commitment || null,
  });
}

/** Reads a claim from the strings of a game's fields, by field name. An empty field is treated as missing. */
export function readFields(game: string, texts: Readonly<Record<string, string | undefined>>): Read {
  if (!isKnown(game))
    return unreadable(
      `The game ${JSON.stringify(game)} is not known: one of ${Object.keys(FIELDS).join(', ')}.`,
    );
  const facts: Facts = {};
  for (const field of [...seedFields(game), ...FIELDS[game]!]) {
    const text = texts[field.name] ?? '';
    if (text === '' && !field.isOptional) return unreadable(`${field.label} (${field.name}) is missing.`);
    const value = parsed(field, text);
    if (value === undefined) return unreadable(`${field.label} (${field.name}) cannot be read: ${text}`);
    facts[field.name] = value;
  }
  return validated({
    game,
    serverSeed: facts.serverSeed,
    serverSeedHash: facts.serverSeedHash,
    clientSeed: facts.clientSeed,
    clientSeedOrigin: null,
    nonce: facts.nonce,
    rtpBp: facts.rtp === undefined ? 0 : hundredths(facts.rtp as number),
    inputs: Object.fromEntries(FIELDS[game]!.map(({ name }) => [name, facts[name]])),
    outcome: null,
    commitment: facts.commitment ?? null,
  });
}

function isFacts(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isKnown = (game: string) => Object.hasOwn(FIELDS, game);

function seedsOfRound({ seed, seedHash, publicBlockHash, chainPosition }: Facts): Facts {
  return { serverSeed: seed, serverSeedHash: seedHash, clientSeed: publicBlockHash, nonce: chainPosition };
}

function validated(claim: { [K in keyof Claim]: unknown }): Read {
  const flaw = flawOf(claim);
  return flaw === undefined ? (claim as Claim) : unreadable(flaw);
}

function flawOf(claim: { [K in keyof Claim]: unknown }): string | undefined {
  const { serverSeed, serverSeedHash, clientSeed, nonce, rtpBp, commitment } = claim;
  const isHex = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
  if (!isHex(serverSeed)) return 'A server seed has 64 characters, each 0–9 or a–f.';
  if (serverSeedHash !== null && !isHex(serverSeedHash)) return 'A hash has 64 characters, each 0–9 or a–f.';
  if (commitment !== null && !isHex(commitment)) return 'A commitment has 64 characters, each 0–9 or a–f.';
  if (typeof clientSeed !== 'string' || !isClientSeed(clientSeed))
    return 'A client seed has 1 to 64 printable characters of ASCII.';
  if (!Number.isSafeInteger(nonce) || (nonce as number) < 0) return 'A nonce is a whole number from 0.';
  if (!Number.isSafeInteger(rtpBp) || (rtpBp as number) < 0 || (rtpBp as number) > 10_000)
    return 'A return to the player lies between 0 and 100 percent with at most two decimals.';
  return undefined;
}

/** Returns null for an empty optional string, and undefined for an invalid one. */
function parsed({ form, choices }: Field, text: string): unknown {
  if (form === 'numbers' || form === 'words') return listOf(form, text);
  if (form === 'text') return text === '' ? null : text;
  if (form === 'number') return numberOf(text);
  if (form === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (form === 'choice') return choices?.includes(text) ? text : undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listOf(form: 'numbers' | 'words', text: string): unknown[] | undefined {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  if (form === 'words') return parts;
  const numbers = parts.map(numberOf);
  return numbers.includes(undefined) ? undefined : numbers;
}

function numberOf(text: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

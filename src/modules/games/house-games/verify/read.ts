import { ALGORITHM_VERSION, isClientSeed } from '../../fairness/rules.ts';
import { hundredths } from '../rules.ts';
import { type Facts, FIELDS, type Field, seedFields } from './fields.ts';

/**
 * A claim about a bet. In speed-roulette the server seed is the round's seed, the client seed the public one, and the nonce the position
 * in the chain.
 */
export type Claim = {
  game: string;
  serverSeed: string;
  /** Null: not given. */
  serverSeedHash: string | null;
  clientSeed: string;
  /** Who chose the client seed; null if unknown, or for a round that all players share. */
  clientSeedOrigin: 'PLAYER' | 'SERVER' | null;
  nonce: number;
  rtpBp: number;
  inputs: Facts;
  /** Null: not given, so there is nothing to compare with. */
  outcome: Facts | null;
  /** The end of the chain of speed-roulette; null: not given, or another game. */
  commitment: string | null;
};

/** A claim, or an explanation why it is invalid. */
type Read = Claim | string;

/** Reads the response of GET /fairness/bets/{betId}. */
export function readProof(proof: unknown): Read {
  if (!isFacts(proof))
    return 'This is not the answer of GET /fairness/bets/{betId}: it has to be one JSON object.';
  const { game, inputs, outcome, algorithmVersion, rtpBp, round } = proof;
  if (typeof game !== 'string' || !isKnown(game))
    return `The game ${JSON.stringify(game)} is not known here.`;
  if (algorithmVersion !== ALGORITHM_VERSION)
    return `The bet was made by version ${JSON.stringify(algorithmVersion)} of the algorithm; this is version "${ALGORITHM_VERSION}".`;
  if (!isFacts(inputs) || !isFacts(outcome)) return 'inputs and outcome have to be objects.';
  const seeds = isFacts(round) ? seedsOfRound(round) : proof;
  if (seeds.serverSeed == null || seeds.clientSeed == null)
    return isFacts(round)
      ? 'The seed of this round is still secret: it is revealed with the result.'
      : 'The server seed of this bet is still secret: it is revealed when its player rotates their seeds.';
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
    commitment: null,
  });
}

/** Reads a game's fields as texts by name. Empty fields are absent. */
export function readFields(game: string, texts: Readonly<Record<string, string | undefined>>): Read {
  if (!isKnown(game))
    return `The game ${JSON.stringify(game)} is not known: one of ${Object.keys(FIELDS).join(', ')}.`;
  const facts: Facts = {};
  for (const field of [...seedFields(game), ...FIELDS[game]!]) {
    const text = texts[field.name] ?? '';
    if (text === '' && !field.isOptional) return `${field.label} (${field.name}) is missing.`;
    const value = parsed(field, text);
    if (value === undefined) return `${field.label} (${field.name}) cannot be read: ${text}`;
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
  return claim as Claim;
}

/** Returns null for an empty optional text, undefined for an invalid one. */
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

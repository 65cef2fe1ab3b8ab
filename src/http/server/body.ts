import { isUtf8 } from 'node:buffer';
import { type AppError, commonErrors } from '../../platform/errors.ts';

const MAX_DEPTH = 32;
const MAX_KEYS = 10_000;
const MAX_COMMAS = 50_000;
/** Keys that expose prototypes. No request needs them. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Parses a JSON body. Rejects some input that JSON.parse would accept. Throws VALIDATION_FAILED for:
 * - nesting deeper than 32 levels
 * - more than 10,000 keys or 50,000 values
 * - a repeated key
 * - keys that give access to prototypes
 * - text that PostgreSQL cannot store (NUL, lone surrogates)
 */
export function parseJson(raw: Buffer): unknown {
  if (raw.length === 0) return undefined;
  if (!isUtf8(raw)) throw malformed('is not UTF-8');
  const { keys, hasEscapes } = scan(raw);
  let value: unknown;
  try {
    value = JSON.parse(raw.toString());
  } catch {
    throw malformed('is not JSON');
  }
  // Valid UTF-8 JSON without escapes can contain neither a NUL nor a lone surrogate.
  if (inspect(value, hasEscapes) !== keys) throw malformed('has a key twice');
  return value;
}

/** Counts keys and nesting depth without recursion, so that a body that is nested too deeply is rejected before it is parsed. */
function scan(raw: Buffer): { keys: number; hasEscapes: boolean } {
  let depth = 0;
  let keys = 0;
  let commas = 0;
  for (let i = 0; i < raw.length; i++) {
    const byte = raw[i];
    if (byte === 0x22) i = endOfString(raw, i);
    else if (byte === 0x3a) {
      if (++keys > MAX_KEYS) throw malformed(`has more than ${MAX_KEYS} keys`);
    } else if (byte === 0x2c) {
      if (++commas > MAX_COMMAS) throw malformed(`has more than ${MAX_COMMAS} values`);
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > MAX_DEPTH) throw malformed(`is nested deeper than ${MAX_DEPTH}`);
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return { keys, hasEscapes: raw.includes(0x5c) };
}

function endOfString(raw: Buffer, start: number): number {
  let i = start + 1;
  while (i < raw.length && raw[i] !== 0x22) i += raw[i] === 0x5c ? 2 : 1;
  return i;
}

/** Checks every key, and every string that PostgreSQL may be unable to store. Returns the number of keys. */
function inspect(value: unknown, hasEscapes: boolean): number {
  if (typeof value === 'string') {
    if (hasEscapes) assertText(value);
    return 0;
  }
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) keys += inspect(item, hasEscapes);
    return keys;
  }
  for (const key of Object.keys(value)) {
    if (FORBIDDEN_KEYS.has(key)) throw malformed(`has the forbidden key ${key}`);
    if (hasEscapes) assertText(key);
    keys += 1 + inspect((value as Record<string, unknown>)[key], hasEscapes);
  }
  return keys;
}

function assertText(text: string): void {
  if (!isStorable(text)) throw malformed('has text with a NUL or half a character');
}

/** Returns true if PostgreSQL can store the text: no NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function malformed(problem: string): AppError {
  return commonErrors.VALIDATION_FAILED({ fields: [{ path: '', message: `The body ${problem}.` }] });
}

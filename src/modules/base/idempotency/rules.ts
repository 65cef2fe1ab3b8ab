import { createHash } from 'node:crypto';

/** Hash of an operation and its input: the order of keys and white space do not count, values do. */
export function inputHash(operation: string, input: unknown): Buffer {
  return createHash('sha256')
    .update(`${operation}\n${canonical(input)}`)
    .digest();
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const fields = Object.entries(value).filter(([, v]) => v !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, v]) => `${JSON.stringify(key)}:${canonical(v)}`).join(',')}}`;
}

import fc from 'fast-check';
import { z } from 'zod';
import type { Route } from '../../../src/http/route.ts';

type Json = {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  example?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  items?: Json;
  minItems?: number;
  properties?: Record<string, Json>;
  required?: string[];
  anyOf?: Json[];
  oneOf?: Json[];
  allOf?: Json[];
  $ref?: string;
  $defs?: Record<string, Json>;
};

/**
 * Builds a value that is valid for the schema, from the schema's JSON form. The value is always the same. Throws if no value is found, so
 * that no test sends a malformed request by mistake.
 */
function sampleOf(schema: z.ZodType): unknown {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json;
  for (const isFull of [true, false]) {
    const value = make(json, { isFull, defs: json.$defs ?? {} });
    if (schema.safeParse(value).success) return value;
  }
  throw new Error(`no sample fits ${JSON.stringify(json)}: give the fields an example`);
}

/** Returns the path, query and body of a well-formed request to the route. Ids in the path match no object. */
export function sampleRequest(route: Route): SampleRequest {
  const known = samples.get(route) ?? makeRequest(route);
  samples.set(route, known);
  return known;
}

type SampleRequest = { path: string; body: unknown };
const samples = new WeakMap<Route, SampleRequest>();

function makeRequest(route: Route): SampleRequest {
  const params = (route.params ? sampleOf(route.params) : {}) as Record<string, unknown>;
  const path = route.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name] ?? 'x')),
  );
  const query = (route.query ? sampleOf(route.query) : {}) as Record<string, unknown>;
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([k, v]) => [v].flat().map((one) => [k, String(one)] as [string, string])),
  );
  return {
    path: search.size > 0 ? `${path}?${search}` : path,
    body: route.body ? sampleOf(route.body) : undefined,
  };
}

type How = { isFull: boolean; defs: Record<string, Json> };

function make(json: Json, how: How): unknown {
  if (json.$ref) return make(how.defs[json.$ref.split('/').at(-1)!]!, how);
  if (json.allOf) return make(Object.assign({}, json, ...json.allOf, { allOf: undefined }), how);
  const choice = (json.anyOf ?? json.oneOf)?.find((j) => j.type !== 'null');
  if (choice) return make(choice, how);
  for (const known of [json.const, json.example, json.enum?.[0]]) if (known !== undefined) return known;
  switch ([json.type].flat()[0]) {
    case 'string':
      return text(json);
    case 'integer':
    case 'number':
      return Math.max(json.minimum ?? 1, json.exclusiveMinimum === undefined ? 1 : json.exclusiveMinimum + 1);
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: Math.max(json.minItems ?? 0, how.isFull ? 1 : 0) }, () =>
        make(json.items ?? {}, how),
      );
    case 'object':
      return object(json, how);
    default:
      return 'x';
  }
}

function object({ properties = {}, required = [] }: Json, how: How): object {
  const names = Object.keys(properties).filter((name) => how.isFull || required.includes(name));
  return Object.fromEntries(names.map((name) => [name, make(properties[name]!, how)]));
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'somebody@sample.example',
  uuid: '01926f3a-7c3e-7d2a-9c1b-3f5e8a7b6c5d',
  uri: 'https://sample.example/',
  'date-time': '2026-11-21T09:30:00.000Z',
  date: '2026-11-21',
};

function text({ format, pattern, minLength = 1, maxLength = 64 }: Json): string {
  const known = format && FORMATS[format];
  if (known) return known;
  if (!pattern) return 'x'.repeat(minLength);
  const fitting = fc
    .stringMatching(new RegExp(pattern))
    .filter((t) => t.length >= minLength && t.length <= maxLength);
  return fc.sample(fitting, { numRuns: 1, seed: 1 })[0]!;
}

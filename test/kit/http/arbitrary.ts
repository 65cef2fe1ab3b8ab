import fc from 'fast-check';
import { misfits, type Operation, type Parameter, type Schema } from './openapi.ts';

/** A request as sent over the wire: path parameters and query as text, body as a JSON value. */
export type Request = {
  params: Record<string, string>;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: unknown;
};

/** Generators for formats that a schema cannot express, by "location.field" (`body.threshold`). */
export type Rules = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Generates values that match a schema. `at` is the location used to look up rules: "body", "query" … */
export function validOf(schema: Schema, at: string, rules: Rules = {}): fc.Arbitrary<unknown> {
  const rule = rules[at];
  const made = rule ?? make(schema, at, rules);
  return rule || !schema.nullable ? made : fc.oneof({ weight: 4, arbitrary: made }, fc.constant(null));
}

function make(schema: Schema, at: string, rules: Rules): fc.Arbitrary<unknown> {
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return fc.oneof(...union.map((one) => validOf(one, at, rules)));
  if (schema.allOf) return validOf(schema.allOf.length === 1 ? schema.allOf[0]! : merged(schema), at, rules);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'string':
      return text(schema, at.startsWith('header.') ? visible : character);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 });
    case 'number':
      return decimal(schema);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(validOf(schema.items ?? {}, `${at}[]`, rules), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, (schema.minItems ?? 0) + 4),
      });
    case 'object':
      return object(schema, at, rules);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

const merged = ({ allOf = [] }: Schema): Schema => ({
  type: 'object',
  properties: Object.assign({}, ...allOf.map((part) => part.properties)),
  required: allOf.flatMap((part) => part.required ?? []),
});

function object({ properties = {}, required = [] }: Schema, at: string, rules: Rules): fc.Arbitrary<object> {
  const fields = Object.entries(properties).map(
    ([name, field]) => [name, validOf(field, `${at}.${name}`, rules)] as const,
  );
  return fc.record(Object.fromEntries(fields), { requiredKeys: required });
}

/** Generates decimals without an exponent, because numbers in a query have none. */
function decimal({ minimum = -1e6, maximum = 1e6, exclusiveMinimum }: Schema): fc.Arbitrary<number> {
  const cents = {
    min: Math.ceil(minimum * 100) + (exclusiveMinimum ? 1 : 0),
    max: Math.floor(maximum * 100),
  };
  return fc.integer(cents).map((n) => n / 100);
}

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  email: fc.stringMatching(/^[a-z]{1,12}[0-9]{6}$/).map((name) => `${name}@fuzz.example`),
  uri: fc.webUrl(),
  uuid: fc.uuid(),
  'date-time': fc
    .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
    .map((d) => d.toISOString()),
};

/** Generates any Unicode character; half of the generated characters are ASCII. */
const character = fc
  .oneof(fc.integer({ min: 1, max: 0x7f }), fc.integer({ min: 0x80, max: 0x10ffff }))
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
/** The visible ASCII characters, which a header may contain. */
const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCodePoint(code));

export const anyText = (minLength: number, maxLength: number, unit = character) =>
  fc.string({ unit, minLength, maxLength }).filter((t) => t.length <= maxLength);

function text(schema: Schema, unit: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = 80, pattern, format } = schema;
  if (format && FORMATS[format]) return FORMATS[format];
  const free = anyText(minLength, Math.min(maxLength, minLength + 80), unit);
  const raw = pattern ? fc.stringMatching(new RegExp(pattern, 'u')) : free;
  return raw.filter((t) => !t.includes('\0') && t.isWellFormed() && misfits(schema, t).length === 0);
}

/** Generates well-formed requests. */
export function validRequest(operation: Operation, rules: Rules): fc.Arbitrary<Request> {
  const place = (where: Parameter['in']) => {
    const here = operation.parameters.filter((p) => p.in === where);
    const fields = here.map(
      (p) => [p.name, asText(validOf(p.schema, `${where}.${p.name}`, rules), where)] as const,
    );
    return fc.record(Object.fromEntries(fields), {
      requiredKeys: here.filter((p) => p.required).map((p) => p.name),
    }) as fc.Arbitrary<Record<string, string>>;
  };
  return fc.record({
    params: place('path'),
    query: place('query'),
    headers: place('header'),
    body: operation.body ? validOf(operation.body, 'body', rules) : fc.constant(undefined),
  });
}

/** Generates text for a parameter. A path segment must not be empty, "." or "..". */
function asText(values: fc.Arbitrary<unknown>, where: Parameter['in']): fc.Arbitrary<string> {
  const texts = values.map(String);
  return where === 'path' ? texts.filter((t) => !/^\.{0,2}$/.test(t)) : texts;
}

/** Returns the path and query of a request. */
export function urlOf({ path }: Operation, { params, query }: Request): string {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? 'x'));
  const search = new URLSearchParams(query).toString();
  return search ? `${filled}?${search}` : filled;
}

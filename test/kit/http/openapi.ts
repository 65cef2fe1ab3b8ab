import { readFileSync } from 'node:fs';

/** The subset of JSON Schema (in the OpenAPI 3.0 dialect) that the documents use. References are already resolved. */
export type Schema = {
  type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  nullable?: boolean;
  enum?: unknown[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
};
export type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema };
export type Operation = {
  /** Method and path, such as "POST /accounting/to-vault". */
  name: string;
  method: string;
  path: string;
  access: string;
  captcha: boolean;
  parameters: Parameter[];
  body: Schema | undefined;
  /**
   * True if the body is a form. The field `hash` of the form is a signature, like a header in other operations, and is not part of `body`.
   */
  isForm: boolean;
  /** True if the operation accepts a file as multipart/form-data. */
  isUpload: boolean;
  /** Response schema by status; undefined if the status has no body. */
  responses: Record<string, Schema | undefined>;
};
type Json = any;

/** Returns the operations of a document with all references resolved. */
export function operationsOf(document: Json): Operation[] {
  const resolved = resolve(document.paths, document, []) as Record<string, Record<string, Json>>;
  return Object.entries(resolved).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(method.toUpperCase(), path, operation)),
  );
}

/** Reads the committed OpenAPI document of a service. test/contract.test.ts verifies that the service serves the same document. */
export const committedDocument = (file: 'main' | 'backoffice'): Json =>
  JSON.parse(readFileSync(new URL(`../../../docs/openapi/${file}.json`, import.meta.url), 'utf8'));

function toOperation(method: string, path: string, operation: Json): Operation {
  const parameters = operation.parameters as Parameter[];
  const isCaptcha = (p: Parameter) => p.name === 'x-captcha-token';
  const form: Schema | undefined =
    operation.requestBody?.content['application/x-www-form-urlencoded']?.schema;
  return {
    name: `${method} ${path}`,
    method,
    path,
    access: /\((\w+)\)$/.exec(operation.summary)?.[1] ?? '',
    captcha: parameters.some(isCaptcha),
    parameters: parameters.filter((p) => !isCaptcha(p)),
    body: operation.requestBody?.content['application/json']?.schema ?? withoutHash(form),
    isForm: form !== undefined,
    isUpload: operation.requestBody?.content['multipart/form-data'] !== undefined,
    responses: Object.fromEntries(
      Object.entries(operation.responses as Json).map(([status, answer]: [string, Json]) => [
        status,
        (answer.content?.['application/json'] ?? answer.content?.['image/svg+xml'])?.schema,
      ]),
    ),
  };
}

function withoutHash(form: Schema | undefined): Schema | undefined {
  if (!form?.properties) return form;
  const { hash: _, ...properties } = form.properties;
  return { ...form, properties, required: (form.required ?? []).filter((name) => name !== 'hash') };
}

function resolve(node: Json, document: Json, trail: readonly string[]): Json {
  if (Array.isArray(node)) return node.map((item) => resolve(item, document, trail));
  if (typeof node !== 'object' || node === null) return node;
  if (typeof node.$ref === 'string') {
    if (trail.includes(node.$ref)) throw new Error(`circular reference ${node.$ref}`);
    return resolve(lookUp(node.$ref, document), document, [...trail, node.$ref]);
  }
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, resolve(value, document, trail)]),
  );
}

/** Resolves a reference in the document. Throws if its target does not exist. */
export function lookUp(ref: string, document: Json): Json {
  const found = ref
    .replace(/^#\//, '')
    .split('/')
    .reduce((node, key) => node?.[key], document);
  if (found === undefined) throw new Error(`${ref} names nothing`);
  return found;
}

/** Returns the differences between a value and its schema, one line for each. Objects may have only declared properties. */
export function misfits(schema: Schema, value: unknown, at = ''): string[] {
  if (value === null && schema.nullable) return [];
  const wrong = (problem: string) => [`${at || 'value'} ${problem}`];
  if (schema.enum && !schema.enum.includes(value)) return wrong(`is none of ${schema.enum.join(', ')}`);
  const union = schema.anyOf ?? schema.oneOf;
  if (union && !union.some((one) => misfits(one, value, at).length === 0))
    return wrong('fits no alternative');
  const parts = (schema.allOf ?? []).flatMap((part) => misfits(part, value, at));
  // If a schema has `allOf`, its own type only states that null is allowed.
  if (schema.type === undefined || schema.allOf) return parts;
  const isType = { ...TYPES, integer: Number.isInteger }[schema.type];
  if (!isType(value)) return wrong(`is no ${schema.type}`);
  if (typeof value === 'string') return [...parts, ...misfitsOfText(schema, value).flatMap(wrong)];
  if (typeof value === 'number') return [...parts, ...misfitsOfNumber(schema, value).flatMap(wrong)];
  if (Array.isArray(value)) return [...parts, ...misfitsOfArray(schema, value, at)];
  return [...parts, ...(typeof value === 'object' ? misfitsOfObject(schema, value as Json, at) : [])];
}

const TYPES: Record<'string' | 'number' | 'boolean' | 'array' | 'object', (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

function misfitsOfText(
  { minLength = 0, maxLength = Infinity, pattern, format }: Schema,
  text: string,
): string[] {
  const problems = [];
  if (text.length < minLength || text.length > maxLength) problems.push(`has ${text.length} characters`);
  if (pattern && !new RegExp(pattern, 'u').test(text)) problems.push(`does not match ${pattern}`);
  if (format === 'date-time' && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text))
    problems.push('is no time in UTC');
  return problems;
}

function misfitsOfNumber(schema: Schema, value: number): string[] {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  const isBelow = schema.exclusiveMinimum ? value <= minimum : value < minimum;
  const isAbove = schema.exclusiveMaximum ? value >= maximum : value > maximum;
  return isBelow || isAbove ? [`is outside ${minimum} … ${maximum}`] : [];
}

function misfitsOfArray(schema: Schema, value: unknown[], at: string): string[] {
  const { minItems = 0, maxItems = Infinity, items } = schema;
  if (value.length < minItems || value.length > maxItems) return [`${at} has ${value.length} items`];
  return items ? value.flatMap((item, i) => misfits(items, item, `${at}[${i}]`)) : [];
}

function misfitsOfObject(schema: Schema, value: Record<string, unknown>, at: string): string[] {
  const { properties = {}, required = [], additionalProperties: more } = schema;
  const path = (name: string) => (at ? `${at}.${name}` : name);
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${path(name)} is missing`);
  const found = Object.entries(value).flatMap(([name, field]) => {
    const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (declared) return misfits(declared, field, path(name));
    if (typeof more === 'object') return misfits(more, field, path(name));
    return more === true ? [] : [`${path(name)} is not declared`];
  });
  return [...missing, ...found];
}

import type { z } from 'zod';
import { commonErrors, type ErrorFactory } from '../../platform/errors.ts';
import { accessLabel, permissionsFor, staffRight } from '../access.ts';
import { listPlace } from '../content/csv.ts';
import type { Route } from '../route.ts';
import { ErrorBody, Svg, Webp } from '../schemas.ts';
import { hasUserTurns } from '../server/user-turns.ts';
import { jsonSchema } from './json-schema.ts';
import type { DocumentInfo } from './pages.ts';
import { STEP_UP, STEP_UP_HEADER } from './step-up.ts';

type Json = Record<string, unknown>;
export type OpenApi = {
  openapi: '3.0.0';
  info: Json;
  paths: Record<string, Record<string, Json>>;
  [key: string]: unknown;
};

/**
 * Returns the OpenAPI 3.0.0 document of a service, generated from its routes. Groups are in the order of `tags`, regardless of how the
 * routes are mounted.
 */
export function openApi({ title, description, tags }: DocumentInfo, mounted: readonly Route[]): OpenApi {
  const places = new Map(Object.keys(tags).map((name, place) => [name, place]));
  const placeOf = ({ tag }: Route) => places.get(tag) ?? places.size;
  const routes = mounted.toSorted((a, b) => placeOf(a) - placeOf(b));
  const components: Json = {};
  const paths: OpenApi['paths'] = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operation(route, components);
  }
  schemaOf(ErrorBody, 'output', components);
  const used = new Set(routes.flatMap(({ access }) => SECURITY[accessLabel(access)] ?? []));
  return {
    openapi: '3.0.0',
    info: {
      title,
      description: routes.some((r) => r.stepUp) ? `${description}\n\n${STEP_UP}` : description,
      version: '1.0',
      license: LICENSE,
    },
    servers: [{ url: '/', description: 'The service that provides this document' }],
    tags: [...new Set(routes.map((r) => r.tag))].map((name) => {
      const about = tags[name];
      return about === undefined ? { name } : { name, description: about };
    }),
    paths: plain(paths, components) as OpenApi['paths'],
    components: {
      schemas: plain(components, components),
      securitySchemes: Object.fromEntries([...used].map((name) => [name, SCHEMES[name]])),
    },
  };
}

const LICENSE: Json = { name: 'MIT', url: 'https://opensource.org/license/mit' };

const SCHEMES: Readonly<Record<string, Json>> = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Send `accessToken.token` from the response of `POST /auth/sign-in`.',
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'access_token',
    description:
      'The same token in a cookie, for browsers. Requests that change data are then accepted only from pages of the site. If ' +
      '`APP_ENV` is not `local`, cookie names have the prefix `__Host-`: `__Host-access_token` and `__Host-refresh_token`. Cookies ' +
      'without the prefix are ignored.',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The API key of a partner.' },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'x-signature',
    description:
      'HMAC of the body with the secret shared with the partner. Each provider may use its own header name.',
  },
};

/** Security schemes by access label. Any one of a label's schemes is sufficient. Labels that are not listed are anonymous. */
const SECURITY: Readonly<Record<string, readonly string[]>> = {
  Auth: ['bearer', 'cookie'],
  Permission: ['bearer', 'cookie'],
  Staff: ['bearer', 'cookie'],
  SuperAdmin: ['bearer', 'cookie'],
  ApiKey: ['apiKey'],
  Signature: ['signature'],
};

function operation(route: Route, components: Json): Json {
  const guarded = !['anonymous', 'apikey', 'signature'].includes(route.access as string);
  const file = listPlace(route) && AS_FILE;
  const description = [route.description, rightsText(route), file].filter(Boolean).join('\n\n');
  return {
    tags: [route.tag],
    summary: `${route.summary} (${accessLabel(route.access)})`,
    ...(description ? { description } : {}),
    ...(route.deprecated ? { deprecated: true } : {}),
    operationId: operationId(route),
    security: (SECURITY[accessLabel(route.access)] ?? []).map((name) => ({ [name]: [] })),
    parameters: parameters(route, components),
    ...requestBody(route, components),
    responses: responses(route, guarded, components),
  };
}

const AS_FILE =
  'With `Accept: text/csv` the operation returns all rows that match the filter as a CSV file, read from one snapshot. `page` and `take` are ignored. The file begins with a byte-order mark unless the query has `bom=false`. `columns` in the query chooses the columns and their order, separated by commas; a nested field is written like `user.username`. `ids` in the query chooses rows by at most 100 values of the column `idColumn` (default `id`), separated by commas. Pictures are left out; lists are written like `a; b`, objects like `name: value`. The trailer `x-row-count` contains the number of rows. If the number is known in advance, a header of the same name contains it too. If the file cannot be completed, the connection is closed. Cells that a spreadsheet would execute or change (formulas, numbers of 16 or more digits, leading zeros) begin with an apostrophe.';

function requestBody({ body, multipart, form: isForm }: Route, components: Json): Json {
  if (!body && !multipart) return {};
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const json = body && { [type]: { schema: schemaOf(body, 'input', components) } };
  const file = multipart && { [multipart]: { type: 'string', format: 'binary' } };
  const form = file && { 'multipart/form-data': { schema: { type: 'object', properties: file } } };
  // The body is optional if all of its fields are optional.
  const required = body !== undefined && !body.safeParse({}).success;
  return { requestBody: { required, content: { ...json, ...form } } };
}

function rightsText({ access }: Route): string | undefined {
  const names = permissionsFor(access).map((name) => `\`${name}\``);
  if (names.length === 0) return undefined;
  return names.length === 1
    ? `Needs the permission ${names[0]}.`
    : `Needs one of the permissions ${names.join(', ')}.`;
}

function operationId({ method, path }: Route): string {
  const words = path
    .replace(/[{}]/g, '')
    .split(/[/\-_.]/)
    .filter(Boolean);
  return method.toLowerCase() + words.map((w) => w[0]!.toUpperCase() + w.slice(1)).join('');
}

const IDEMPOTENCY =
  'Makes the request safe to repeat. A request with the same key and body returns the stored response.';
const IDEMPOTENCY_KEY = { type: 'string', minLength: 8, maxLength: 64 };

function parameters(route: Route, components: Json): Json[] {
  const places = [
    ['path', route.params],
    ['query', route.query],
    ['header', route.headers],
  ] as const;
  const declared = places.flatMap(([place, schema]) => (schema ? fieldsOf(schema, place, components) : []));
  const header = (name: string, required: boolean, description: string, schema: Json): Json => ({
    name,
    in: 'header',
    required,
    description,
    schema,
  });
  if (route.captcha) declared.push(header('x-captcha-token', true, 'Solved captcha.', { type: 'string' }));
  if (route.stepUp)
    declared.push(header('x-mfa-code', false, STEP_UP_HEADER, { type: 'string', example: '123456' }));
  if (route.idempotent) declared.push(header('Idempotency-Key', false, IDEMPOTENCY, IDEMPOTENCY_KEY));
  return declared;
}

function fieldsOf(schema: z.ZodObject, place: string, components: Json): Json[] {
  const json = schemaOf(schema, 'input', components) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(json.properties ?? {}).map(([name, field]) => {
    const { description, required: marked, ...rest } = field;
    const required = place === 'path' || marked === true || (json.required ?? []).includes(name);
    return { name, in: place, required, ...(description ? { description } : {}), schema: rest };
  });
}

function responses(route: Route, guarded: boolean, components: Json): Json {
  const success = successOf(route, components);
  const answers: Json = { [route.status]: success };
  for (const status of route.otherStatuses ?? [])
    answers[status] =
      status === 302
        ? { description: 'Redirects the browser to the address in the header `Location`.' }
        : { ...success, description: route.otherwise ?? 'The service is not healthy.' };
  const byStatus = Map.groupBy(errorsOf(route, guarded), (e) => e.status);
  for (const [status, factories] of [...byStatus].sort(([a], [b]) => a - b)) {
    const own = answers[status] as Success | undefined;
    const words = [...new Set(factories.map((f) => `\`${f.code}\` ${f.message}`))].join('\n\n');
    const ours = { $ref: '#/components/schemas/ErrorBody' };
    const other = own?.content?.['application/json']?.schema;
    answers[status] = {
      description: own ? `${own.description}\n\n${words}` : words,
      content: { 'application/json': { schema: other ? { anyOf: [other, ours] } : ours } },
    };
  }
  return answers;
}

type Success = { description: string; content?: Record<string, { schema: Json }> };

function successOf({ response }: Route, components: Json): Success {
  if (!response) return { description: 'Success.' };
  if (response === Svg)
    return { description: 'Done.', content: { 'image/svg+xml': { schema: { type: 'string' } } } };
  const content =
    response === Webp
      ? { 'image/webp': { schema: { type: 'string', format: 'binary' } } }
      : { 'application/json': { schema: schemaOf(response, 'output', components) } };
  return { description: 'Done.', content };
}

function errorsOf(route: Route, guarded: boolean): ErrorFactory[] {
  // VALIDATION_FAILED is listed for every operation, because each one rejects unknown parameters and bodies.
  const common: ErrorFactory[] = [
    commonErrors.VALIDATION_FAILED,
    commonErrors.RATE_LIMITED,
    commonErrors.INTERNAL_ERROR,
    commonErrors.SERVICE_UNAVAILABLE,
  ];
  if (route.params) common.push(commonErrors.NOT_FOUND);
  if (guarded) common.push(commonErrors.UNAUTHORIZED);
  // Cookies count only on pages of our own sites.
  if (guarded && route.method !== 'GET') common.push(commonErrors.ORIGIN_FORBIDDEN);
  if (hasUserTurns(route)) common.push(commonErrors.TOO_MANY_AT_ONCE);
  if (staffRight(route.access) !== undefined)
    common.push(commonErrors.FORBIDDEN, commonErrors.STAFF_NOT_ACTIVATED, commonErrors.MFA_REQUIRED);
  if (route.stepUp) common.push(commonErrors.MFA_INVALID);
  if (route.idempotent) common.push(commonErrors.IDEMPOTENCY_KEY_REUSED);
  if (route.multipart) common.push(commonErrors.PAYLOAD_TOO_LARGE, commonErrors.UNSUPPORTED_MEDIA_TYPE);
  return [...common, ...(route.errors ?? [])];
}

const schemaOf = (schema: z.ZodType, io: 'input' | 'output', components: Json): Json =>
  jsonSchema(
    schema,
    { io, target: 'openapi-3.0', override: ({ jsonSchema }) => tidy(jsonSchema as Json) },
    components,
  );

/** Removes `additionalProperties: false`. The serialiser drops undeclared fields, so the document need not repeat it on every object. */
function tidy(json: Json): void {
  if (json.additionalProperties === false) delete json.additionalProperties;
}

/**
 * Simplifies an `allOf` that contains only a reference. With no other properties, it becomes the reference itself. If it is nullable, the
 * referenced type is copied next to it, because OpenAPI 3.0 needs `type` with `nullable`.
 */
function plain(node: unknown, components: Json): unknown {
  if (Array.isArray(node)) return node.map((item) => plain(item, components));
  if (typeof node !== 'object' || node === null) return node;
  const { allOf, ...beside } = node as Json;
  const only = Array.isArray(allOf) && allOf.length === 1 ? (allOf[0] as Json) : undefined;
  if (typeof only?.$ref === 'string') {
    if (Object.keys(beside).length === 0) return only;
    const { type } = components[only.$ref.split('/').at(-1)!] as Json;
    if (beside.nullable === true && type !== undefined) return { type, ...beside, allOf };
  }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, plain(value, components)]));
}

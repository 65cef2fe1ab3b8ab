import fc from 'fast-check';
import { dialectOf, formValue, isCredit, takesMoreFields } from '../games/supplier-calls.ts';
import { type Request, type Rules, urlOf, validRequest } from '../http/arbitrary.ts';
import { misfits, type Operation, type Schema } from '../http/openapi.ts';
import { positionsOf, replaced, TAKES_MORE } from '../http/requests.ts';

/** A request that is wrong in exactly one way, and the error that the operation must return for it. */
export type Broken = {
  kind: string;
  url: string;
  raw?: string;
  /** Form fields, sent instead of `raw`. */
  form?: Record<string, unknown>;
  headers: Record<string, string>;
  without: string[];
  /** Matches the status and code. MALFORMED matches any error by which the operation reports a malformed body. */
  refusal: RegExp | typeof MALFORMED;
};
/** Placeholder for any malformed-body error, because each supplier API has its own format. */
export const MALFORMED = 'malformed';
type Breakage = (good: Request) => fc.Arbitrary<Broken>;

/** Generates requests to an operation that have exactly one fault. */
export function brokenRequest(operation: Operation, rules: Rules): fc.Arbitrary<Broken> {
  const ways = [...bodyBreakages(operation), ...parameterBreakages(operation), ...headerBreakages(operation)];
  return validRequest(operation, rules).chain((good) => fc.oneof(...ways.map((way) => way(good))));
}

const just = (broken: Broken) => fc.constant(broken);

function base(operation: Operation, good: Request, kind: string): Broken {
  const raw =
    good.body === undefined
      ? {}
      : operation.isForm
        ? { form: good.body as Record<string, unknown> }
        : { raw: JSON.stringify(good.body) };
  const rest = {
    headers: { ...good.headers },
    without: [],
    refusal: /^400 (VALIDATION_FAILED|error\.request\.invalid)$/,
  };
  return { kind, url: urlOf(operation, good), ...rest, ...raw };
}

function bodyBreakages(operation: Operation): Breakage[] {
  const { body: schema, method } = operation;
  if (operation.isForm) return formBreakages(operation);
  const refusal = dialectOf(operation) || isCredit(operation) ? ({ refusal: MALFORMED } as const) : {};
  const as = (good: Request, kind: string, raw: string): Broken => ({
    ...base(operation, good, kind),
    raw,
    ...refusal,
  });
  if (!schema) {
    if (method === 'GET') return [];
    return [
      (good) =>
        fc.dictionary(key, fc.jsonValue(), { minKeys: 1 }).map((o) => as(good, 'a body', JSON.stringify(o))),
    ];
  }
  const positions = positionsOf(schema).slice(1);
  const wrongField: Breakage = (good) =>
    fc
      .constantFrom(...positions)
      .chain(({ path, schema: field }) =>
        wrongValue(field).map((value) =>
          as(good, `wrong ${path.join('.')}`, JSON.stringify(replaced(filled(good.body, path), path, value))),
        ),
      );
  const text = (good: Request) => JSON.stringify(good.body);
  return [
    (good) => wrongRoot(schema).map((value) => as(good, 'another root', JSON.stringify(value))),
    (good) => just(as(good, 'cut off', text(good).slice(0, -1))),
    (good) => just(as(good, 'something after it', `${text(good)}]`)),
    ...(takesMoreFields(operation)
      ? []
      : [
          (good: Request) =>
            key.map((name) =>
              as(good, 'unknown field', JSON.stringify({ ...(good.body as object), [`zz${name}`]: 1 })),
            ),
        ]),
    (good) => just(as(good, 'forbidden key', text(good).replace('{', '{"__proto__":{},').replace(',}', '}'))),
    // The number of positions determines how often these faults are generated, because each position can be wrong in many ways.
    ...positions.map(() => wrongField),
    ...positions.map(() => wrongField),
    ...(schema.required ?? []).map(
      (name): Breakage =>
        (good) =>
          just(as(good, `without ${name}`, JSON.stringify({ ...(good.body as object), [name]: undefined }))),
    ),
  ];
}

/** Breaks form fields. Each value is a string, so it can be too short, too long, absent or impossible to store. */
function formBreakages(operation: Operation): Breakage[] {
  const { properties = {}, required = [] } = operation.body!;
  const as = (good: Request, kind: string, form: object): Broken => ({
    ...base(operation, good, kind),
    form: form as Record<string, unknown>,
    refusal: MALFORMED,
  });
  return Object.entries(properties).flatMap(([name, schema]): Breakage[] => [
    (good) =>
      fc
        .oneof(fc.constant(''), fc.constant('x'.repeat((schema.maxLength ?? 0) + 1)), fc.constant('a\0b'))
        .filter((text) => text.includes('\0') || misfits(schema, formValue(text)).length > 0)
        .map((text) => as(good, `wrong ${name}`, { ...(good.body as object), [name]: text })),
    ...(required.includes(name)
      ? [
          (good: Request) =>
            just(as(good, `without ${name}`, { ...(good.body as object), [name]: undefined })),
        ]
      : []),
  ]);
}

/** Adds the optional objects along a path, which a valid body may omit. */
function filled(body: unknown, [step, ...rest]: (string | number)[]): unknown {
  if (step === undefined) return body;
  if (typeof step === 'number') return Array.isArray(body) && body.length > 0 ? body : [{}];
  const record = (body ?? {}) as Record<string, unknown>;
  return rest.length === 0 ? record : { ...record, [step]: filled(record[step], rest) };
}

const key = fc.stringMatching(/^[a-z]{1,8}$/);
/** Excludes NaN and Infinity, which JSON writes as null, because null may be valid. */
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const unstorable = fc.constantFrom('a\0b', '\ud800', 'x\udfff');

function wrongRoot(schema: Schema): fc.Arbitrary<unknown> {
  return fc.jsonValue().filter((value) => misfits(schema, value).length > 0);
}

/** Generates values that do not match the schema, including values just outside the limits. */
function wrongValue(schema: Schema): fc.Arbitrary<unknown> {
  const { maxLength = 0, minLength = 0, maximum = 0, minimum = 0, maxItems } = schema;
  const long = fc.constant('x'.repeat(maxLength + 1));
  const near = fc.constantFrom(maximum + 1, minimum - 1, maximum * 10 + 1, 0.5, -0.5, 1e21, minLength);
  const many = fc.constant(Array.from({ length: (maxItems ?? 0) + 1 }, () => null));
  const any = fc.oneof(fc.jsonValue(), long, near, fc.string(), finite, fc.constant(null), many);
  const misfit = any.filter((value) => misfits(schema, value).length > 0);
  return schema.type === 'string' ? fc.oneof(misfit, unstorable) : misfit;
}

/** Parses a query or path value as the service does, which accepts numbers and booleans only in plain notation. */
function read(text: string, { type }: Schema): unknown {
  const isNumber = type === 'number' || type === 'integer';
  if (isNumber) return /^-?(0|[1-9]\d{0,15})(\.\d{1,18})?$/.test(text) ? Number(text) : text;
  if (type === 'array') return [text];
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

function parameterBreakages(operation: Operation): Breakage[] {
  const bad = (schema: Schema) =>
    fc
      .oneof(
        fc.string({ maxLength: 100 }),
        fc.constant('x'.repeat(300)),
        fc.constant('a\0'),
        fc.integer().map(String),
      )
      // An empty string is parsed as an empty list, which is valid.
      .filter((text) => schema.type !== 'array' || text !== '')
      .filter((text) => text.includes('\0') || misfits(schema, read(text, schema)).length > 0);
  const withQuery = (good: Request, kind: string, query: Record<string, string>): Broken =>
    base(operation, { ...good, query }, kind);
  const declared = operation.parameters.map(({ name, in: where, required, schema }): Breakage[] => {
    if (where === 'path') {
      const segment = bad(schema).filter((text) => !/^\.{0,2}$/.test(text));
      return [
        (good) =>
          segment.map((t) => ({
            ...base(operation, { ...good, params: { ...good.params, [name]: t } }, name),
            refusal: /^404 /,
          })),
      ];
    }
    if (where !== 'query') return [];
    const wrong: Breakage = (good) =>
      bad(schema).map((t) => withQuery(good, `?${name}`, { ...good.query, [name]: t }));
    const missing: Breakage = (good) => {
      const { [name]: _, ...rest } = good.query;
      return just(withQuery(good, `no ?${name}`, rest));
    };
    return required ? [wrong, missing] : [wrong];
  });
  const unknown: Breakage = (good) =>
    fc
      .tuple(key, fc.string())
      .map(([name, value]) => withQuery(good, 'unknown ?', { ...good.query, [`zz${name}`]: value }));
  return TAKES_MORE.has(operation.name) ? declared.flat() : [unknown, ...declared.flat()];
}

function headerBreakages(operation: Operation): Breakage[] {
  const without =
    (name: string, more: Record<string, string> = {}): Breakage =>
    (good) => {
      const broken = base(operation, good, `without ${name}`);
      const refusal = name === 'authorization' ? /^401 UNAUTHORIZED$/ : /^400 AUTH_/;
      return just({ ...broken, headers: { ...broken.headers, ...more }, without: [name], refusal });
    };
  const withKey =
    (value: string): Breakage =>
    (good) => {
      const broken = base(operation, good, `Idempotency-Key ${value.length}`);
      return just({ ...broken, headers: { ...broken.headers, 'Idempotency-Key': value } });
    };
  const isIdempotent = operation.parameters.some((p) => p.name === 'Idempotency-Key');
  const isGuarded = ['Auth', 'Permission', 'SuperAdmin'].includes(operation.access);
  return [
    ...(isIdempotent ? ['k'.repeat(7), 'k'.repeat(65), 'with a space', 'k\xe9kkkkkkk'].map(withKey) : []),
    ...(isGuarded
      ? [without('authorization'), without('authorization', { authorization: 'Bearer x.y.z' })]
      : []),
    ...(operation.captcha
      ? [without('x-captcha-token'), without('x-captcha-token', { 'x-captcha-token': 'x' })]
      : []),
  ];
}

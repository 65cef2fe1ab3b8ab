/** Converts JSON schemas to TypeScript types. */
export type Json = Record<string, unknown>;

export function typeOf(schema: Json): string {
  if (schema.nullable === true) return `${typeOf({ ...schema, nullable: false })} | null`;
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1)!;
  const allOf = schema.allOf as Json[] | undefined;
  if (allOf) return allOf.map(typeOf).join(' & ');
  const anyOf = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (anyOf) return anyOf.map(typeOf).join(' | ');
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const types = [schema.type].flat();
  return types.map((type) => ofType(String(type), schema)).join(' | ');
}

function ofType(type: string, schema: Json): string {
  if (type === 'array') {
    const item = typeOf(schema.items as Json);
    return /[|{]/.test(item) ? `Array<${item}>` : `${item}[]`;
  }
  if (type === 'object') return objectOf(schema);
  if (type === 'integer') return 'number';
  return ['string', 'number', 'boolean', 'null'].includes(type) ? type : 'unknown';
}

function objectOf(schema: Json): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  const required = new Set((schema.required ?? []) as string[]);
  if (properties.length === 0) return recordOf(schema.additionalProperties);
  const fields = properties.map(
    ([name, field]) => `${keyOf(name)}${required.has(name) ? '' : '?'}: ${typeOf(field)}`,
  );
  return `{ ${fields.join('; ')} }`;
}

/** Returns the type of an object with arbitrary keys. */
function recordOf(values: unknown): string {
  if (values === false) return 'Record<string, never>';
  return typeof values === 'object' && values !== null
    ? `Record<string, ${typeOf(values as Json)}>`
    : 'Record<string, unknown>';
}

export const keyOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));

import type { FastifyInstance } from 'fastify';

const ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

type Pattern = { parts: readonly string[]; methods: Set<string> };

/**
 * Collects the methods of every route registered from now on. The returned function lists a path's methods for 405 and the Allow header. An
 * empty list means that the path is unknown.
 */
export function collectMethods(app: FastifyInstance): (path: string) => string[] {
  const patterns = new Map<string, Pattern>();
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = patterns.get(url) ?? { parts: url.split('/'), methods: new Set() };
    for (const one of [method].flat()) if (ORDER.includes(one)) pattern.methods.add(one);
    patterns.set(url, pattern);
  });
  return (path) => {
    const parts = path.split('/');
    const found = new Set<string>();
    for (const pattern of patterns.values())
      if (matches(pattern.parts, parts)) for (const method of pattern.methods) found.add(method);
    return ORDER.filter((method) => found.has(method));
  };
}

function matches(pattern: readonly string[], parts: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '*';
  if (isOpen ? parts.length < pattern.length : parts.length !== pattern.length) return false;
  return pattern.every((one, i) => one === '*' || (one.startsWith(':') ? parts[i] !== '' : one === parts[i]));
}

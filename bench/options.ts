import { parseArgs } from 'node:util';

type Options<Name extends string> = Readonly<Record<Name, readonly [fallback: number, what: string]>>;

/**
 * Parses numeric options. On --help or invalid arguments, prints the options and exits. If `quick` is given, adds the option --quick, which
 * uses these values as defaults.
 */
export function numbersOf<Name extends string>(
  program: string,
  options: Options<Name>,
  quick?: Record<Name, number>,
): Record<Name, number> {
  const names = Object.keys(options) as Name[];
  const help = [
    `npm run bench -- ${program} [options]`,
    ...names.map((name) => `  --${`${name}=N`.padEnd(14)}${options[name][1]} (default ${options[name][0]})`),
    ...(quick ? [`  --quick         the same with ${JSON.stringify(quick)}`] : []),
  ].join('\n');
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean' },
        ...(quick ? { quick: { type: 'boolean' as const } } : {}),
        ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
      },
    });
    if (!values.help) {
      const asked = values as Partial<Record<Name, string>> & { quick?: boolean };
      const fallback = (name: Name) => (asked.quick ? quick![name] : options[name][0]);
      return Object.fromEntries(
        names.map((name) => [name, numberIn(name, asked[name] ?? fallback(name))]),
      ) as Record<Name, number>;
    }
    console.log(help);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${help}`);
    process.exit(2);
  }
  process.exit(0);
}

function numberIn(name: string, value: string | number): number {
  const number = Number(value);
  if (value === '' || !(number >= 0)) throw new RangeError(`--${name} must be a number of at least 0`);
  return number;
}

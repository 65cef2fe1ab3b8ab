import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Read<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>;

/**
 * Parses the arguments of a command. `--help` prints the usage and exits with 0. Unknown options, more than `words` positional arguments,
 * or a reason returned by `check` print the usage and exit with 2.
 */
export function readArguments<const O extends Options>(
  usage: string,
  {
    options,
    words = 0,
    check,
  }: { options: O; words?: number; check?: (read: Read<O>) => string | undefined },
): Read<O> {
  if (process.argv.slice(2).some((text) => text === '--help' || text === '-h')) {
    console.log(usage);
    process.exit(0);
  }
  const read = parse(usage, options);
  const surplus = read.positionals[words];
  if (surplus !== undefined) misused(usage, `Unexpected argument '${surplus}'.`);
  const problem = check?.(read);
  if (problem !== undefined) misused(usage, problem);
  return read;
}

function parse<const O extends Options>(usage: string, options: O): Read<O> {
  try {
    return parseArgs({ options, allowPositionals: true }) as Read<O>;
  } catch (error) {
    return misused(usage, (error as Error).message);
  }
}

function misused(usage: string, problem: string): never {
  console.error(`${problem}\n\nUsage: ${usage}`);
  process.exit(2);
}

import { Command, InvalidArgumentError, Option } from 'commander';
import type { Report } from './report.ts';
import type { Later, World } from './world.ts';

/**
 * An option of a suite: its default and its meaning. `names` are the values that a comma-separated list may contain. Numbers must be at
 * least 0.
 */
type OptionOf = readonly [fallback: number | boolean | string, about: string, names?: readonly string[]];
type Options = Readonly<Record<string, OptionOf>>;
type Widened<T> = T extends number ? number : T extends boolean ? boolean : string;
type Values<O extends Options> = { readonly [Name in keyof O]: Widened<O[Name][0]> };

/** Prints a line, preceded by the seconds since the start. */
export type Say = (line: string) => void;

/** The database and the helpers that the runner passes to a suite. `isQuick` is true if `--quick` was given. */
export type Context = { world: World; say: Say; later: Later; isQuick: boolean };

/** A benchmark. The runner parses its options, creates an empty database, runs the suite and prints its report. */
export type Suite<O extends Options = Options> = {
  about: string;
  options: O;
  /** Defaults of the options with `--quick`. Without this property the suite has no `--quick`. */
  quick?: Partial<Values<O>>;
  /** If true, PostgreSQL records the time of every SQL statement (pg_stat_statements), which slows it down slightly. */
  timesStatements?: boolean;
  run(context: Context, values: Values<O>): Promise<Report>;
};

/** Infers the types of a suite's options from their defaults. */
export const defineSuite = <const O extends Options>(suite: Suite<O>): Suite<O> => suite;

/** Parses the arguments that follow the name of a suite. Prints the options and exits on `--help` and if an argument is wrong. */
export function parseOptions(name: string, suite: Suite, argv: readonly string[]) {
  const command = new Command(`npm run bench -- ${name}`)
    .description(`Measures ${suite.about}.`)
    .option('--json <file>', 'also writes the report to this file')
    .showHelpAfterError()
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  if (suite.quick) command.option('--quick', `a short run, with ${JSON.stringify(suite.quick)}`);
  for (const [option, spec] of Object.entries(suite.options)) command.addOption(toOption(option, spec));
  const given = command.parse(argv, { from: 'user' }).opts();
  const values = Object.fromEntries(
    Object.keys(suite.options).map((option) => {
      const isDefault = command.getOptionValueSource(option) === 'default';
      return [option, (given.quick && isDefault ? suite.quick?.[option] : undefined) ?? given[option]];
    }),
  );
  return { values, isQuick: given.quick === true, json: given.json as string | undefined };
}

function toOption(name: string, [fallback, about, names]: OptionOf): Option {
  if (typeof fallback === 'boolean') return new Option(`--${name}`, about).default(fallback);
  if (typeof fallback === 'number')
    return new Option(`--${name} <n>`, about).default(fallback).argParser((text) => {
      if (text === '' || !(Number(text) >= 0)) throw new InvalidArgumentError('It must be at least 0.');
      return Number(text);
    });
  const list = names ? `: ${names.join(', ')}` : '';
  return new Option(`--${name} <${names ? 'a,b' : 'text'}>`, about + list)
    .default('', 'none')
    .argParser((text) => {
      const unknown = names && text.split(',').find((part) => !names.includes(part));
      if (unknown !== undefined) throw new InvalidArgumentError(`${unknown} is unknown.`);
      return text;
    });
}

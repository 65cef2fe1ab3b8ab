import { ConfigError, describeSettings, loadConfig } from '../../platform/config/config.ts';
import { type CommandFile, type Output, print } from '../command.ts';

export const file: CommandFile = {
  details:
    '`check` validates the settings as a start does, without starting anything. It prints each setting that differs from its default, and ' +
    'whatever is not safe with real money. The values of secrets are not printed. Exits with 1 if a start would fail.',
  examples: ['npx croupier config check', 'APP_ENV=production npx croupier config check --json'],
  define: (command) =>
    command
      .command('check')
      .description('Check the settings of this environment')
      .action((output: Output) => process.exit(check(output))),
};

function check(output: Output): number {
  const { changed, unsafe } = describeSettings(process.env);
  const problems = problemsOf(process.env);
  // Outside development, unsafe settings are problems. An invalid value is only a problem, not also an absent setting.
  const nameIn = (text: string) => text.split(' ')[0];
  const named = new Set(problems.map(nameIn));
  const warnings = unsafe.filter((text) => !named.has(nameIn(text)));
  const verdict =
    problems.length === 0
      ? 'the configuration is usable'
      : `${problems.length} problem${problems.length === 1 ? '' : 's'}: see docs/reference/configuration.md`;
  print(output, { isUsable: problems.length === 0, changed, problems, warnings }, [
    ...changed.map(({ name, value }) => `${name.padEnd(32)} ${value}`),
    ...warnings.map((text) => `warning  ${text}`),
    ...problems.map((text) => `problem  ${text}`),
    verdict,
  ]);
  return problems.length === 0 ? 0 : 1;
}

function problemsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

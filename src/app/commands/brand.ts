/**
 * The deployment files of an additional brand. Each brand is a separate stack next to the first one, derived from the shipped files in
 * `deploy/`.
 */
export type Brand = {
  /** Lower-case letters and digits. Used in the names of the systemd units, the database role, the database and the proxy upstreams. */
  name: string;
  domain: string;
  /** The port that replaces 3000. Every port in the shipped files is shifted by the same amount. */
  port: number;
  /** Host and port of the PostgreSQL server. */
  databaseHost: string;
};
type Shipped = {
  units: Readonly<Record<string, string>>;
  environment: string;
  balancer: string;
  proxy: string;
};
type Secret = () => string;

const FIRST_PORT = 3000;
const SHIPPED_DOMAIN = /casino\.example/g;
/** Matches the name of the first stack, except in the paths of its checkout and its program, which all brands share. */
const OWN_NAME = /(?<!\/(?:opt|bin)\/)\bcroupier\b/g;

/** Returns the contents of the brand's files by file name. `secret` returns a new random hexadecimal string on every call. */
export function filesOfBrand(brand: Brand, shipped: Shipped, secret: Secret): Record<string, string> {
  const password = secret();
  return {
    [`croupier-${brand.name}.env`]: environmentOf(brand, shipped.environment, password, secret),
    'balancer.env': movePorts(brand, shipped.balancer),
    'database.sql': databaseOf(brand, password),
    [`nginx/${brand.name}.conf`]: proxyOf(brand, shipped.proxy),
    ...Object.fromEntries(
      Object.entries(shipped.units).map(([file, text]) => [
        `systemd/${file.replace(OWN_NAME, `croupier-${brand.name}`)}`,
        unitOf(brand, text),
      ]),
    ),
  };
}

/** Returns a message if the brand's name, domain, port or database is invalid, otherwise undefined. */
export function problemOfBrand({ name, domain, port, databaseHost }: Brand): string | undefined {
  if (!/^[a-z][a-z0-9]{1,19}$/.test(name))
    return 'The name must be 2 to 20 lower-case letters and digits, starting with a letter.';
  if (!/^(?=.{4,253}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/.test(domain))
    return 'The domain must look like second.example.';
  if (!Number.isInteger(port) || port % 100 !== 0 || port <= FIRST_PORT || port > 60_000 || port === 8000)
    return 'The port must be a multiple of 100 from 3100 to 60000 other than 8000, which the first balancer uses.';
  if (!/^([a-z0-9.-]+|\[[0-9a-f:.]+\]):\d{1,5}$/i.test(databaseHost))
    return 'The database must be written as host:port, such as 127.0.0.1:5432.';
  return undefined;
}

const databaseNameOf = ({ name }: Brand) => `casino_${name}`;
const roleOf = ({ name }: Brand) => `croupier_${name}`;

function environmentOf(brand: Brand, example: string, password: string, secret: Secret): string {
  const own: Record<string, string> = {
    DATABASE_URL: `postgres://${roleOf(brand)}:${password}@${brand.databaseHost}/${databaseNameOf(brand)}`,
    JWT_SECRET: secret(),
    SEED_SECRET: secret(),
    DATA_SECRET: secret(),
    METRICS_TOKEN: secret(),
  };
  const set = new Set<string>();
  const lines = example.split('\n').map((line) => {
    const [, name] = /^([A-Z][A-Z0-9_]*)=/.exec(line) ?? [];
    if (name !== undefined && own[name] !== undefined) {
      set.add(name);
      return `${name}=${own[name]}`;
    }
    if (line.startsWith('# ')) return line.replace(OWN_NAME, `croupier-${brand.name}`);
    // Redis separates brands by database number, RabbitMQ by virtual host.
    return line
      .replace(/^(#REDIS_URL=redis:\/\/[^/]+)$/, `$1/${numberOf(brand)}`)
      .replace(/^(#BROKER_URL=.*)\/croupier$/, `$1/croupier-${brand.name}`)
      .replace(SHIPPED_DOMAIN, brand.domain);
  });
  const absent = Object.keys(own).filter((name) => !set.has(name));
  return [...lines, ...absent.map((name) => `${name}=${own[name]}`), ''].join('\n').replace(/\n+$/, '\n');
}

/** Returns a number derived from the port, unique among the brands on one machine. */
const numberOf = ({ port }: Brand) => (port - FIRST_PORT) / 100;

function databaseOf(brand: Brand, password: string): string {
  const [database, role] = [databaseNameOf(brand), roleOf(brand)];
  return `-- psql -f database.sql postgres, as a role that may create roles and databases. Delete this file afterwards, because it contains a password.
create role ${role} login password '${password}';
create database ${database} owner ${role};
revoke connect on database ${database} from public;
`;
}

function unitOf(brand: Brand, text: string): string {
  return movePorts(brand, text.replace(OWN_NAME, `croupier-${brand.name}`))
    .replace(/^Description=Croupier:/m, `Description=Croupier ${brand.name}:`)
    .replace(/^(EnvironmentFile=).*\/haproxy\/systemd\.env$/m, `$1/etc/croupier-${brand.name}/balancer.env`);
}

/** Shifts all ports: 30xx for the platform's parts and 80xx for the load balancer. */
const movePorts = ({ port }: Brand, text: string) =>
  text.replace(/(?<![\d.])(?:30|80)\d\d\b/g, (shipped) => String(Number(shipped) + port - FIRST_PORT));

/**
 * Returns the upstreams and servers of the shipped proxy configuration, renamed for the brand. They are included in the `http` block of the
 * shipped configuration, whose maps apply to all brands.
 */
function proxyOf(brand: Brand, shipped: string): string {
  const blocks = [...shipped.matchAll(/^ {2}(?:upstream|server) ?[^\n]*\{\n[\s\S]*?^ {2}\}\n/gm)]
    .map(([block]) => block)
    .filter((block) => !/^ {4}listen 80\b/m.test(block));
  const names = blocks.flatMap((block) => /^ {2}upstream (\w+)/.exec(block)?.[1] ?? []);
  const certificates = [...shipped.matchAll(/^ {2}(ssl_certificate\w* .*;)$/gm)].map(([, line]) => line);
  const text = blocks
    .map((block) => ownNames(brand, names, block))
    .map((block) => block.replace(/^( +)(listen 443.*)$/m, ['$1$2', ...certificates].join('\n$1')))
    .join('\n')
    .replace(SHIPPED_DOMAIN, brand.domain)
    .replace(/^ {2}/gm, '');
  return `# For the brand ${brand.name}: include it at the end of the http block of deploy/nginx/nginx.conf.\n${text}`;
}

function ownNames(brand: Brand, names: readonly string[], block: string): string {
  const any = names.join('|');
  return movePorts(brand, block)
    .replace(new RegExp(`^( +upstream )(${any})\\b`, 'gm'), `$1${brand.name}_$2`)
    .replace(new RegExp(`(proxy_pass http://)(${any})\\b`, 'g'), `$1${brand.name}_$2`);
}

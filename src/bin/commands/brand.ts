import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Brand, filesOfBrand, problemOfBrand } from '../../app/commands/brand.ts';
import { type CommandFile, misused, type Output, print } from '../command.ts';

const DEPLOY = resolve(import.meta.dirname, '../../../deploy');

type Options = Output & { domain: string; port: string; to: string; database: string };

export const file: CommandFile = {
  details:
    'A brand is a separate stack on this machine. Writes settings with new secrets, SQL for its role and database, systemd units and a proxy ' +
    'configuration. Exits with 1 if the folder exists, because secrets are never overwritten.',
  examples: ['npx croupier brand second --domain second.example --port 3100 --to /root/second'],
  define: (command) =>
    command
      .argument('<name>', 'name of the brand: lower-case letters and digits')
      .requiredOption('--domain <domain>', 'domain of the site')
      .requiredOption('--port <number>', 'first port, a multiple of 100')
      .requiredOption('--to <folder>', 'new folder for the files')
      .option('--database <host:port>', 'the PostgreSQL server', '127.0.0.1:5432')
      .action((name: string, { domain, port, database, to, ...output }: Options) => {
        const brand = { name, domain, port: Number(port), databaseHost: database };
        const problem = problemOfBrand(brand);
        if (problem !== undefined) misused(command, problem);
        process.exit(write(brand, resolve(to), output));
      }),
};

function write(brand: Brand, to: string, output: Output): number {
  if (existsSync(to)) {
    console.error(`${to} already exists. Name a new folder: secrets are never overwritten.`);
    return 1;
  }
  const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8');
  const units = readdirSync(join(DEPLOY, 'systemd'));
  const shipped = {
    units: Object.fromEntries(units.map((name) => [name, read(`systemd/${name}`)])),
    environment: read('croupier.env.example'),
    balancer: read('haproxy/systemd.env'),
    proxy: read('nginx/nginx.conf'),
  };
  const files = filesOfBrand(brand, shipped, () => randomBytes(32).toString('hex'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(to, name)), { recursive: true, mode: 0o700 });
    writeFileSync(join(to, name), text, { mode: 0o600, flag: 'wx' });
  }
  const own = `croupier-${brand.name}`;
  print(output, { folder: to, files: Object.keys(files) }, [
    `Wrote ${Object.keys(files).length} files to ${to}. Next (docs/operations/brands.md):`,
    `  psql -f ${to}/database.sql postgres`,
    `  useradd --system ${own}`,
    `  install -D -m 640 -g ${own} ${to}/${own}.env /etc/${own}/${own}.env   # then fill in mail, captcha and partners`,
    `  install -m 644 ${to}/balancer.env /etc/${own}/balancer.env`,
    `  install -m 644 ${to}/systemd/* /etc/systemd/system/`,
    `  install -D -m 644 ${to}/nginx/${brand.name}.conf /etc/nginx/brands/${brand.name}.conf`,
    `  systemctl daemon-reload && systemctl enable --now ${own}.target && systemctl reload nginx`,
  ]);
  return 0;
}

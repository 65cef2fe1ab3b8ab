/**
 * npm run brand -- NAME --domain second.example --port 3100 --to DIR: writes the files of another brand, a separate stack on this machine.
 * They are settings with new secrets, SQL for its role and database, systemd units and a proxy configuration. Exits with 1 if DIR exists,
 * because secrets are never overwritten.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readArguments } from '../app/commands/arguments.ts';
import { type Brand, filesOfBrand, problemOfBrand } from '../app/commands/brand.ts';

const DEPLOY = resolve(import.meta.dirname, '../../deploy');
const brandIn = (
  [name = '']: readonly string[],
  values: { domain?: string; port?: string; database?: string },
): Brand => ({
  name,
  domain: values.domain ?? '',
  port: Number(values.port),
  databaseHost: values.database ?? '127.0.0.1:5432',
});
const { values, positionals } = readArguments(
  'npm run brand -- NAME --domain second.example --port 3100 --to DIR [--database HOST:PORT]',
  {
    options: {
      domain: { type: 'string' },
      port: { type: 'string' },
      to: { type: 'string' },
      database: { type: 'string' },
    },
    words: 1,
    check: ({ positionals, values }) =>
      values.to ? problemOfBrand(brandIn(positionals, values)) : 'Name the folder for the files with --to.',
  },
);

const brand = brandIn(positionals, values);
const to = resolve(values.to!);
if (existsSync(to)) {
  console.error(`${to} already exists. Name a new folder: secrets are never overwritten.`);
  process.exit(1);
}
const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');
const units = readdirSync(join(DEPLOY, 'systemd'));
const shipped = {
  units: Object.fromEntries(units.map((file) => [file, read(`systemd/${file}`)])),
  environment: read('croupier.env.example'),
  balancer: read('haproxy/systemd.env'),
  proxy: read('nginx/nginx.conf'),
};
const files = filesOfBrand(brand, shipped, () => randomBytes(32).toString('hex'));
for (const [file, text] of Object.entries(files)) {
  mkdirSync(dirname(join(to, file)), { recursive: true, mode: 0o700 });
  writeFileSync(join(to, file), text, { mode: 0o600, flag: 'wx' });
}
const own = `croupier-${brand.name}`;
console.log(`Wrote ${Object.keys(files).length} files to ${to}. Next (docs/operations.md, "Several brands"):
  psql -f ${to}/database.sql postgres
  useradd --system ${own}
  install -D -m 640 -g ${own} ${to}/${own}.env /etc/${own}/${own}.env   # then fill in mail, captcha and partners
  install -m 644 ${to}/balancer.env /etc/${own}/balancer.env
  install -m 644 ${to}/systemd/* /etc/systemd/system/
  install -D -m 644 ${to}/nginx/${brand.name}.conf /etc/nginx/brands/${brand.name}.conf
  systemctl daemon-reload && systemctl enable --now ${own}.target && systemctl reload nginx`);

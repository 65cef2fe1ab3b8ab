import type { Tx } from '../../../platform/db.ts';
import { type ConfigCode, type ConfigOf, defaultsOf } from '../../base/site-config/schemas.ts';
import type { ConfigVersion, SiteConfig } from '../../base/site-config/service.ts';
import { type Terms, termsOf, type Version } from './rules.ts';

type Known<C extends ConfigCode> = { version: number; versions: Version<ConfigOf<C>>[] };

/** All terms that bets may have been made on. What a version says never changes, so only later ones are read. */
export function createTerms(siteConfig: Pick<SiteConfig, 'versionsAfter'>) {
  const common: Known<'COMMON'> = { version: 0, versions: [firstOf('COMMON')] };
  const affiliates: Known<'AFFILIATES'> = { version: 0, versions: [firstOf('AFFILIATES')] };
  let terms = termsOf(common.versions, affiliates.versions);
  return async (tx: Tx): Promise<readonly Terms[]> => {
    const news = [
      learn(common, await siteConfig.versionsAfter(tx, 'COMMON', common.version)),
      learn(affiliates, await siteConfig.versionsAfter(tx, 'AFFILIATES', affiliates.version)),
    ];
    if (news.includes(true)) terms = termsOf(common.versions, affiliates.versions);
    return terms;
  };
}

const firstOf = <C extends ConfigCode>(code: C): Version<ConfigOf<C>> => ({
  since: null,
  config: defaultsOf(code) as ConfigOf<C>,
});

function learn<C extends ConfigCode>(known: Known<C>, read: readonly ConfigVersion<ConfigOf<C>>[]): boolean {
  known.versions.push(...read);
  known.version = read.at(-1)?.version ?? known.version;
  return read.length > 0;
}

import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, PageNumber, page, paginated, take } from '../../../http/schemas.ts';
import { effectiveOf, type Match, pageIn, percentOf, type Rule } from './rules.ts';
import { CommissionCategory, casinoErrors, GameId, ProviderId } from './schemas.ts';
import { type CasinoDeps, priced } from './service.ts';
import { GgrCommissionRule, toCommissionRule } from './view.ts';

const path = '/admin/casino/games/commission';
const common = { method: 'GET', tag: 'Admin Casino', access: { permission: 'casino.read' } } as const;

/** Parses the string `null` in a query string as null. */
const orNull = <T extends z.ZodType>(type: T) =>
  z.preprocess((value) => (value === 'null' ? null : value), type.nullable());

const Query = z.strictObject({
  providerId: ProviderId.optional(),
  category: orNull(CommissionCategory).optional(),
  gameId: orNull(GameId).optional(),
  page: PageNumber,
  take: take(20),
});

export const listCommissionRules = operation({
  ...common,
  path,
  summary: 'List commission rules',
  description: '`category=null` and `gameId=null` find the rules for all categories and all games.',
  query: Query,
  response: page(GgrCommissionRule),
  handler: (deps: CasinoDeps, { query }) => {
    const { providerId, category, gameId } = query;
    const rows = allRules(deps).filter(
      (rule) =>
        (providerId === undefined || rule.providerId === providerId) &&
        (category === undefined || rule.category === category) &&
        (gameId === undefined || rule.gameId === gameId),
    );
    return paginated(pageIn(rows, query, false).map(toCommissionRule), query, rows.length);
  },
});

export const getCommissionRule = operation({
  ...common,
  path: `${path}/{id}`,
  summary: 'Get a commission rule',
  params: z.object({ id: GameId }),
  response: GgrCommissionRule,
  errors: [casinoErrors.COMMISSION_NOT_FOUND],
  handler: (deps: CasinoDeps, { params }) => {
    const rule = allRules(deps).find(({ id }) => id === params.id);
    if (!rule) throw casinoErrors.COMMISSION_NOT_FOUND();
    return toCommissionRule(rule);
  },
});

const EffectiveCommission = object('EffectiveCommission', {
  slug: z.string(),
  ggrPercent: z.string(),
  match: z.enum(['PROVIDER_CATEGORY_GAME', 'PROVIDER_GAME', 'PROVIDER_CATEGORY', 'PROVIDER', 'TYPE_DEFAULT']),
  rule: GgrCommissionRule.nullable(),
  explanation: z.string(),
});

export const getEffectiveCommission = operation({
  ...common,
  path: `${path}/effective`,
  summary: 'Get the commission of a game and its rule',
  query: z.strictObject({ slug: z.string().min(1).max(64) }),
  response: EffectiveCommission,
  errors: [casinoErrors.GAME_NOT_FOUND],
  handler: ({ catalogue }: CasinoDeps, { query: { slug } }) => {
    const { bySlug, rules } = catalogue.state.now();
    const game = bySlug.get(slug);
    if (!game) throw casinoErrors.GAME_NOT_FOUND({ slug });
    const { match, rule, ppm } = effectiveOf(priced(game), rules.get(game.providerId) ?? []);
    const ggrPercent = percentOf(ppm);
    return {
      slug,
      ggrPercent,
      match,
      rule: rule && toCommissionRule(rule),
      explanation: EXPLANATIONS[match],
    };
  },
});

const EXPLANATIONS: Record<Match, string> = {
  PROVIDER_CATEGORY_GAME: 'The rule of the provider for this game in one of its categories.',
  PROVIDER_GAME: 'The rule of the provider for this game.',
  PROVIDER_CATEGORY: 'The rule of the provider for the first category of the game that has one.',
  PROVIDER: 'The rule of the provider for all of its games.',
  TYPE_DEFAULT: 'No rule of the provider: the default of the type of the game.',
};

const allRules = ({ catalogue }: CasinoDeps): Rule[] =>
  [...catalogue.state.now().rules.values()].flat().sort((a, b) => a.id - b.id);

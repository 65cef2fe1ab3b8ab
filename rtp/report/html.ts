import { agrees, type Figure } from '../exact/figures.ts';
import type { Plan } from '../plan.ts';
import { type CaseResult, FALSE_ALARM } from '../simulation/judge.ts';
import { bandsChart, chancesChart, funnelChart, spreadChart } from './charts.ts';
import { STYLE } from './style.ts';
import { el, escaped } from './svg.ts';
import { chance, type Failure, share, whole } from './text.ts';

type Report = {
  plan: Plan;
  figures: readonly Figure[];
  results: readonly CaseResult[];
  failures: readonly Failure[];
  least: number;
};

/** Returns the report as a single self-contained file without scripts, external images or fonts. */
export function htmlReport(report: Report): string {
  const { plan, figures, results } = report;
  const body = [
    el('h1', {}, 'Returns of the games'),
    el('p', { class: 'quiet' }, 'Computed exactly and simulated, through the rules that the server runs.'),
    verdict(report),
    facts(report),
    el('h2', {}, 'Exact returns'),
    el(
      'p',
      {},
      'In percent of the stake, in rational arithmetic (blackjack: all deals of one deck in double precision), rounded half up. Every figure is compared with the published one to the last digit.',
    ),
    el(
      'div',
      { class: 'grid' },
      ...games(figures).map((game) =>
        exactCard(
          game,
          figures.filter((f) => f.game === game),
        ),
      ),
    ),
    ...(results.length > 0 ? simulated(report) : []),
  ];
  const head = [
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
    el('title', {}, `Returns of the games: ${plan.games.join(', ')}`),
    el('style', {}, STYLE),
  ];
  return `<!doctype html>\n<html lang="en"><head>${head.join('')}</head><body>${el('main', {}, ...body)}</body></html>\n`;
}

function verdict({ figures, failures }: Report): string {
  const wrong = figures.filter((figure) => !agrees(figure)).length + failures.length;
  if (wrong === 0) return el('div', { class: 'verdict' }, 'Everything agrees');
  const list = failures.map(({ of, test }) =>
    el('li', {}, escaped(`${of.game} ${of.name}: ${test.what}, p ${chance(test.p)}`)),
  );
  return el('div', { class: 'verdict bad' }, `${wrong} disagree`) + el('ul', {}, ...list);
}

function facts({ plan, figures, results, least }: Report): string {
  const rounds = results.reduce((sum, { tally }) => sum + tally.rounds, 0);
  const tests = results.reduce((sum, result) => sum + result.tests.length, 0);
  const items: [string, string][] = [
    ['exact figures', `${figures.filter(agrees).length} of ${figures.length}`],
  ];
  if (rounds > 0) {
    const words = results.reduce((sum, { tally }) => sum + tally.words.words, 0);
    items.push(['rounds', whole(rounds)], ['random words', whole(words)]);
    items.push(
      ['tests', whole(tests)],
      ['one disagrees below p', least.toExponential(1)],
      ['seed', plan.seed],
    );
  }
  const shown = items.map(([name, value]) =>
    el('li', {}, `${name} `, el('b', {}, el('code', {}, escaped(value)))),
  );
  return el('ul', { class: 'facts' }, ...shown);
}

function games(figures: readonly Figure[]): Figure['game'][] {
  return [...new Set(figures.map(({ game }) => game))];
}

/**
 * Shows a game's figures. If every path has two words, the figures form a table with columns by the first word and rows by the second.
 * Otherwise they form a list.
 */
function exactCard(game: string, figures: readonly Figure[]): string {
  const isTable = figures.every(({ path }) => path.split(' ').length === 2);
  const rows = isTable ? crossTable(figures) : figures.map((f) => row([f.path || 'all bets', cell(f)]));
  return el('div', { class: 'card' }, el('h3', {}, escaped(game)), el('table', {}, ...rows));
}

function crossTable(figures: readonly Figure[]): string[] {
  const parts = figures.map((figure) => ({ figure, keys: figure.path.split(' ') as [string, string] }));
  const across = [...new Set(parts.map(({ keys }) => keys[0]))];
  const down = [...new Set(parts.map(({ keys }) => keys[1]))];
  const at = (column: string, line: string) =>
    parts.find(({ keys }) => keys[0] === column && keys[1] === line)?.figure;
  const head = el('tr', {}, ...['', ...across].map((name) => el('th', {}, escaped(name))));
  const lines = down.map((name) =>
    row([
      name,
      ...across.map((column) => at(column, name)).map((figure) => (figure ? cell(figure) : el('td', {}))),
    ]),
  );
  return [head, ...lines];
}

const row = ([name, ...cells]: string[]): string => el('tr', {}, el('td', {}, escaped(name!)), ...cells);

function cell(figure: Figure): string {
  if (agrees(figure)) return el('td', {}, escaped(figure.computed));
  return el('td', { class: 'off' }, escaped(`${figure.computed} (published ${figure.published})`));
}

function simulated({ results, plan }: Report): string[] {
  return [
    el('h2', {}, 'Simulated returns'),
    el(
      'p',
      {},
      `Every bet was drawn from HMAC-SHA256 streams and paid by the shipped rules. A dot is a return, in standard errors from the exact one; the bands hold 95 % and 99.9 % of the results of fair games. With so many tests a few lie outside the inner band: a run is said to disagree only where all of its tests together would do so once in ${whole(1 / FALSE_ALARM)} runs over fair games.`,
    ),
    el('div', { class: 'card' }, bandsChart(results)),
    el('h2', {}, 'All tests'),
    el('p', {}, 'The p of fair tests are spread evenly: in order, they lie on the diagonal.'),
    el('div', { class: 'card' }, chancesChart(results)),
    el('h2', {}, 'Case by case'),
    ...plan.games.map((game) => {
      const own = results.filter(({ of }) => of.game === game);
      return el('details', { open: '' }, el('summary', {}, game), ...own.map(caseCard));
    }),
  ];
}

function caseCard(result: CaseResult): string {
  const { of, tally, actual, error, deviation, tests } = result;
  const items = [
    `${whole(tally.rounds)} rounds`,
    `return ${share(actual)} ± ${share(error * 1.96)} (95 %)`,
    `exact ${share(of.expected)}`,
    `deviation ${deviation.toFixed(3)} (exact ${Math.sqrt(of.variance).toFixed(3)})`,
  ];
  const charts = [
    funnelChart(result),
    ...of.spreads.map((spread, i) => spreadChart(spread, tally.marks[i]!, tally.rounds)),
  ];
  const titles = ['return during the run', ...of.spreads.map(({ what }) => what)];
  return el(
    'div',
    { class: 'card' },
    el('h3', {}, escaped(of.name)),
    el('ul', { class: 'facts quiet' }, ...items.map((text) => el('li', {}, escaped(text)))),
    el(
      'div',
      { class: 'grid' },
      ...charts.map((chart, i) => el('div', {}, el('div', { class: 'quiet' }, escaped(titles[i]!)), chart)),
    ),
    el('table', {}, testHead, ...tests.map(testRow)),
  );
}

const testHead = el('tr', {}, ...['test', 'statistic', 'degrees', 'p'].map((name) => el('th', {}, name)));

function testRow({ what, statistic, degrees, p }: CaseResult['tests'][number]): string {
  const cells = [statistic.toFixed(2), degrees === undefined ? '' : whole(degrees), chance(p)];
  return row([what, ...cells.map((text) => el('td', {}, text))]);
}

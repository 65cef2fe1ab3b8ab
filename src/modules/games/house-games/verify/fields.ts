import { ACTIONS } from '../blackjack/table/rules.ts';
import { KENO_RISKS } from '../keno/rules.ts';
import { DIFFICULTIES } from '../monkey-run/rules.ts';
import { PLINKO_RISKS } from '../plinko/rules.ts';
import { HAS_RTP } from '../rules.ts';
import { COLORS } from '../speed-roulette/rules.ts';

/** One input of a bet as text: a field of the page's form and an option of the command. */
export type Field = {
  name: string;
  label: string;
  /** `list`: separated by commas; `json`: as in the API response. */
  form: 'text' | 'number' | 'boolean' | 'choice' | 'numbers' | 'words' | 'json';
  choices?: readonly string[];
  /** Initial value in the form. */
  example: string;
  isOptional?: boolean;
};

export type Facts = Record<string, unknown>;

const OPTIONAL = { example: '', isOptional: true };

/** The inputs of each game, by slug. */
export const FIELDS: Readonly<Record<string, readonly Field[]>> = {
  dice: [
    { name: 'threshold', label: 'Threshold', form: 'number', example: '50' },
    { name: 'above', label: 'Above it', form: 'boolean', example: 'true' },
  ],
  limbo: [{ name: 'multiplier', label: 'Target multiplier', form: 'number', example: '2' }],
  keno: [
    { name: 'risk', label: 'Risk', form: 'choice', choices: KENO_RISKS, example: 'CLASSIC' },
    { name: 'selected', label: 'Selected numbers', form: 'numbers', example: '1,2,3' },
  ],
  plinko: [
    { name: 'risk', label: 'Risk', form: 'choice', choices: PLINKO_RISKS, example: 'LOW' },
    { name: 'rowsCount', label: 'Rows', form: 'number', example: '16' },
  ],
  mines: [
    { name: 'gridCellsCount', label: 'Cells of the grid', form: 'number', example: '25' },
    { name: 'bombsCount', label: 'Bombs', form: 'number', example: '3' },
    { name: 'cellIndices', label: 'Cells in order of opening, from 0', form: 'numbers', example: '0,1,2' },
  ],
  'monkey-run': [
    { name: 'difficulty', label: 'Difficulty', form: 'choice', choices: DIFFICULTIES, example: 'EASY' },
    { name: 'steps', label: 'Tiles run for, in order', form: 'numbers', example: '1,2,3' },
  ],
  roulette: [
    {
      name: 'bets',
      label: 'Bets',
      form: 'json',
      example: '[{"type":"RED","amount":"1"},{"type":"STRAIGHT","numbers":[17],"amount":"1"}]',
    },
  ],
  'speed-roulette': [{ name: 'color', label: 'Color', form: 'choice', choices: COLORS, example: 'RED' }],
  blackjack: [
    { name: 'betAmount', label: 'Bet in US dollars', form: 'text', example: '1' },
    { ...OPTIONAL, name: 'sideBetAmount', label: 'Side bet in US dollars, if any', form: 'text' },
    {
      ...OPTIONAL,
      name: 'actions',
      label: `Actions in order: ${ACTIONS.join(', ')}`,
      form: 'words',
      example: 'STAND',
    },
  ],
};

/** Names of a game's seeds. Speed-roulette has one stream per round, not per player. */
export function seedFields(game: string): Field[] {
  const text = { form: 'text', example: '' } as const;
  const isOptional = true;
  if (game === 'speed-roulette')
    return [
      { name: 'serverSeed', label: 'Seed of the round', ...text },
      { name: 'serverSeedHash', label: 'Hash of the seed, shown before', ...text, isOptional },
      { name: 'clientSeed', label: 'Public seed (publicBlockHash)', ...text },
      { name: 'nonce', label: 'Position in the chain', form: 'number', example: '1' },
      { name: 'commitment', label: 'Commitment of the chain', ...text, isOptional },
    ];
  return [
    { name: 'serverSeed', label: 'Server seed', ...text },
    { name: 'serverSeedHash', label: 'Server seed hash, shown before', ...text, isOptional },
    { name: 'clientSeed', label: 'Client seed', ...text },
    { name: 'nonce', label: 'Nonce', form: 'number', example: '0' },
    ...(HAS_RTP.has(game) ? [RTP] : []),
  ];
}

const RTP: Field = { name: 'rtp', label: 'Return to the player, percent', form: 'number', example: '99' };

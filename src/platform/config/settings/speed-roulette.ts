import { count, optionalUrl } from './setting.ts';

export const speedRoulette = {
  SPEED_ROULETTE_CHAIN_LENGTH: count(1_000_000, 1, 100_000_000).describe(
    'Rounds that one chain of seeds lasts. The next is published when fewer than 1000 are left.',
  ),
  PUBLIC_CHAIN_URL: optionalUrl.describe(
    'Public chain of blocks whose hashes become public seeds, read in the form of Esplora (`https://blockstream.info/api`). Default in `local` and `test`: the sandbox. Absent elsewhere: speed-roulette is not played.',
  ),
  PUBLIC_CHAIN_BLOCKS_AHEAD: count(2, 1, 1000).describe(
    'How far ahead of the highest block the one lies that a new chain of seeds names.',
  ),
  PUBLIC_CHAIN_DEPTH: count(2, 1, 1000).describe(
    'A hash counts once its block is so deep, itself included: blocks on top of a chain are sometimes replaced.',
  ),
};

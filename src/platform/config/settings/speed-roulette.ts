import { count, optionalUrl } from './setting.ts';

export const speedRoulette = {
  SPEED_ROULETTE_CHAIN_LENGTH: count(1_000_000, 1, 100_000_000).describe(
    'Number of rounds in one chain of seeds. The next chain is published when fewer than 1000 rounds are left.',
  ),
  PUBLIC_CHAIN_URL: optionalUrl.describe(
    'Public blockchain whose block hashes become public seeds, read through an Esplora API (`https://blockstream.info/api`). Default in `local` and `test`: the sandbox. Absent elsewhere: speed-roulette is off.',
  ),
  PUBLIC_CHAIN_BLOCKS_AHEAD: count(2, 1, 1000).describe(
    'A new chain of seeds names a future block. This is its distance from the highest existing block.',
  ),
  PUBLIC_CHAIN_DEPTH: count(2, 1, 1000).describe(
    'A block hash is used once the block has this depth, including the block itself. Blocks at the top of a chain are sometimes replaced.',
  ),
};

import { z } from 'zod';

/** Tags that differ only in letter case are the same tag. */
export const Tag = z
  .string()
  .toLowerCase()
  .regex(
    /^[\p{L}\p{N}]([\p{L}\p{N} _-]{0,30}[\p{L}\p{N}_-])?$/u,
    'must be 1 to 32 letters, digits, spaces, - or _, must start with a letter or digit, and must not end with a space',
  );

import { z } from 'zod';

/** Tags that differ only in letter case are the same tag. */
export const Tag = z
  .string()
  .toLowerCase()
  .regex(
    /^[\p{L}\p{N}]([\p{L}\p{N} _-]{0,30}[\p{L}\p{N}_-])?$/u,
    'must have 1 to 32 letters, digits, blanks, - or _',
  );

import fc from 'fast-check';

/** Skips the search for the smallest failing example, because mutation tests only need to know that a property fails. */
fc.configureGlobal({ endOnFailure: true });

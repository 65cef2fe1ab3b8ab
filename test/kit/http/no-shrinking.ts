import fc from 'fast-check';

/** For mutation tests, a failing property is enough. Skips the search for the smallest example. */
fc.configureGlobal({ endOnFailure: true });

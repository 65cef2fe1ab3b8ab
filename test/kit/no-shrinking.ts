import fc from 'fast-check';

/** For mutants: that a property fails is enough, the smallest example is not looked for. */
fc.configureGlobal({ endOnFailure: true });

/**
 * What is made of things that seldom change, and are exchanged whole when they do: `make` runs again once one of `sources` is another
 * object than before. The result is frozen, by which the HTTP kit knows that it need not be spelt out again.
 */
export function derived<const Sources extends readonly unknown[], Made extends object>(
  sources: () => Sources,
  make: (...sources: Sources) => Made,
): () => Readonly<Made> {
  let known: { of: Sources; made: Readonly<Made> } | undefined;
  return () => {
    const of = sources();
    if (!known || of.some((source, i) => source !== known!.of[i]))
      known = { of, made: Object.freeze(make(...of)) };
    return known.made;
  };
}

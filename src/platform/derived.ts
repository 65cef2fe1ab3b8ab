/**
 * Caches a value derived from sources that change rarely and are replaced as a whole. `make` runs again when one of `sources` is a
 * different object. The result is frozen so that the HTTP layer can reuse its serialised form.
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

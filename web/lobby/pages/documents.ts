type Addresses = { termsUrl?: string | null; privacyUrl?: string | null };

/** Returns which of the operator's documents have an address. */
export const documentsOf = (site: Addresses | undefined) =>
  site?.termsUrl ? (site.privacyUrl ? 'both' : 'terms') : site?.privacyUrl ? 'privacy' : 'none';

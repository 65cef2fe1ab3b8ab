import { z } from 'zod';
import { toAlpha2 } from '../../../platform/countries/codes.ts';

const IdDoc = z.object({
  idDocType: z.string(),
  /** Alpha-3 code of the country that issued the document. */
  country: z.string(),
  /** YYYY-MM-DD */
  issuedDate: z.string().nullish().catch(null),
});

/** An applicant at Sumsub, with the documents that it has read. Documents with an unreadable type or country are null. */
export const SumsubDocuments = z.object({
  info: z
    .object({ idDocs: z.array(IdDoc.nullable().catch(null)) })
    .nullish()
    .catch(null),
});

/** Other types, such as UTILITY_BILL, prove an address or an income. */
const IDENTITY_TYPES: ReadonlySet<string> = new Set(['PASSPORT', 'ID_CARD', 'RESIDENCE_PERMIT', 'DRIVERS']);

/**
 * Returns the country of the identity document issued last, or of the first one if none has a date. Returns null without such a document.
 */
export function countryOfDocuments({ info }: z.output<typeof SumsubDocuments>): string | null {
  const found = (info?.idDocs ?? []).flatMap((document) => {
    if (!document || !IDENTITY_TYPES.has(document.idDocType.toUpperCase())) return [];
    const country = toAlpha2(document.country);
    return country ? [{ country, issued: document.issuedDate ?? '' }] : [];
  });
  const newest = found.map(({ issued }) => issued).reduce((a, b) => (b > a ? b : a), '');
  return found.find(({ issued }) => issued === newest)?.country ?? null;
}

import { z } from 'zod';

/** Dollars and cents. */
export const Usd = z.string().regex(/^(0|[1-9]\d{0,8})(\.\d{1,2})?$/, 'needs to be dollars such as "12.50"');
export const CountryCode = z.string().regex(/^[A-Z]{2}$/, 'needs a code of two capital letters such as DE');
export const days = (most: number) => z.number().int().min(1).max(most);
/** A switch by country; where a country is not named, it is on. */
export const CountrySwitches = z.record(CountryCode, z.boolean());

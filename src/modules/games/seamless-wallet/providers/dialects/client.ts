import type { z } from 'zod';
import type { Clock } from '../../../../../platform/clock.ts';
import type { Config } from '../../../../../platform/config/config.ts';
import type { GameProviderSettings } from '../../../../../platform/config/settings/game-providers.ts';
import type { Units } from '../../../../../platform/money.ts';
import {
  createOutbound,
  NotSent,
  type Outbound,
  type OutboundAnswer,
  type OutboundRequest,
  Unanswered,
} from '../../../../../platform/net/outbound.ts';
import { parseWebUrl } from '../../../../../platform/net/rules.ts';
import type { Log } from '../../../../../platform/observability/log.ts';
import type { ProviderCurrency } from '../provider.ts';

export type DialectDeps = {
  settings: GameProviderSettings;
  currencies: Currencies;
  config: Config;
  clock: Clock;
  log: Log;
};

/** Size limit for lists of games and transactions. */
export const LIST_BYTES = 32 * 1024 * 1024;

/** Creates a client for the provider's API, and for its report API if that has a separate address. */
export function connect({ settings, log }: DialectDeps): { api: Outbound; books: Outbound } {
  const { slug, apiUrl, reportUrl } = settings;
  const open = (baseUrl: string) => createOutbound({ name: slug, baseUrl, log });
  const api = open(apiUrl);
  return { api, books: reportUrl === undefined ? api : open(reportUrl) };
}

/** Sends a request and parses the response. Throws NotSent and Unanswered. */
export async function ask<S extends z.ZodType>(
  outbound: Outbound,
  request: OutboundRequest,
  schema: S,
): Promise<z.output<S>> {
  const answer = await outbound.ask(request);
  if ([401, 403, 429].includes(answer.status)) throw new NotSent(`answered ${answer.status}`);
  if (answer.status !== 200) throw new Unanswered(`answered ${answer.status}`);
  return readAnswer(answer, schema);
}

/** Sends a request that withdraws an object, which may no longer exist. Throws NotSent and Unanswered. */
export async function askToWithdraw(outbound: Outbound, request: OutboundRequest): Promise<void> {
  const { status } = await outbound.ask(request);
  if ([401, 403, 429].includes(status)) throw new NotSent(`answered ${status}`);
}

function readAnswer<S extends z.ZodType>({ text }: OutboundAnswer, schema: S): z.output<S> {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new Unanswered('answered 200 with a body that cannot be read', { cause: error });
  }
}

/**
 * Returns the URL of a launched game. The URL must have one of the provider's origins, because the site allows no other origins in a frame.
 * Throws Unanswered.
 */
export function assertLaunchUrl(url: string, origins: readonly string[]): { url: string } {
  if (!URL.canParse(url) || !origins.includes(new URL(url).origin))
    throw new Unanswered('returned an address outside its launch origins');
  return { url };
}

/** Returns the provider's code for our currency. Throws NotSent if the provider does not support the currency. */
export function codeOf(currencies: Currencies, currencyId: string): string {
  const currency = currencies.byOurs(currencyId);
  if (!currency) throw new NotSent(`has no ${currencyId}`);
  return currency.code;
}

/** Parses an amount in a report. Throws Unanswered if it is invalid. */
export function reported(amount: Units | undefined, transactionId: string): Units {
  if (amount === undefined) throw new Unanswered(`reports an invalid amount for ${transactionId}`);
  return amount;
}

/** Parses a percentage from a provider. Returns null if it is not between 0 and 100. */
export function percentOf(value: number | string | null | undefined): number | null {
  const number = typeof value === 'string' ? Number(value) : value;
  return number != null && Number.isFinite(number) && number > 0 && number <= 100 ? number : null;
}

const VOLATILITIES = ['LOW', 'MEDIUM', 'HIGH'] as const;

export const volatilityOf = (word: string | null | undefined): (typeof VOLATILITIES)[number] | null =>
  VOLATILITIES.find((one) => one === word?.toUpperCase()) ?? null;

/** Returns the valid image URLs, percent-encoded. */
export const imagesOf = (...urls: readonly (string | null | undefined)[]): string[] =>
  urls
    .map((url) => parseWebUrl(url ?? '')?.href)
    .filter((href): href is string => href !== undefined && href.length <= LONGEST_URL);

const LONGEST_URL = 1000;

export type Currencies = ReturnType<typeof createCurrencies>;

/** Indexes a provider's currencies by the provider's codes and by our ids. */
export function createCurrencies(all: readonly ProviderCurrency[]) {
  const byCode = new Map(all.map((currency) => [currency.code, currency]));
  const byOurs = new Map(all.map((currency) => [currency.ours, currency]));
  return {
    all,
    byCode: (code: string) => byCode.get(code),
    byOurs: (id: string | null) => (id === null ? undefined : byOurs.get(id)),
    /** Converts the provider's currency codes to our ids; null means all currencies. */
    oursOf: (codes: readonly string[] | null | undefined) =>
      codes?.flatMap((code) => byCode.get(code)?.ours ?? []) ?? null,
  };
}

import type { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Units } from '../../../../platform/money.ts';
import {
  createOutbound,
  NotSent,
  type Outbound,
  type OutboundAnswer,
  type OutboundRequest,
  Unanswered,
} from '../../../../platform/outbound.ts';
import type { GameProviderSettings } from '../../../../platform/settings/game-providers.ts';
import type { Currencies } from './currencies.ts';

export type DialectDeps = {
  settings: GameProviderSettings;
  currencies: Currencies;
  config: Config;
  clock: Clock;
  log: Log;
};

/** Lists of all games and of a day's transactions are long. */
export const LIST_BYTES = 32 * 1024 * 1024;

/** The provider's API, and where its books are if that is another place. */
export function connect({ settings, log }: DialectDeps): { api: Outbound; books: Outbound } {
  const { slug, apiUrl, reportUrl } = settings;
  const open = (baseUrl: string) => createOutbound({ name: slug, baseUrl, log });
  const api = open(apiUrl);
  return { api, books: reportUrl === undefined ? api : open(reportUrl) };
}

/** Asks, and reads the answer of success. Throws NotSent, Unanswered. */
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

/** Asks for something to be taken back. What is not there, or is over, needs no more. Throws NotSent, Unanswered. */
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
 * The address at which a game is opened, which has to be at one of the provider's origins: the site frames nothing else. Throws Unanswered.
 */
export function assertLaunchUrl(url: string, origins: readonly string[]): { url: string } {
  if (!URL.canParse(url) || !origins.includes(new URL(url).origin))
    throw new Unanswered('answered with an address that is none of its launch origins');
  return { url };
}

/** What the provider calls a currency of ours. Throws NotSent where it does not have it. */
export function codeOf(currencies: Currencies, currencyId: string): string {
  const currency = currencies.byOurs(currencyId);
  if (!currency) throw new NotSent(`has no ${currencyId}`);
  return currency.code;
}

/** An amount of a report. Throws Unanswered where it is none. */
export function reported(amount: Units | undefined, transactionId: string): Units {
  if (amount === undefined) throw new Unanswered(`reports an amount that is none, of ${transactionId}`);
  return amount;
}

/** A percentage as suppliers write it; null: none that can be one. */
export function percentOf(value: number | string | null | undefined): number | null {
  const number = typeof value === 'string' ? Number(value) : value;
  return number != null && Number.isFinite(number) && number > 0 && number <= 100 ? number : null;
}

const VOLATILITIES = ['LOW', 'MEDIUM', 'HIGH'] as const;

export const volatilityOf = (word: string | null | undefined): (typeof VOLATILITIES)[number] | null =>
  VOLATILITIES.find((one) => one === word?.toUpperCase()) ?? null;

/** Images that browsers may load. */
export const imagesOf = (...urls: readonly (string | null | undefined)[]): string[] =>
  urls.filter((url): url is string => url != null && /^https?:\/\/\S{1,1000}$/.test(url));

import type { LiveSecret } from '@subluminal/gateway';
import type { Automata } from './automata.js';
import { type Concealed, Sought } from './conceal.js';

/**
 * The most logins of one connection, and the most letters in all of them. A client that sends more wants
 * something else.
 */
const MAX_LOGINS = 64;
const MAX_LOGIN_LETTERS = 8192;
const BASIC = /^(Basic) +([A-Za-z0-9+/]{1,8192}={0,2})$/i;

/** A value of a field with its secrets put in, and whose they are. */
export interface PutIn {
  readonly value: string;
  readonly injected: readonly string[];
}

/** The secrets of one connection: they are put in on the way out, and their placeholders on the way back. */
export class SecretTexts {
  readonly #live: readonly LiveSecret[];
  readonly #values: Sought;
  #logins: readonly Concealed[] = [];
  #concealed: Sought;

  /** `values`: those of `soughtIn(live)`. */
  constructor(live: readonly LiveSecret[], values: Sought) {
    this.#live = live;
    this.#values = values;
    this.#concealed = values;
  }

  /** What must not come back. */
  readonly concealed = (): Sought => this.#concealed;

  /** As the function `isIn`. */
  isIn(text: string): boolean {
    return isIn(this.#live, text);
  }

  /** As the function `putInto`. Throws `RangeError` where a connection has shown too many logins. */
  putInto(value: string): PutIn {
    const { login, ...put } = putInto(this.#live, value);
    if (login !== undefined) this.#alsoConceal(login);
    return put;
  }

  #alsoConceal(login: Concealed): void {
    if (this.#logins.some(({ from }) => from.equals(login.from))) return;
    const logins = [...this.#logins, login];
    const letters = logins.reduce((sum, { from }) => sum + from.length, 0);
    if (logins.length > MAX_LOGINS || letters > MAX_LOGIN_LETTERS)
      throw new RangeError('too many logins on one connection');
    this.#logins = logins;
    this.#concealed = new Sought(logins, undefined, this.#values);
  }
}

/** Tells whether a text holds a placeholder, as it is or with escapes of URLs. */
export function isIn(live: readonly LiveSecret[], text: string): boolean {
  const read = unescaped(text);
  return live.some(({ placeholder }) => text.includes(placeholder) || read.includes(placeholder));
}

/**
 * Puts the secrets into the value of a field, also into the login of `Basic` (RFC 7617), which hides it in
 * base64.
 */
export function putInto(
  live: readonly LiveSecret[],
  value: string,
): PutIn & { readonly login?: Concealed | undefined } {
  const login = BASIC.exec(value);
  if (login === null) return putIntoText(live, value);
  const [, scheme = '', coded = ''] = login;
  const text = Buffer.from(coded, 'base64').toString('latin1');
  const { value: meant, injected } = putIntoText(live, text);
  if (injected.length === 0) return { value, injected };
  const real = Buffer.from(meant, 'latin1').toString('base64');
  const shown = Buffer.from(text, 'latin1').toString('base64');
  return {
    value: `${scheme} ${real}`,
    injected,
    login: { from: Buffer.from(real), to: Buffer.from(shown) },
  };
}

function putIntoText(live: readonly LiveSecret[], text: string): PutIn {
  let value = text;
  const injected: string[] = [];
  for (const { placeholder, value: secret, injectAs } of live) {
    if (!value.includes(placeholder)) continue;
    value = value.replaceAll(placeholder, () => secret);
    injected.push(injectAs);
  }
  return { value, injected };
}

/** The secrets in all the ways in which they may come back. */
export async function soughtIn(live: readonly LiveSecret[], automata: Automata): Promise<Sought> {
  const texts = live.flatMap(writingsOf);
  return new Sought(texts, await automata.of(texts.map(({ from }) => from)));
}

/**
 * The ways in which a value may come back: as it is, in JSON, in JSON within JSON, in a URL, in HTML, in hex,
 * in base64, also as part of a longer text. Each stays as long as it is.
 */
function writingsOf({ value, placeholder }: LiveSecret): Concealed[] {
  const once = JSON.stringify(value).slice(1, -1);
  const slashed = once.replaceAll('/', String.raw`\/`);
  const writings = [
    value,
    once,
    JSON.stringify(once).slice(1, -1),
    slashed,
    encodeURIComponent(value),
    encodeURIComponent(value).replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    value.replaceAll(/[&<>"']/g, (sign) => HTML[sign] ?? sign),
    ...(['hex', 'base64', 'base64url'] as const).map((coding) => Buffer.from(value).toString(coding)),
    Buffer.from(value).toString('hex').toUpperCase(),
    ...[0, 1, 2].flatMap((before) => withinBase64(value, before)),
  ];
  return [...new Set(writings)].map((writing) => ({
    from: Buffer.from(writing),
    to: Buffer.from(placeholder.padEnd(writing.length, '*').slice(0, writing.length)),
  }));
}

/**
 * The letters of base64 that are the value's alone, where so many bytes stand before it, and others behind.
 */
function withinBase64(value: string, before: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
  const [first, last] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
  return (['base64', 'base64url'] as const).map((coding) => bytes.toString(coding).slice(first, last));
}

const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function unescaped(text: string): string {
  return text.replaceAll(/%([0-9a-fA-F]{2})/g, (_whole, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

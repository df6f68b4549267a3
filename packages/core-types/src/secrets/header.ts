import * as z from 'zod';

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,127}$/;
/**
 * These headers frame the message, say where it goes, or say what it is: the one who sets them decides how a
 * request is read.
 */
const FRAMING: ReadonlySet<string> = new Set([
  'accept',
  'connection',
  'date',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'last-event-id',
  'origin',
  'range',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
]);
const FRAMING_BEGINNINGS: readonly string[] = [
  'accept-',
  'access-control-',
  'content-',
  'if-',
  'mcp-',
  'proxy-',
  'sec-',
  'subluminal-',
];

/** A header's name as servers compare it: in lower case, and `_` as `-`, which many do not tell apart. */
export function headerKey(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

/** The name of a header that a secret may stand in. */
export const SecretHeader = z
  .string()
  .regex(NAME, 'a name of a header has letters, digits, `-` and `_`, and begins with a letter')
  .refine((name) => {
    const key = headerKey(name);
    return !FRAMING.has(key) && !FRAMING_BEGINNINGS.some((beginning) => key.startsWith(beginning));
  }, 'this header says how a request is carried or read, and cannot hold a secret');

/** The text before a secret in its header, as `Bearer `. */
export const SecretPrefix = z
  .string()
  .min(1)
  .max(64)
  .regex(
    /^[\x21-\x7e][\x20-\x7e]*$/,
    'what stands before a secret is visible ASCII, and begins with no space',
  );

/** The URL of a remote server that a secret may be sent to. */
export const SecretUrl = z
  .string()
  .max(4096)
  .refine(isPlainUrl, 'write an absolute URL without user name and `#`, as `https://mcp.example.com/mcp`')
  .refine(
    (text) => !isPlainUrl(text) || isPrivateWay(new URL(text)),
    'a secret is sent over TLS only, but to this machine: write `https://`',
  );

function isPlainUrl(text: string): boolean {
  if (!/^https?:\/\/[^/?#@]+(?:[/?]|$)/i.test(text) || /[\p{Cc}\s\\#]/u.test(text)) return false;
  return URL.canParse(text);
}

function isPrivateWay({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' ||
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}

/** Servers take no longer header in whole. */
const MAX_HEADER_VALUE = 8192;

/** Why a value cannot stand in a header, behind that prefix, in words for a person; undefined when it can. */
export function headerValueProblem(value: string, prefix = ''): string | undefined {
  if (prefix.length + value.length > MAX_HEADER_VALUE)
    return `it has more than ${MAX_HEADER_VALUE - prefix.length} characters, which is too long for a header`;
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? undefined
    : 'it has characters that no header holds: line ends, controls, a space at an end, or none of ASCII';
}

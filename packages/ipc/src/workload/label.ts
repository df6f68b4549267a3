import { redact } from '@subluminal/core-types';

const MAX_LABEL = 256;
/** The characters of a value that are read: the environment can hold megabytes. */
const MAX_READ = 1024;

/**
 * A value of the environment as a run may carry it: without control characters, bounded, with what looks like
 * a credential replaced. Undefined where nothing is left.
 */
export function labelOf(value: string | undefined, max: number = MAX_LABEL): string | undefined {
  if (value === undefined) return undefined;
  const plain = value
    .slice(0, MAX_READ)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  const text = redact(plain).text.slice(0, max);
  // A pair of surrogates may have been cut in two.
  const whole = /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
  return whole === '' ? undefined : whole;
}

/** The URL of a repository without who may read it: user and password may stand in it. */
export function repositoryOf(url: string | undefined): string | undefined {
  return labelOf(url?.slice(0, MAX_READ).replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1'));
}

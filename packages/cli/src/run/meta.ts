import { SublError } from '@subluminal/core-types';

const MAX_PAIRS = 32;
const KEY = /^[A-Za-z0-9_.-]{1,64}$/;
const MAX_VALUE = 256;
const WORDS =
  'write `--meta issue_id=42`: a key of at most 64 letters, digits, `_`, `.` and `-`, and a value';

/**
 * Reads the pairs of `--meta` (`run.meta` of `run_start`); undefined for none.
 *
 * @throws SublError `usage`.
 */
export function readMeta(pairs: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (pairs.length === 0) return undefined;
  if (pairs.length > MAX_PAIRS)
    throw new SublError('usage', `\`--meta\` stands here more than ${MAX_PAIRS} times`);
  const meta = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const key = pair.slice(0, Math.max(0, at));
    const value = pair.slice(at + 1);
    if (!KEY.test(key)) throw new SublError('usage', `\`--meta ${pair}\` has no key`, { help: WORDS });
    if (value.length > MAX_VALUE)
      throw new SublError('usage', `the value of \`--meta ${key}\` has more than ${MAX_VALUE} characters`);
    if (meta.has(key)) throw new SublError('usage', `\`--meta ${key}\` stands here twice`);
    meta.set(key, value);
  }
  return Object.fromEntries(meta);
}

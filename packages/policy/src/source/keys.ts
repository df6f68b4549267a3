const DROPPED = /^\0*__proto__$/;

/**
 * The name under which a key of the file travels through zod, whose records silently leave out `__proto__`: a
 * predicate on that key would vanish. Injective; `plainKey` undoes it.
 */
export function safeKey(key: string): string {
  return DROPPED.test(key) ? `\0${key}` : key;
}

/** The key as it stands in the file. */
export function plainKey(key: string): string {
  return key.startsWith('\0') && DROPPED.test(key) ? key.slice(1) : key;
}

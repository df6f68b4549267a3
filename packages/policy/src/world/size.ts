const UNITS: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** The bytes of a size as policies write it, `2Gi`. Throws for another text, which the schema refuses. */
export function bytesOf(text: string): number {
  const [, number, unit = ''] = /^(\d+)(Ki|Mi|Gi)$/.exec(text) ?? [];
  const bytes = Number(number) * (UNITS[unit] ?? Number.NaN);
  if (!Number.isSafeInteger(bytes)) throw new Error(`\`${text}\` is no size`);
  return bytes;
}

import { UiRefusal } from '../door/refusal.js';

/** A whole number of a query, within bounds; `otherwise` where it is not given. @throws UiRefusal */
export function numberIn(
  query: URLSearchParams,
  name: string,
  { least, most, otherwise }: { readonly least: number; readonly most: number; readonly otherwise: number },
): number {
  const given = query.get(name);
  return given === null ? otherwise : wholeOf(given, name, least, most);
}

/** The number of an entry in a query; null where it is not given. @throws UiRefusal */
export function seqIn(query: URLSearchParams, name: string): number | null {
  const given = query.get(name);
  return given === null ? null : wholeOf(given, name, 0, Number.MAX_SAFE_INTEGER);
}

/** Numbers of entries in a query, with commas between; none where they are not given. @throws UiRefusal */
export function seqsIn(query: URLSearchParams, name: string, most: number): readonly number[] {
  const given = query.get(name) ?? '';
  const seqs = given === '' ? [] : given.split(',', most + 1);
  if (seqs.length <= most) return seqs.map((one) => wholeOf(one, name, 1, Number.MAX_SAFE_INTEGER));
  throw new UiRefusal(400, 'bad_request', `\`${name}\` are ${most} numbers at most`);
}

/** A number in a text. @throws UiRefusal `bad_request` */
export function wholeOf(text: string, name: string, least: number, most: number): number {
  const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new UiRefusal(400, 'bad_request', `\`${name}\` is a whole number from ${least} to ${most}`);
}

/** A text of a query. @throws UiRefusal `bad_request` where it is missing or long. */
export function textIn(query: URLSearchParams, name: string, most: number, otherwise?: string): string {
  const given = query.get(name) ?? otherwise;
  if (given !== undefined && given.length <= most) return given;
  throw new UiRefusal(400, 'bad_request', `\`${name}\` is a text of ${most} signs at most`);
}

/**
 * Characters by the plain letter that they look like: those of other scripts in common fonts, and the digits
 * and signs that stand in for letters. What Unicode itself folds (fullwidth, mathematical, accented forms) is
 * not listed.
 */
const LOOKS: readonly (readonly [string, string])[] = [
  ['a', 'аαɑᴀаꭺ'],
  ['b', 'ьЬƅβвᏼ'],
  ['c', 'сϲᴄꮯⲥ'],
  ['d', 'ԁժꮷɖ'],
  ['e', 'еєҽ℮εɛꭼ'],
  ['g', 'ɡցɢǵ'],
  ['h', 'һհнʜꮋ'],
  ['i', 'іιıɩɪίꭵ'],
  ['j', 'јϳյꭻ'],
  ['k', 'кκᴋⲕꮶ'],
  ['l', '1|ӏǀןᛁⅼ'],
  ['m', 'мᴍⲙꮇ'],
  ['n', 'ոռпηɴⲛ'],
  ['o', '0оοσօᴏⲟಂ๐໐०০'],
  ['p', 'рρϱᴘⲣꮲ'],
  ['q', 'ԛգզ'],
  ['r', 'гᴦʀⲅꮁ'],
  ['s', 'ѕꜱƽʂꮪ'],
  ['t', 'тτᴛⲧꭲ'],
  ['u', 'υսʋᴜцմ'],
  ['v', 'νѵᴠⱱꮩ'],
  ['w', 'ѡԝաᴡωꮃ'],
  ['x', 'хχ×ҳⲭ'],
  ['y', 'уγүʏყⲩ'],
  ['z', 'ᴢʐⲍꮓ'],
  ['-', '‐‑‒–—―−⁃﹘➖'],
  ['_', '‗⎯＿'],
  ['.', '․·•۔'],
  ['/', '⁄∕╱⧸'],
];

const PLAIN_OF: ReadonlyMap<string, string> = new Map(
  LOOKS.flatMap(([plain, looks]) => Array.from(looks, (look) => [look, plain] as const)),
);

/** Marks over letters, and characters that show nothing. */
const UNSEEN = /[\p{M}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\p{Z}]/gu;

/**
 * The most characters of a name that are looked at: MCP gives names no more. One character can stand for
 * eighteen, so the folded name is cut as well.
 */
const MAX_NAME = 128;
const MAX_FOLDED = 256;

/** Names whose looks are remembered: those of four lists. */
const MAX_REMEMBERED = 16_384;

/**
 * The look of a name at a glance: two names with the same look are taken for each other, by people and by
 * models. Case, compatibility forms, accents and characters that show nothing fall away, letters of other
 * scripts become the plain ones, and `rn` is `m`. Two names whose first 128 characters look alike do.
 */
export function lookOf(name: string): string {
  const folded = name
    .slice(0, MAX_NAME)
    .normalize('NFKD')
    .slice(0, MAX_FOLDED)
    .replaceAll(UNSEEN, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD');
  let look = '';
  for (const character of folded.replaceAll(UNSEEN, '')) look += PLAIN_OF.get(character) ?? character;
  return look.replaceAll('rn', 'm').replaceAll('vv', 'w');
}

/** Looks of names, each found once: to find one takes a thousand times as long as to remember it. */
export class Looks {
  readonly #of = new Map<string, string>();

  of(name: string): string {
    const known = this.#of.get(name);
    if (known !== undefined) return known;
    const look = lookOf(name);
    const oldest = this.#of.size < MAX_REMEMBERED ? undefined : this.#of.keys().next().value;
    if (oldest !== undefined) this.#of.delete(oldest);
    this.#of.set(name, look);
    return look;
  }
}

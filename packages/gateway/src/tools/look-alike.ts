/**
 * Characters by the plain letter that they look like: those of other scripts in common fonts, and the digits and signs that
 * stand in for letters. What Unicode itself folds (fullwidth, mathematical, accented forms) is not listed.
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
 * What a name looks like at a glance: two names with the same look are taken for each other, by people and by models. Case,
 * compatibility forms, accents and characters that show nothing fall away, letters of other scripts become the plain
 * ones, and `rn` is `m`.
 */
export function lookOf(name: string): string {
  const folded = name
    .normalize('NFKD')
    .replaceAll(UNSEEN, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD');
  let look = '';
  for (const character of folded.replaceAll(UNSEEN, '')) look += PLAIN_OF.get(character) ?? character;
  return look.replaceAll('rn', 'm').replaceAll('vv', 'w');
}

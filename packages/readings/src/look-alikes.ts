/** Letters of Cyrillic and Greek that a person takes for Latin ones. */
const CYRILLIC = 'асеорхуіјѕԁһӏԛԝѵүкмтвнгьАВЕКМНОРСТХІЈЅԚԜҮҺӀ';
const GREEK = 'οανρυικχγωτεηΑΒΕΖΗΙΚΜΝΟΡΤΥΧ';
const ALIKE: ReadonlySet<string> = new Set(Array.from(CYRILLIC + GREEK));

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const LATIN = /\p{Script=Latin}/u;
/** Scripts of which no letter stands in a Latin word. Greek ones do, as units. */
const NEVER_MIXED = /[\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Cherokee}]/u;
const OTHERS = /[\p{Script=Cyrillic}\p{Script=Greek}]/gu;
const MAX_TOLD = 8;

/**
 * The letters of a text that look like others, at most eight, each once: foreign ones within a Latin word,
 * and words of nothing but such letters in a text that is not otherwise in their language.
 */
export function lookAlikes(text: string): readonly string[] {
  if (/^[\0-\x7f]*$/.test(text)) return [];
  const isForeign = (text.match(OTHERS) ?? []).some((letter) => !ALIKE.has(letter));
  const found = new Set<string>();
  for (const [word] of text.matchAll(WORD)) {
    const letters = Array.from(word);
    const isLatin = LATIN.test(word);
    const isWhole =
      !isLatin && !isForeign && letters.every((letter) => ALIKE.has(letter) || /\p{N}/u.test(letter));
    for (const letter of letters) {
      const isStrange = ALIKE.has(letter) || (isLatin && NEVER_MIXED.test(letter));
      if ((isStrange && (isLatin || isWhole)) || isDisguised(letter)) found.add(letter);
    }
  }
  return [...found].slice(0, MAX_TOLD);
}

/** The ordinals, and small letters above and below the line: honest text has them. */
const SMALL_LETTERS = /[\u00aa\u00ba\u2070-\u209c]/u;

/** A Latin letter in another form, as a wide or a mathematical one. */
function isDisguised(letter: string): boolean {
  return letter > '\x7f' && /^[A-Za-z]$/.test(letter.normalize('NFKC')) && !SMALL_LETTERS.test(letter);
}

/** The text, and behind it the letters in it that look like others, where there are any. */
export function tellingLookAlikes(text: string): string {
  const told = lookAlikes(text).map((letter) => `\`${letter}\` (${codeOf(letter)})`);
  return told.length === 0 ? text : `${text} — contains letters that look like others: ${told.join(', ')}`;
}

function codeOf(letter: string): string {
  return `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

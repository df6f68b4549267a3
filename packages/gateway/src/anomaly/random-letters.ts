/**
 * By first letter: what follows it in the words of English and of programs, 19 of 20 times. Two letters drawn
 * at random stand here 1 time in 3.
 */
const FOLLOWS =
  'a:bcdfgiklmnprstuvy b:aeilorsu c:acehiklortu d:adegiorsuy e:acdefgilmnpqrstvwxy f:aefilortu g:aehinorsu h:aeiort ' +
  'i:abcdefglmnoprstv j:es k:eis l:adeilostuy m:abeimops n:acdefgilnostuvy o:abcdfgklmnoprstuvw p:aeiloprstu q:u ' +
  'r:acdegikmnorstuvy s:acehikopstuy t:acehiloprstuy u:bcdeilmnprst v:aei w:aehinors x:pt y:os';

/**
 * Digits in a row from this many on are an address, a date or a number of an account: a label has so many
 * pairs of them free.
 */
const DIGITS_RUN = 6;
const PLAIN_DIGITS = 12;
/** A label of fewer odd pairs is an abbreviation. */
const MIN_ODD = 8;
/** From this share of odd pairs on a label is no word. Words have a twentieth, payloads three quarters. */
const MIN_SHARE = 0.5;
/**
 * The letters of another script are punycode, whose letters are odd by themselves: a label of it counts from
 * this length on.
 */
const MIN_PUNYCODE = 48;

const PAIRS: ReadonlySet<string> = new Set(
  FOLLOWS.split(' ').flatMap((entry) => Array.from(entry.slice(2), (next) => entry.slice(0, 1) + next)),
);

/**
 * How much of a label looks drawn at random: the number of its pairs of neighbours that no word has, hyphens
 * left out; 0 for a label that is mostly words. It grows with what the label could carry, about four fifths
 * of its length. Linear.
 */
export function randomLetters(label: string): number {
  if (label.startsWith('xn--') && label.length < MIN_PUNYCODE) return 0;
  let odd = 0;
  let plain = 0;
  let inRuns = 0;
  let run = 0;
  let before = '';
  for (const letter of label) {
    if (letter === '-' || letter === '_') continue;
    const isPair = before !== '';
    const bothDigits = isDigit(before) && isDigit(letter);
    run = bothDigits ? run + 1 : 0;
    if (isPair && !bothDigits && PAIRS.has(before + letter)) plain += 1;
    else if (isPair) odd += 1;
    // With this one the run is long enough: the pairs of it that were counted before belong to it as well.
    if (run === DIGITS_RUN - 1) inRuns += run;
    else if (run >= DIGITS_RUN) inRuns += 1;
    before = letter;
  }
  odd -= Math.min(inRuns, PLAIN_DIGITS);
  return odd >= MIN_ODD && odd >= MIN_SHARE * (odd + plain) ? odd : 0;
}

function isDigit(letter: string): boolean {
  return letter >= '0' && letter <= '9';
}

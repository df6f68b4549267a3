/** A text is read up to so many characters; quoted here-documents do not count. */
const MAX_TEXT = 8192;
/** All texts of a call that are read, those inside of others once more. */
export const MAX_BYTES = 16_384;
/** How deep texts may lie inside of others. */
export const MAX_DEPTH = 8;
export const MAX_COMMANDS = 512;
/** A value, a word or a path that is longer is known to nobody before it runs. */
export const MAX_WORD = 4096;
/** All words that are made, of all commands. */
export const MAX_WORDS = 131_072;
/** Words of one command, and items that are put into it. */
export const MAX_OPERANDS = 4096;
/** Nodes of a text that are gone through, loops each time. */
export const MAX_STEPS = 8192;
/** Marks of one word; with more it may be anything. */
export const MAX_MARKS = 16;

/**
 * Looks for the shapes on which the parser takes more than linear time, before it is asked: substitutions
 * inside of substitutions, brackets, braces, here-documents, reserved words.
 *
 * @returns why the text is not parsed, or undefined.
 */
export function tooDense(text: string): string | undefined {
  if (text.length > MAX_TEXT) return 'it is too long';
  let [substitutions, brackets, braces, separators, documents] = [0, 0, 0, 0, 0];
  let before = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === 0x28) {
      if (before === 0x24 || before === 0x3c || before === 0x3e) substitutions += 1;
      else brackets += 1;
    } else if (char === 0x60) substitutions += 0.5;
    else if (char === 0x7b) {
      if (before === 0x24) brackets += 1;
      else braces += 1;
    } else if (char === 0x7c || char === 0x3b || char === 0x26 || char === 0x0a) separators += 1;
    else if (char === 0x3c && before === 0x3c) documents += 1;
    before = char;
  }
  const { length } = text;
  if (substitutions > 4 && substitutions * length > 131_072) return 'it has too many substitutions';
  if (brackets > 16 && brackets * length > 524_288) return 'it has too many brackets';
  if (braces > 256) return 'it has too many braces';
  if (separators > 768) return 'it has too many commands';
  if (documents > 32) return 'it has too many here-documents';
  return length > 2048 && reservedWords(text) > 128 ? 'it has too many reserved words' : undefined;
}

function reservedWords(text: string): number {
  return text.match(/\b(?:coproc|time|if|case|while|until|for|function)\b|!/g)?.length ?? 0;
}

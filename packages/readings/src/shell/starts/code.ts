import { knownInput } from '../output.js';
import { HOLE, isUnknown } from '../marks.js';
import { quoted } from '../reparsed.js';
import { push } from '../frame.js';
import { readsCode } from './shells.js';
import type { Run } from './running.js';

/** Code of a program is looked through so far. */
const MAX_CODE = 8192;
const MOST_TEXTS = 32;
/** A text of a language, with the letters that may stand before it. */
const LITERAL = /^[fFrRbBuU]{0,2}(["'])((?:\\.|(?!\1)[^\\]){0,1024})\1\s{0,16}(,\s{0,16}\[?\s{0,16}|[+.&])?/s;
const MAX_LITERAL = 1100;

/** Functions that run their first text as a command of a shell, in any of the languages. */
const RUNS =
  /(?:\b(?:system|popen|shell_exec|passthru|proc_open|pcntl_exec|execSync|execFileSync|spawnSync|execFile|check_output|check_call|getoutput|getstatusoutput|shell-command|shell-command-to-string|do shell script)|\bos\.(?:exec\w*|spawn\w*|execute)|\bsubprocess\.(?:run|call|Popen)|\.spawn|(?<![.\w])(?:exec|spawn|open3|capture2e?|IO\.popen))\s*\(?\s*\[?\s*/g;
const BACKTICKS =
  /`([^`]{1,512})`|(?:\bqx|%x) ?(?:\{([^}]{1,256})\}|\(([^)]{1,256})\)|\/([^/]{1,256})\/|\[([^\]]{1,256})\])/g;
/** `"cmd" | getline`, `print | "cmd"` of awk. */
const AWK = /"((?:\\.|[^"\\]){1,1024})"\s*\|&?\s*getline|\|&?\s*"((?:\\.|[^"\\]){1,1024})"/gs;
/** `:!cmd` of editors, `shell cmd` of debuggers. */
const LINES = /^[+:]*\s*(?:sil(?:ent)?!?\s+)?(?:[rw]\s*)?!(.+)$|^\s*(?:shell|!)\s+(.+)$/gs;

type Reader = (code: string) => readonly string[];

const found =
  (pattern: RegExp): Reader =>
  (code) =>
    [...code.matchAll(pattern)].flatMap(([, ...groups]) =>
      groups.filter((text) => text !== undefined).slice(0, 1),
    );

/** The texts that functions of a language run; a hole for the part that is no text. */
const called: Reader = (code) => {
  const texts: string[] = [];
  for (const { 0: name, index } of code.matchAll(RUNS)) {
    if (texts.length === MOST_TEXTS) break;
    const text = literals(code, index + name.length);
    if (text !== undefined) texts.push(text);
  }
  return texts;
};

/** The texts from a place on, joined as the words of a command. */
function literals(code: string, from: number): string | undefined {
  const words: string[] = [];
  let at = from;
  while (words.length < MOST_TEXTS) {
    const literal = LITERAL.exec(code.slice(at, at + MAX_LITERAL));
    if (literal === null) break;
    const [whole, , text = '', behind = ''] = literal;
    words.push(text.replaceAll(/\\(["'\\`$])/g, '$1'));
    // More is put to it that is no text.
    if (/^[+.&]/.test(behind)) return `${words.join(' ')}${HOLE}`;
    if (behind === '') break;
    at += whole.length;
  }
  const [only] = words;
  return words.length > 1 ? words.map(quoted).join(' ') : only;
}

/** awk's `system` of what is no text runs what its input says. */
const computed: Reader = (code) => (/\bsystem\s*\(\s*[^"\s)]/.test(code) ? [HOLE] : []);

const LANGUAGES: ReadonlyMap<string, readonly Reader[]> = new Map([
  ...['perl', 'php', 'ruby'].map((name): [string, readonly Reader[]] => [name, [called, found(BACKTICKS)]]),
  ...['python', 'node', 'nodejs', 'deno', 'bun', 'lua', 'tclsh', 'R', 'osascript', 'emacs'].map(
    (name): [string, readonly Reader[]] => [name, [called]],
  ),
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name): [string, readonly Reader[]] => [
    name,
    [called, found(AWK), computed],
  ]),
  ...['vim', 'vi', 'nvim', 'ex', 'view', 'gdb', 'lldb'].map((name): [string, readonly Reader[]] => [
    name,
    [called, found(LINES)],
  ]),
]);

/** A program that is given code: the commands which that code starts with texts. */
export const withCode: Run = ({ shell, frame, words, operands, given, program }) => {
  const stdin = given.stdin ?? frame.piped;
  const isInterpreter = !/^(?:[gmn]?awk|n?vim?|ex|view|gdb|lldb|emacs)$/.test(program);
  const runsUnknown = isInterpreter && readsCode(operands, stdin);
  const command = push(shell, frame, words, given, program, { runsUnknown });
  const input = isInterpreter ? knownInput(command, shell.place) : undefined;
  const codes = [
    ...operands.filter((word) => /[(`|!"']|shell/.test(word)),
    ...(input === undefined ? [] : [input]),
  ];
  const texts = new Set(
    codes.flatMap((code) => (LANGUAGES.get(program) ?? []).flatMap((read) => read(code.slice(0, MAX_CODE)))),
  );
  for (const text of [...texts].slice(0, MOST_TEXTS))
    if (text.trim() !== '' && (text === HOLE || !isUnknown(text))) shell.inner(frame, { text, via: program });
};

/** The programs whose code is looked through. */
export const LANGUAGE_PROGRAMS: readonly string[] = [...LANGUAGES.keys()];

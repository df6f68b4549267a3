import type {
  ArithmeticExpression,
  BraceExpansionPart,
  CommandExpansionPart,
  DoubleQuotedChild,
  ParameterExpansionPart,
  ParsedScript,
  ProcessSubstitutionPart,
  SimpleExpansionPart,
  Word,
  WordPart,
} from 'unbash';
import { UNKNOWN_INPUT, type SimpleCommand } from './command.js';
import { fork, type Frame, type Shell } from './frame.js';
import { MAX_DEPTH, MAX_MARKS, MAX_WORD } from './bounds.js';
import { hasMark, HOLE, ONE, PIPE, STAR } from './marks.js';
import { knownOutput } from './output.js';

/** Characters that make a word more than its letters. */
const SPECIAL = /[$`{~*?[\\'"]|[@!+<>]\(/;
const MAX_ALTERNATIVES = 16;

/** Reads the words of commands: what the shell makes of one before it starts the program. */
export class Words {
  readonly #shell: Shell;
  readonly #list: (frame: Frame, script: ParsedScript) => void;

  /** `list` reads the commands of a substitution. */
  constructor(shell: Shell, list: (frame: Frame, script: ParsedScript) => void) {
    this.#shell = shell;
    this.#list = list;
  }

  /** The fields that a word comes to. */
  fields(frame: Frame, word: Word | undefined): readonly string[] {
    if (word === undefined) return [];
    if (!SPECIAL.test(word.text)) return [word.value];
    const { parts } = word;
    if (parts === undefined) {
      this.#holdsNoCommand(word.text);
      return [word.text.startsWith('~') ? this.#tilde(frame, word.value) : word.value];
    }
    const done: string[] = [];
    let open: readonly string[] = [''];
    for (const [at, part] of parts.entries()) {
      const value = this.#part(frame, part, at === 0);
      if (open.some((field) => field.length > MAX_WORD)) return [HOLE];
      const [before, next] = [parts[at - 1], parts[at + 1]];
      if (part.type === 'SimpleExpansion' && next?.type === 'BraceExpansion') continue;
      if (part.type === 'BraceExpansion')
        open = crossed(
          open,
          before?.type === 'SimpleExpansion'
            ? this.#named(frame, before, part, next)
            : this.#braces(frame, part),
        );
      else if (!isSplit(part)) open = open.map((field) => field + value);
      else {
        const [head = '', ...rest] = splitFields(value, frame.variables.get('IFS'));
        open = open.map((field) => field + head);
        for (const field of rest) {
          done.push(...open);
          open = [field];
        }
      }
    }
    if ([...done, ...open].some((field) => field.length > MAX_WORD || marksOf(field) > MAX_MARKS))
      return [HOLE];
    const isQuoted = word.text.includes('"') || word.text.includes("'");
    return [...done, ...open].filter((field) => field !== '' || isQuoted);
  }

  /** A word that the shell does not split. */
  one(frame: Frame, word: Word | undefined): string {
    return this.fields(frame, word).join(' ');
  }

  /** The text of a here-document. */
  body(frame: Frame, parts: readonly WordPart[]): string {
    return this.#inQuotes(frame, parts);
  }

  /** Reads the commands in an arithmetic expression. */
  arithmetic(frame: Frame, expression: ArithmeticExpression | undefined): void {
    switch (expression?.type) {
      case 'ArithmeticBinary':
        this.arithmetic(frame, expression.left);
        return this.arithmetic(frame, expression.right);
      case 'ArithmeticUnary':
        return this.arithmetic(frame, expression.operand);
      case 'ArithmeticTernary':
        this.arithmetic(frame, expression.test);
        this.arithmetic(frame, expression.consequent);
        return this.arithmetic(frame, expression.alternate);
      case 'ArithmeticGroup':
        return this.arithmetic(frame, expression.expression);
      case 'ArithmeticCommandExpansion':
        return void this.#substitute(frame, expression.script);
      case 'ArithmeticWord':
        expression.parts?.forEach((part) => this.#part(frame, part, false));
        return;
      case undefined:
    }
  }

  #part(frame: Frame, part: WordPart | DoubleQuotedChild, isFirst: boolean): string {
    switch (part.type) {
      case 'Literal':
        this.#holdsNoCommand(part.text);
        return isFirst && part.text.startsWith('~') ? this.#tilde(frame, part.value) : part.value;
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        return part.value;
      case 'Glob':
        this.#holdsNoCommand(part.text);
        return part.kind === 'star' ? STAR : ONE;
      case 'ExtendedGlob':
        if (part.parts === undefined) this.#holdsNoCommand(part.text);
        for (const inner of part.parts ?? []) this.#part(frame, inner, false);
        return STAR;
      case 'DoubleQuoted':
      case 'LocaleString':
        return this.#inQuotes(frame, part.parts);
      case 'SimpleExpansion':
        return frame.variables.get(part.text.slice(1).replace(/^\{|\}$/g, '')) ?? HOLE;
      case 'ParameterExpansion':
        return this.#parameter(frame, part);
      case 'CommandExpansion':
        return this.#output(frame, part);
      case 'ProcessSubstitution':
        return this.#file(frame, part);
      case 'ArithmeticExpansion':
        this.arithmetic(frame, part.expression);
        return HOLE;
      case 'BraceExpansion':
        return this.#braces(frame, part).join(' ');
    }
  }

  /** In double quotes and here-documents `<(` and `>(` are text. */
  #inQuotes(frame: Frame, parts: readonly (WordPart | DoubleQuotedChild)[]): string {
    let text = '';
    for (const part of parts) {
      if (part.type === 'Literal') {
        this.#holdsNoCommand(part.text, /\$\(|`/);
        text += part.value;
      } else text += this.#part(frame, part, false);
    }
    return text;
  }

  /** A substitution that the parser has not seen as one is a command that nobody reads. */
  #holdsNoCommand(text: string, start = /\$\(|`|[<>]\(/): void {
    if (start.test(text.replace(/\\[^]/g, ''))) this.#shell.miss('a command stands inside of a word');
  }

  /** The file that a process substitution stands for. */
  #file(frame: Frame, { operator, script }: ProcessSubstitutionPart): string {
    const isInput = operator === '<';
    const inner = this.#substitute(isInput ? frame : fork(frame, { piped: UNKNOWN_INPUT }), script);
    return isInput && inner.length > 0 && knownOutput(inner, this.#shell.place) === '' ? '/dev/null' : PIPE;
  }

  #output(frame: Frame, { script }: CommandExpansionPart): string {
    return knownOutput(this.#substitute(frame, script), this.#shell.place)?.replace(/\n+$/, '') ?? HOLE;
  }

  /** Reads the commands of a substitution, in a shell of its own. */
  #substitute(frame: Frame, script: ParsedScript | undefined): readonly SimpleCommand[] {
    if (script === undefined) return [];
    const { commands } = this.#shell;
    const before = commands.length;
    if (frame.depth >= MAX_DEPTH) this.#shell.miss('it is nested too deep');
    else if (this.#shell.spend(script.end - script.pos)) {
      const [error] = script.errors ?? [];
      if (error !== undefined) this.#shell.miss(error.message);
      this.#list(fork(frame, { depth: frame.depth + 1 }), script);
    }
    return commands.slice(before);
  }

  #parameter(frame: Frame, part: ParameterExpansionPart): string {
    const { operation, parameter, prefix, index } = part;
    this.fields(frame, index);
    const isAll = index === undefined || ALL_ITEMS.has(index.text);
    const value = prefix === undefined && isAll ? frame.variables.get(parameter) : undefined;
    switch (operation?.type) {
      case undefined:
        return prefix === '#' ? lengthOf(value) : (value ?? HOLE);
      case 'Default': {
        const other = this.one(frame, operation.operand);
        if (operation.operator.includes('+')) return value === undefined ? HOLE : other;
        if (operation.operator.includes('=') && value === undefined && prefix === undefined)
          frame.variables.set(parameter, other);
        return value ?? (operation.operator.includes('?') || prefix !== undefined ? HOLE : other);
      }
      case 'Remove':
        return removed(value, operation.operator, this.one(frame, operation.operand));
      case 'Replace':
        this.fields(frame, operation.pattern);
        this.fields(frame, operation.replacement);
        return HOLE;
      case 'Slice':
        return sliced(value, this.one(frame, operation.offset), this.one(frame, operation.length));
      case 'CaseModification':
        this.fields(frame, operation.operand);
        if (value === undefined || operation.operator.length < 2) return HOLE;
        return operation.operator === '^^' ? value.toUpperCase() : value.toLowerCase();
      case 'Transform':
        this.fields(frame, operation.operand);
        return HOLE;
      default:
        return HOLE;
    }
  }

  #tilde(frame: Frame, value: string): string {
    const start = /^~([A-Za-z_][\w.-]*|\+|-)?(?=\/|$)/.exec(value);
    if (start === null) return value;
    const rest = value.slice(start[0].length);
    const home = frame.variables.get('HOME') ?? HOLE;
    if (start[1] === undefined) return home + rest;
    if (start[1] === '+') return (frame.cwd[0] ?? HOLE) + rest;
    if (start[1] === '-') return (frame.variables.get('OLDPWD') ?? HOLE) + rest;
    return home.slice(0, home.lastIndexOf('/') + 1) + start[1] + rest;
  }

  /** `$A{B,C}` is `$AB $AC`: the shell looks for braces first, and for variables then. */
  #named(
    frame: Frame,
    { text }: SimpleExpansionPart,
    braces: BraceExpansionPart,
    next: WordPart | undefined,
  ): readonly string[] {
    return this.#braces(frame, braces).map((one) => {
      const more = /^\w*/.exec(one)?.[0] ?? '';
      // The name may go on behind the braces.
      if (hasMark(one) || (more === one && next !== undefined)) return HOLE;
      const name = /^\$[A-Za-z_]/.test(text) ? text.slice(1) + more : text.slice(1);
      return (frame.variables.get(name) ?? HOLE) + one.slice(name === text.slice(1) ? 0 : more.length);
    });
  }

  #braces(frame: Frame, { text, parts }: BraceExpansionPart): readonly string[] {
    if (/^\{-?\w+\.\.-?\w+(?:\.\.-?\d+)?\}$/.test(text)) return [STAR];
    const isPlain = /^\{[^{},$`'"\\]*(?:,[^{},$`'"\\]*)+\}$/.test(text);
    const alternatives = text.slice(1, -1).split(',');
    if (isPlain && alternatives.length <= MAX_ALTERNATIVES)
      return alternatives.map((one) => {
        const marked = one.replaceAll('*', STAR).replaceAll('?', ONE);
        return marked.startsWith('~') ? this.#tilde(frame, marked) : marked;
      });
    for (const part of parts ?? []) this.#part(frame, part, false);
    return [HOLE];
  }
}

/** `${x[@]}`: all items of a list, which are kept as one text. */
const ALL_ITEMS: ReadonlySet<string> = new Set(['@', '*']);

/** Whether the shell splits the value of a part at blanks; `"$@"` is taken for one that it does. */
function isSplit(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted')
    return part.parts.length === 1 && /^"\$(?:@|\{@\}|\{\w+\[@\]\})"$/.test(part.text);
  return ['SimpleExpansion', 'ParameterExpansion', 'CommandExpansion'].includes(part.type);
}

function marksOf(field: string): number {
  return field.length <= MAX_MARKS ? 0 : (field.match(/[\uE000-\uE002]/g)?.length ?? 0);
}

function splitFields(value: string, separators: string | undefined): readonly string[] {
  if (separators === ' \t\n' && !/\s/.test(value)) return [value];
  const own = separators === undefined || separators.includes(HOLE) ? '' : separators;
  const cut = Array.from(value, (char) => (char.trim() === '' || own.includes(char) ? '\n' : char)).join('');
  return cut.split(/\n+/);
}

function crossed(fields: readonly string[], alternatives: readonly string[]): readonly string[] {
  const all = fields.flatMap((field) => alternatives.map((one) => field + one));
  return all.length > MAX_ALTERNATIVES ? [`${fields[0] ?? ''}${HOLE}`] : all;
}

/** `${#x}`. */
function lengthOf(value: string | undefined): string {
  return value === undefined || hasMark(value) ? HOLE : String(Array.from(value).length);
}

function sliced(value: string | undefined, offset: string, length: string): string {
  if (value === undefined || value.includes(HOLE) || !/^\s*\d+$/.test(offset)) return HOLE;
  const from = Number.parseInt(offset, 10);
  if (length === '') return value.slice(from);
  return /^\d+$/.test(length) ? value.slice(from, from + Number.parseInt(length, 10)) : HOLE;
}

function removed(value: string | undefined, operator: string, pattern: string): string {
  if (value === undefined || value.includes(HOLE)) return HOLE;
  const isEnd = operator.startsWith('%');
  if (hasMark(pattern)) return isEnd && pattern === `/${STAR}` ? value.replace(/\/[^/]*$/, '') : HOLE;
  if (isEnd) return value.endsWith(pattern) ? value.slice(0, value.length - pattern.length) : value;
  return value.startsWith(pattern) ? value.slice(pattern.length) : value;
}

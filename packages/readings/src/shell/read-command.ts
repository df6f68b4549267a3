import {
  parse,
  type Assignment as AssignmentPart,
  type CommandNode,
  type CompoundList,
  type Redirection,
  type Statement,
  type TestExpression,
} from 'unbash';
import type { Place } from '../paths/normal.js';
import {
  MAX_BYTES,
  MAX_COMMANDS,
  MAX_DEPTH,
  MAX_OPERANDS,
  MAX_STEPS,
  MAX_WORDS,
  tooDense,
} from './bounds.js';
import { UNKNOWN_INPUT, type FileRedirection, type SimpleCommand, type Stdin } from './command.js';
import { either } from './folders.js';
import {
  fork,
  NOTHING_GIVEN,
  push,
  Variables,
  type Frame,
  type Given,
  type InnerText,
  type Shell,
} from './frame.js';
import { cutBodies } from './here-documents.js';
import { CUT, hasMark, HOLE } from './marks.js';
import { isOpaque, reparsed } from './reparsed.js';
import { runCommand } from './run.js';
import { Words } from './words.js';

/** The simple commands of a shell text. */
export interface CommandList {
  readonly commands: readonly SimpleCommand[];
  /**
   * Why a part of it was not read; null where all of it was. Its commands that were read stand all the same.
   */
  readonly unparsed: string | null;
}

/** As many values of a `for` are followed. */
const MAX_LOOP_VALUES = 12;

/**
 * Reads the text of a shell (sh or bash) as its simple commands, also those in pipelines, substitutions,
 * functions, `sh -c`, `env`, `xargs`, `find -exec` and here-documents. Takes bounded time whatever the text:
 * beyond the bounds of `bounds.ts` the text is `unparsed`.
 */
export function readCommand(text: string, place: Place): CommandList {
  if (hasMark(text)) return { commands: [], unparsed: 'it has characters for private use' };
  const reader = new ShellReader(place);
  reader.script(firstFrame(place), text);
  return { commands: reader.commands, unparsed: reader.missed };
}

function firstFrame({ home, tmp, cwd }: Place): Frame {
  const variables = new Variables();
  for (const [name, value] of [
    ['HOME', home],
    ['TMPDIR', tmp],
    ['PWD', cwd[0] ?? HOLE],
    ['IFS', ' \t\n'],
  ] as const)
    variables.set(name, value);
  return {
    cwd,
    variables,
    functions: new Map(),
    aliases: new Map(),
    via: [],
    depth: 0,
    isRemote: false,
    mounts: [],
    inside: new Set(),
    piped: undefined,
  };
}

class ShellReader implements Shell {
  readonly place: Place;
  readonly commands: SimpleCommand[] = [];
  readonly #words: Words;
  readonly #bodies: string[] = [];
  #seen = 0;
  #spent = 0;
  #made = 0;
  #steps = 0;
  #missed: string | null = null;

  constructor(place: Place) {
    this.place = place;
    this.#words = new Words(this, (frame, { commands }) => this.#list(frame, commands));
  }

  get missed(): string | null {
    return this.#missed;
  }

  miss(why: string): void {
    this.#missed ??= why;
  }

  spend(bytes: number): boolean {
    this.#spent += bytes;
    if (this.#spent <= MAX_BYTES) return true;
    this.miss('too much text lies inside of it');
    return false;
  }

  cut(number: number): string | undefined {
    return this.#bodies[number];
  }

  script(frame: Frame, text: string): void {
    if (frame.depth > MAX_DEPTH) return this.miss('it is nested too deep');
    let source = text;
    let why = tooDense(text);
    const bodies =
      why !== undefined && text.includes('<<') ? cutBodies(text, this.#bodies.length) : undefined;
    if (bodies !== undefined && bodies.bodies.length > 0) {
      this.#bodies.push(...bodies.bodies);
      source = bodies.text;
      why = tooDense(source);
    }
    if (why !== undefined) return this.miss(why);
    if (!this.spend(source.length)) return;
    const seen = this.#seen;
    try {
      const { commands, errors } = parse(source);
      const [error] = errors ?? [];
      if (error !== undefined) this.miss(error.message);
      this.#list(frame, commands);
    } catch (error) {
      // The parser and this reader step into a text as deep as it is nested.
      if (!(error instanceof RangeError)) throw error;
      this.miss('it is nested too deep');
    }
    if (this.#seen - seen < (bodies?.bodies.length ?? 0))
      this.miss('a here-document is not where it seemed to be');
  }

  inner(frame: Frame, { text, via }: InnerText): void {
    const inner = fork(frame, { via: [...frame.via, via], depth: frame.depth + 1 });
    if (isOpaque(text)) push(this, inner, [HOLE], NOTHING_GIVEN, HOLE, { runsUnknown: true });
    else this.script(inner, reparsed(text));
  }

  run(frame: Frame, words: readonly string[], given: Given): void {
    if (this.commands.length >= MAX_COMMANDS) return this.miss('it has too many commands');
    for (const word of words) this.#made += word.length + 1;
    if (this.#made > MAX_WORDS || words.length > MAX_OPERANDS) return this.miss('its words grow too long');
    runCommand(this, frame, words, given);
  }

  walk(frame: Frame, node: CommandNode | CompoundList, stdin: Stdin | undefined): void {
    this.#node(frame, node, stdin);
  }

  #list(frame: Frame, statements: readonly Statement[]): void {
    for (const { command } of statements) {
      if (this.commands.length >= MAX_COMMANDS) return this.miss('it has too many commands');
      this.#node(frame, command, undefined);
    }
  }

  #node(frame: Frame, node: Statement['command'] | CompoundList, stdin: Stdin | undefined): void {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) return this.miss('it goes on for too long');
    switch (node.type) {
      case 'Command':
        return this.#command(frame, node, stdin);
      case 'AndOr':
        for (const [at, part] of node.commands.entries()) {
          const before = frame.cwd;
          this.#node(frame, part, undefined);
          // Behind `||` the change of folder on its left has failed.
          if (node.operators[at] === '||') frame.cwd = either(before, frame.cwd);
        }
        return;
      case 'Pipeline': {
        let input = stdin;
        for (const part of node.commands) {
          const before = this.commands.length;
          this.#node(node.commands.length > 1 ? fork(frame) : frame, part, input);
          input = { is: 'commands', from: this.commands.slice(before) };
        }
        return;
      }
      case 'Redirected': {
        const given = this.#given(frame, node.redirects, stdin);
        for (const redirection of given.redirections)
          push(this, frame, [], { ...NOTHING_GIVEN, redirections: [redirection] }, '');
        return this.#node(frame, node.command, given.stdin);
      }
      case 'If':
        for (const { clause, then } of [node, ...node.elif]) {
          this.#piped(frame, stdin, clause);
          this.#piped(frame, stdin, then);
        }
        if (node.else !== undefined) this.#piped(frame, stdin, node.else);
        return;
      case 'While':
        this.#piped(frame, stdin, node.clause);
        return this.#piped(frame, stdin, node.body);
      case 'For':
      case 'Select': {
        const values = (node.wordlist ?? []).flatMap((word) => this.#words.fields(frame, word));
        for (const value of loopValues(values)) {
          frame.variables.set(node.name.value, value);
          this.#piped(frame, stdin, node.body);
        }
        return;
      }
      case 'ArithmeticFor':
        for (const part of [node.initialize, node.test, node.update]) this.#words.arithmetic(frame, part);
        return this.#piped(frame, stdin, node.body);
      case 'Subshell':
        return this.#piped(fork(frame), stdin, node.body);
      case 'BraceGroup':
        return this.#piped(frame, stdin, node.body);
      case 'CompoundList':
        return this.#list(frame, node.commands);
      case 'Case':
        this.#words.fields(frame, node.word);
        for (const { pattern, body } of node.items) {
          for (const word of pattern) this.#words.fields(frame, word);
          this.#piped(frame, stdin, body);
        }
        return;
      case 'Function': {
        const name = node.name.value;
        frame.functions.set(name, node.body);
        if (frame.inside.has(name)) return;
        // Its commands count whether or not it is called.
        const inner = fork(frame, { inside: new Set([...frame.inside, name]) });
        for (const parameter of ['1', '2', '3', '@', '*']) inner.variables.set(parameter, HOLE);
        return this.#node(inner, node.body, undefined);
      }
      case 'Coproc':
        return this.#node(fork(frame), node.body, undefined);
      case 'TestCommand':
        return this.#test(frame, node.expression);
      case 'ArithmeticCommand':
        return this.#words.arithmetic(frame, node.expression);
    }
  }

  #piped(frame: Frame, stdin: Stdin | undefined, body: CompoundList): void {
    const { piped } = frame;
    frame.piped = stdin ?? piped;
    this.#list(frame, body.commands);
    frame.piped = piped;
  }

  #test(frame: Frame, expression: TestExpression): void {
    switch (expression.type) {
      case 'TestUnary':
        return void this.#words.fields(frame, expression.operand);
      case 'TestBinary':
        this.#words.fields(frame, expression.left);
        return void this.#words.fields(frame, expression.right);
      case 'TestLogical':
        for (const operand of expression.operands) this.#test(frame, operand);
        return;
      case 'TestNot':
        return this.#test(frame, expression.operand);
      case 'TestGroup':
        return this.#test(frame, expression.expression);
    }
  }

  #command(frame: Frame, node: CommandNode & { type: 'Command' }, stdin: Stdin | undefined): void {
    const assignments: [string, string][] = [];
    for (const part of node.prefix) {
      if (part.type !== 'Assignment') continue;
      const text = this.#value(frame, part);
      const between = part.value.type === 'Word' ? '' : ' ';
      assignments.push([
        part.name,
        part.append === true ? `${frame.variables.get(part.name) ?? HOLE}${between}${text}` : text,
      ]);
    }
    const words = [...this.#words.fields(frame, node.name)];
    for (const part of node.args) {
      if (part.type === 'Word') words.push(...this.#words.fields(frame, part));
      else words.push(`${part.name}=${this.#value(frame, part)}`);
    }
    const given = { ...this.#given(frame, node.redirects, stdin), assignments };
    if (words.length > 0) return this.run(frame, words, given);
    for (const [name, value] of assignments) frame.variables.set(name, value);
    if (given.redirections.length > 0) push(this, frame, [], given, '');
  }

  #value(frame: Frame, { value, index }: AssignmentPart): string {
    this.#words.fields(frame, index);
    const words = value.type === 'Word' ? [value] : value.elements;
    return words.map((word) => this.#words.one(frame, word)).join(' ');
  }

  /** The redirections to and from files, and the input that they give. */
  #given(frame: Frame, redirects: readonly Redirection[], stdin: Stdin | undefined): Given {
    const redirections: FileRedirection[] = [];
    let input = stdin;
    for (const one of redirects) {
      if (one.type === 'HereString') input = { is: 'text', text: this.#words.one(frame, one.target) };
      else if (one.type === 'HereDoc') input = { is: 'text', text: this.#document(frame, one) };
      else {
        const to = this.#words.fields(frame, one.target)[0] ?? HOLE;
        // `2>&1`, `>&-`: to another descriptor, not to a file.
        if (one.operator.endsWith('&') && /^(?:\d+|-)$/.test(to)) {
          if (one.operator === '<&' && to !== '-') input = UNKNOWN_INPUT;
          continue;
        }
        redirections.push({ operator: one.operator, to });
        if (one.operator === '<') input = { is: 'file', path: to };
      }
    }
    return { redirections, assignments: [], stdin: input };
  }

  #document(frame: Frame, { body, delimiter }: Redirection & { type: 'HereDoc' }): string {
    if (body.text.startsWith(CUT)) {
      const number = body.text.slice(CUT.length).trim();
      const text = /^\d+$/.test(number) ? this.cut(Number.parseInt(number, 10)) : undefined;
      // Only the whole body of a quoted here-document was cut out: elsewhere it was code.
      if (text === undefined || delimiter?.quoted !== true) return HOLE;
      this.#seen += 1;
      return text;
    }
    return delimiter?.quoted === true || body.parts === undefined
      ? body.text
      : this.#words.body(frame, body.parts);
  }
}

/** A few values stand for all; those that leave the folder come first. */
function loopValues(values: readonly string[]): readonly string[] {
  if (values.length === 0) return [HOLE];
  if (values.length <= MAX_LOOP_VALUES) return values;
  const outside = values.filter((value) => /^[~/]|\.\./.test(value));
  return [...new Set([...outside, ...values])].slice(0, MAX_LOOP_VALUES);
}

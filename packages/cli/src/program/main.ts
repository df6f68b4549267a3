import { SublError } from '@subluminal/core-types';
import { Command, CommanderError, Help } from 'commander';
import { readEnvironment } from './env.js';
import { EXIT } from './exit/codes.js';
import { Output, type Sink } from '../output/output.js';
import { wrapped } from '../output/table.js';
import { Call } from './call.js';
import { declare, valuesOf } from './flags.js';
import { defineHelp } from './help/help.js';
import { mainHelp } from './help/main-help.js';
import { asSublError, report } from './report.js';
import type { Session } from './session.js';
import { suggestionFor } from './help/suggest.js';
import { commonFlags, type Does, type VerbEntry } from './verb.js';
import { VERBS } from './verbs.js';

const VERSION_FLAGS: readonly string[] = ['--version', '-V', '-v'];

/** The process around the command line. Tests give their own. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly cwd: () => string;
  readonly now: () => number;
  /** Path of the gateway's bundle. */
  readonly gatewayProgram: string;
  /** Path of `sub.mjs`. */
  readonly program: string;
  /** The folder of the policies that are shipped. */
  readonly starterPolicies: string;
}

/**
 * Runs `sub` with these arguments and resolves to its exit code (`docs/cli.md`). Never rejects: every error
 * is printed, with its code and what to do.
 */
export async function main(argv: readonly string[], around: Surroundings): Promise<number> {
  const environment = readEnvironment(around.env);
  const output = new Output({
    stdout: around.stdout,
    stderr: around.stderr,
    json: ownArguments(argv).includes('--json'),
    noColor: environment.noColor,
    term: environment.term,
  });
  try {
    return await dispatch(argv, {
      output,
      environment,
      cwd: around.cwd(),
      now: around.now,
      gatewayProgram: around.gatewayProgram,
      program: around.program,
      starterPolicies: around.starterPolicies,
    });
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT.done;
    return report(asSublError(thrown), output);
  }
}

/** Verbs that are paged load what it takes; the shim is none of them. */
async function paged(call: Call, work: () => Promise<number>): Promise<number> {
  const pager = await import('./pager/paged.js');
  return pager.paged(call, work);
}

async function dispatch(words: readonly string[], session: Session): Promise<number> {
  const [first = '', ...rest] = words;
  const argv = VERSION_FLAGS.includes(first) ? ['version', ...rest] : [...aloneOf(first, rest), ...rest];
  let exit: number | undefined;
  const does: Does = (command, flags, work) => {
    declare(command, flags);
    command.action(async () => {
      const { home } = valuesOf(commonFlags(), command, session.now());
      const used = { verb: wordsOf(command), args: command.args, home };
      const call = new Call(session, used, valuesOf(flags, command, session.now()));
      exit = await (Reflect.get(call.flags, 'pager') === true ? paged(call, () => work(call)) : work(call));
    });
  };
  // Values are asked for at every TAB: that needs no other verb.
  const wanted = argv[0] === 'completion' && argv[1] === 'values' ? 'values' : argv[0];
  const program = await buildProgram(session, does, wanted);
  if (argv.length === 0) {
    program.outputHelp();
    return EXIT.done;
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError) || thrown.exitCode === 0) throw thrown;
    const named = namedBy(program, argv);
    if (thrown.code !== 'commander.help') throw usageError(thrown, argv, named);
    // A group alone, as in other programs: its help is what was asked for.
    named.command.outputHelp();
    return EXIT.done;
  }
  return exit ?? EXIT.usage;
}

/**
 * The whole command line, with the files of the verb `wanted` alone loaded (all of them for `completion`,
 * which lists every flag).
 */
async function buildProgram(session: Session, does: Does, wanted: string | undefined): Promise<Command> {
  const program = new Command('sub')
    .description('The gateway for the tools and connections of AI agents.')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ minWidthToWrap: 20, commandUsage: usageOf })
    .configureOutput({
      writeOut: (text) => session.output.raw(text),
      writeErr: () => undefined,
      outputError: () => undefined,
    });
  program.helpInformation = () => mainHelp(VERBS);
  for (const entry of VERBS) await addVerb(program, entry, does, wanted);
  defineHelp(program, does);
  return program;
}

async function addVerb(
  program: Command,
  entry: VerbEntry,
  does: Does,
  wanted: string | undefined,
): Promise<void> {
  const command = program.command(entry.name).summary(entry.summary).description(`${entry.summary}.`);
  command.helpGroup(`${entry.heading}:`);
  const loaded =
    wanted === entry.name ||
    wanted === 'completion' ||
    wanted === 'help' ||
    (wanted === 'values' && entry.name === 'completion');
  if (!loaded) return;
  const module = await entry.load();
  module.define(command, does);
  if (command.commands.length === 0) declare(command, commonFlags());
}

/** The words of a verb; of a group that is named alone those of its member that shows what there is. */
function aloneOf(first: string, [next = '']: readonly string[]): readonly string[] {
  const isAlone = next === '' || (next.startsWith('-') && next !== '-h' && next !== '--help');
  const alone = VERBS.find(({ name }) => name === first)?.alone;
  if (first === '') return [];
  return isAlone && alone !== undefined ? [first, alone] : [first];
}

/** The arguments that are meant for `sub` itself: what stands before `--`. */
function ownArguments(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

/** How a verb is used, in lines that an ordinary terminal has room for. */
function usageOf(command: Command): string {
  const usage = new Help().commandUsage(command);
  return wrapped(usage, 80 - 'Usage: '.length).join('\n       ');
}

/** Commander's words in our grammar: `error: unknown option '--x'` becomes ``unknown option `--x` ``. */
function usageError(error: CommanderError, argv: readonly string[], { command, path }: Named): SublError {
  const [says = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(rest.join(' ').trim())?.[1];
  const word = error.code === 'commander.unknownCommand' ? argv[path.length] : undefined;
  const meant = word === undefined ? undefined : suggestionFor(command, path, word);
  const option = suggestion === undefined ? undefined : `did you mean \`${suggestion}\`?`;
  return new SublError('usage', says.replaceAll("'", '`').replace(/\.$/, ''), {
    help: meant ?? option ?? nextStep(argv[0], path),
  });
}

function nextStep(first: string | undefined, path: readonly string[]): string {
  if (first?.startsWith('-') === true) return `flags stand behind the verb: \`sub VERB ${first}\``;
  return `see \`${['sub', 'help', ...path].join(' ')}\``;
}

/** The words that lead to a command, without `sub` itself. */
function wordsOf(command: Command): string {
  const words: string[] = [];
  for (let one = command; one.parent !== null; one = one.parent) words.unshift(one.name());
  return words.join(' ');
}

/** The verb that a command line names, and its words; `sub` itself where it names none. */
interface Named {
  readonly command: Command;
  readonly path: readonly string[];
}

function namedBy(command: Command, [word, ...rest]: readonly string[], path: readonly string[] = []): Named {
  const found = command.commands.find((one) => one.name() === word);
  return found === undefined ? { command, path } : namedBy(found, rest, [...path, found.name()]);
}

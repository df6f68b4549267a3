import type { Argument, Command } from 'commander';
import { WordOption } from '../flags.js';
import { FLAG_KINDS, OPERAND_KINDS, type Kind } from './kinds.js';

/** One verb, or one member of a group, with what may follow it. */
export interface VerbNode {
  /** The words after `sub`, as in `allow add`. Empty for `sub` itself. */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly FlagNode[];
  /** Its first operands, if they are not just files. */
  readonly operands: Taken;
  readonly children: readonly VerbNode[];
}

/** One flag. */
export interface FlagNode {
  readonly long: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly values: Taken;
}

/** The values that can be completed: words, and those of a kind, which are asked for at the TAB. */
export interface Taken {
  readonly words: readonly string[];
  readonly kind: Kind | undefined;
}

/** The verbs and flags of a command line, without those that this version does not have. */
export function treeOf(command: Command, path = ''): VerbNode {
  const help = command.createHelp();
  return {
    path,
    name: command.name(),
    summary: command.summary(),
    flags: help.visibleOptions(command).flatMap((option) =>
      option.long === undefined || option.long === null
        ? []
        : [
            {
              long: option.long,
              description: option.description,
              takesValue: option.required,
              values: {
                words: option instanceof WordOption ? option.words : [],
                kind: option.required ? FLAG_KINDS.get(option.long) : undefined,
              },
            },
          ],
    ),
    operands: { words: wordsIn(command.registeredArguments[0]), kind: OPERAND_KINDS.get(path) },
    children: help
      .visibleCommands(command)
      .map((child) => treeOf(child, path === '' ? child.name() : `${path} ${child.name()}`)),
  };
}

/** The node and everything below it. */
export function flatten(node: VerbNode): readonly VerbNode[] {
  return [node, ...node.children.flatMap(flatten)];
}

/** An operand that is one of a few words is described by them, as `bash|zsh|fish`. */
function wordsIn(argument: Argument | undefined): readonly string[] {
  const said = /^[a-z-]+(?:\|[a-z-]+)+/.exec(argument?.description ?? '')?.[0];
  return said === undefined ? [] : said.split('|');
}
